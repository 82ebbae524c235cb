"""Former addresses of pages redirect to the current ones."""

from datetime import datetime
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app import services
from channels_app.models import Channel
from channels_app.moving import Position, Step, move_channels
from channels_app.tree import read_tree
from contents.models import Content
from contents.navigation.page_urls import read_addresses
from contents.services.bulk import update_contents
from contents.services.moving import move_contents
from contents.services.single import check_each, trash_contents
from contents.services.trash import purge_channel, purge_contents, restore_contents
from contents.services.undoing import revert_content
from contents.storing.locking import Seen, accepted
from core.rest.serializers import Members
from pages import former_addresses, former_rules
from pages.models import FormerAddress, FormerRule
from sites.page_rules import CONTENT_RULE
from sites.services import change_site
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.sites import make_site, store
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]

BY_TITLE = "/{@channelName}/{@title}.html"


@world
def site():
    return make_site(site_dir="museum")


@world
def channels(site):
    return [ChannelFactory(site=site, channel_name=name) for name in ("News", "Talks")]


@pytest.fixture
def content(channels):
    return make_content(channels[0], title="Launch")


def make_content(channel, **fields):
    return ContentFactory(channel=channel, **{"is_checked": True, "add_date": datetime(2018, 3, 4), **fields})


def path_of(record):
    if isinstance(record, Channel):
        return read_tree(record.site_id).channels[record.pk]["navigationUrl"]
    return read_addresses(record.site_id, {record.pk})[record.pk]


def set_rules(site, **rules):
    site.settings = site.settings | rules
    change_site(site)


def seen(*contents):
    return [Seen(content.site_id, content.pk) for content in contents]


def move(channel, *contents):
    accepted(move_contents(seen(*contents), channel.pk))


def move_channel(channel, parent):
    services.move_channel(channel.site_id, channel.pk, parent.pk, None)


def edit(api, content, **members):
    channel_id = Content.objects.values_list("channel_id", flat=True).get(pk=content.pk)
    answer = api.put(f"/api/v1/contents/{content.site_id}/{channel_id}/{content.pk}", members)
    assert answer.status_code == 200, answer.content


def edit_channel(api, channel, **members):
    answer = api.put(f"/api/v1/channels/{channel.site_id}/{channel.pk}", members)
    assert answer.status_code == 200, answer.content


def assert_leads(client, former, record):
    """The former address leads to the page of the record in one hop."""
    current = path_of(record)
    assert former != current
    answer = client.get(former)
    assert (answer.status_code, answer.headers.get("Location")) == (301, quote(current)), former
    assert client.get(current).status_code == 200


def test_the_redirect_with_its_headers(client, channels, content):
    former = path_of(content)
    move(channels[1], content)
    for method in (client.get, client.head):
        answer = method(former)
        assert answer.status_code == 301
        assert answer.content == b""
        assert {name: value for name, value in answer.headers.items() if name != "X-Request-Id"} == {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": "0",
            "Location": path_of(content),
            # A browser that keeps it for good would go in circles when the content comes back.
            "Cache-Control": "public, max-age=0, must-revalidate",
            "Access-Control-Allow-Origin": "*",
            "Content-Security-Policy": "sandbox allow-scripts allow-forms allow-popups",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "strict-origin-when-cross-origin",
            "Cross-Origin-Opener-Policy": "unsafe-none",
        }


# Changes after which the content may have another address.
CHANGES = {
    "a move": lambda api, content, other: move(other, content),
    "another date": lambda api, content, other: edit(api, content, addDate="2020-01-02 00:00:00"),
    "another title": lambda api, content, other: edit(api, content, title="New"),
    "several at once": lambda api, content, other: accepted(
        update_contents(seen(content), [Members({"title": "New"}, {})], "anna")
    ),
    "a former version": lambda api, content, other: revert_content(content.site_id, content.pk, 1, 2, "anna"),
    "a custom field": lambda api, content, other: edit(api, content, colour="red"),
    "the name of its channel": lambda api, content, other: edit_channel(api, content.channel, channelName="Old"),
    "the rule of its channel": lambda api, content, other: edit_channel(
        api, content.channel, contentFilePathRule="/n/{@contentId}.htm"
    ),
    "the rule of the site": lambda api, content, other: set_rules(
        content.site, contentFilePathRule="/new/{@channelId}/{@contentId}.html"
    ),
    "no rule of the site": lambda api, content, other: set_rules(content.site, contentFilePathRule=""),
    "another parent": lambda api, content, other: move_channel(content.channel, other),
}
RULES = {
    "": ["a move", "the rule of its channel", "the rule of the site"],
    "/{@year}/{@contentId}.html": [
        "another date",
        "the rule of its channel",
        "the rule of the site",
        "no rule of the site",
    ],
    "/{@parentRule}/{@channelName}/{@year}-{@title}{@colour}.html": list(CHANGES),
}


@pytest.mark.parametrize("rule,change", [(rule, change) for rule, changes in RULES.items() for change in changes])
def test_the_former_address_of_a_content(client, api, site, channels, rule, change):
    set_rules(site, contentFilePathRule=rule, channelFilePathRule="/{@parentRule}/{@channelId}/index.html")
    content = make_content(channels[0], title="Launch")
    if change == "a former version":
        edit(api, content, title="Changed")
    former = path_of(content)
    CHANGES[change](api, content, channels[1])
    assert_leads(client, former, content)


CHANGES_OF_CHANNELS = {
    "its file": lambda api, channel, other: edit_channel(api, channel, filePath="/news/index.html"),
    "its rule": lambda api, channel, other: edit_channel(api, channel, channelFilePathRule="/c/{@channelId}.html"),
    "its name": lambda api, channel, other: edit_channel(api, channel, channelName="Old"),
    "a custom field": lambda api, channel, other: edit_channel(api, channel, colour="red"),
    "the rule of the site": lambda api, channel, other: set_rules(channel.site, channelFilePathRule="/{@channelId}/"),
    "another parent": lambda api, channel, other: move_channel(channel, other),
    "another parent, with others": lambda api, channel, other: move_channels(
        channel.site_id, [Step(channel.pk, channel.site_id, Position.LAST, other.pk, channel.site_id)]
    ),
}


@pytest.mark.parametrize("change", CHANGES_OF_CHANNELS)
def test_the_former_address_of_a_channel(client, api, site, channels, change):
    set_rules(site, channelFilePathRule="/{@parentRule}/{@channelName}{@colour}/index.html")
    former = path_of(channels[0])
    CHANGES_OF_CHANNELS[change](api, channels[0], channels[1])
    assert_leads(client, former, channels[0])
    assert client.get(path_of(channels[1])).status_code == 200


def test_addresses_of_long_ago_lead_to_the_current_one(client, api, site, channels):
    set_rules(site, contentFilePathRule=BY_TITLE)
    content = make_content(channels[0], title="A")
    formers = [path_of(content)]
    for title in ("B", "C"):
        edit(api, content, title=title)
        formers.append(path_of(content))
    for former in formers[:2]:
        assert_leads(client, former, content)
    edit(api, content, title="A")
    assert client.get(formers[0]).status_code == 200
    for former in formers[1:]:
        assert_leads(client, former, content)


def test_a_page_that_has_the_path_wins(client, api, site, channels, rendered):
    set_rules(site, contentFilePathRule=BY_TITLE)
    first, second = (make_content(channels[0], title=title) for title in "AB")
    former = path_of(first)
    edit(api, first, title="C")
    edit(api, second, title="A")
    assert client.get(former).status_code == 200
    assert rendered[-1].content_id == second.pk
    # The later owner's from then on.
    edit(api, second, title="D")
    assert_leads(client, former, second)
    assert FormerAddress.objects.filter(path="/News/A.html").count() == 1


def test_a_stored_file_wins(client, site, content):
    former_addresses.remember(site.pk, [("/old.html", None, content.pk), ("/old.txt", None, content.pk)])
    store(site, "old.html")
    store(site, "old.txt")
    for path in ("/museum/old.html", "/museum/old.txt"):
        assert client.get(path).getvalue() == b"stored"


@pytest.mark.parametrize("rule", ["", BY_TITLE])
def test_only_public_contents_have_former_addresses(client, site, channels, rule):
    set_rules(site, contentFilePathRule=rule)
    content = make_content(channels[0], title="Launch")
    former = path_of(content)
    move(channels[1], content)
    withdrawn = Content.objects.filter(pk=content.pk)
    withdrawn.update(is_checked=False)
    assert client.get(former).status_code == 404
    accepted(check_each(seen(content), "", "anna"))
    assert_leads(client, former, content)
    accepted(trash_contents(seen(content)))
    assert client.get(former).status_code == 404
    accepted(restore_contents(seen(content)))
    assert_leads(client, former, content)
    accepted(trash_contents(seen(content)))
    accepted(purge_contents(seen(content)))
    assert client.get(former).status_code == 404
    assert not FormerAddress.objects.exists()


def test_drafts_leave_no_address(api, site, channels):
    set_rules(site, contentFilePathRule=BY_TITLE)
    draft = make_content(channels[0], title="Secret", is_checked=False)
    edit(api, draft, title="Public", isChecked=True)
    assert not FormerAddress.objects.exists()


def test_changes_while_a_content_is_not_public(client, api, site, channels):
    set_rules(site, contentFilePathRule=BY_TITLE)
    content = make_content(channels[0], title="A")
    former = path_of(content)
    edit(api, content, isChecked=False)
    edit(api, content, title="B")
    services.trash_channel(site.pk, channels[0].pk)
    set_rules(site, contentFilePathRule="/{@title}.html")
    services.restore_channel(site.pk, channels[0].pk)
    accepted(check_each(seen(content), "", "anna"))
    assert_leads(client, former, content)


def test_changes_while_a_channel_is_in_the_trash(client, site, channels):
    set_rules(site, contentFilePathRule=BY_TITLE, channelFilePathRule="/{@channelName}/index.html")
    content = make_content(channels[0], title="A")
    formers = path_of(content), path_of(channels[0])
    services.trash_channel(site.pk, channels[0].pk)
    set_rules(site, contentFilePathRule="/{@title}.html", channelFilePathRule="/{@channelName}.html")
    services.restore_channel(site.pk, channels[0].pk)
    assert_leads(client, formers[0], content)
    assert_leads(client, formers[1], channels[0])


def test_a_channel_in_the_trash(client, api, site, channels, content):
    edit_channel(api, channels[0], filePath="/news/", contentFilePathRule="/n/{@contentId}.html")
    former_page, of_content = f"/museum/channels/{channels[0].pk}.html", path_of(content)
    assert_leads(client, former_page, channels[0])
    move(channels[1], content)
    services.trash_channel(site.pk, channels[0].pk)
    assert client.get(former_page).status_code == 404
    # A rule outlives the last channel that has it.
    assert_leads(client, of_content, content)
    services.restore_channel(site.pk, channels[0].pk)
    assert_leads(client, former_page, channels[0])
    services.trash_channel(site.pk, channels[0].pk)
    purge_channel(site.pk, channels[0].pk)
    assert client.get(former_page).status_code == 404
    assert not FormerAddress.objects.exists()


def test_sites_do_not_mix(client, site, content):
    other = make_site(site_dir="other")
    former_addresses.remember(site.pk, [("/old.html", None, content.pk)])
    former_addresses.remember(other.pk, [("/alien.html", None, content.pk), ("/home.html", site.pk, None)])
    assert_leads(client, "/museum/old.html", content)
    for path in ("old.html", "alien.html", "home.html", f"contents/{site.pk}/{content.pk}.html"):
        assert client.get(f"/other/{path}").status_code == 404, path


FORMS = {
    "/old/x_7.html": "/old/x.html",
    "/old/": "/old/index.html",
    "/old": "/old/index.html",
    "/a%20b.aspx": "/a b.aspx",
    "/%E6%B8%AF.html": "/港.html",
    "/100%25.html": "/100%.html",
    "//x.html": "//x.html",
}


@pytest.mark.parametrize("asked", FORMS)
def test_forms_of_an_address(client, site, channels, asked):
    former_addresses.remember(site.pk, [(FORMS[asked], channels[0].pk, None)])
    assert_leads(client, f"/museum{asked}", channels[0])


def test_the_index_page_as_a_target(client, site):
    former_addresses.remember(site.pk, [("/default.aspx", site.pk, None)])
    answer = client.get("/museum/default.aspx")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/museum/")


@pytest.mark.parametrize(
    "path,setting", [("/content.html", "isContentCreatable"), ("/channel.html", "isChannelCreatable")]
)
def test_pages_that_are_switched_off(client, site, channels, content, path, setting):
    rows = [("/content.html", None, content.pk), ("/channel.html", channels[0].pk, None)]
    former_addresses.remember(site.pk, rows)
    assert client.get(f"/museum{path}").status_code == 301
    Channel.objects.filter(pk=channels[0].pk).update(settings={setting: False})
    assert client.get(f"/museum{path}").status_code == 404


@pytest.mark.parametrize("link", ["https://elsewhere.example/", "javascript:alert(1)", "//elsewhere.example"])
def test_a_link_of_the_target_is_never_the_location(client, site, content, link):
    own = path_of(content)
    former_addresses.remember(site.pk, [("/old.html", None, content.pk)])
    Content.objects.filter(pk=content.pk).update(link_url=link)
    answer = client.get("/museum/old.html")
    assert (answer.status_code, answer.headers["Location"]) == (301, own)


def test_a_site_on_a_host_of_its_own(client, settings):
    settings.CMS_SITE_HOSTS, settings.ALLOWED_HOSTS = {"m.example": "museum"}, ["m.example"]
    web = {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example"}
    site = make_site(site_dir="museum", settings=web)
    content = make_content(ChannelFactory(site=site))
    former_addresses.remember(site.pk, [("/old.html", None, content.pk)])
    answer = client.get("/old.html", headers={"host": "m.example"})
    assert answer.headers["Location"] == f"/contents/{content.channel_id}/{content.pk}.html"


@pytest.mark.parametrize(
    "path",
    ["/" + "x" * 501, "/a\0b.html", "/" + "9/" * 240, "/contents/1/" + "9" * 18 + ".html", "/\xff.html", "/'\"%s.html"],
)
def test_hostile_paths_are_404(client, site, channels, path):
    for number in range(3):
        former_rules.remember(site.pk, [f"/{number}/{{@title}}/{{@contentId}}/{{@a}}/9/{{@b}}.html"])
    assert client.generic("GET", "/", PATH_INFO=f"/museum{path}").status_code == 404


def test_an_unknown_address_costs_one_statement(client, site, channels):
    def count():
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get("/museum/unknown.html").status_code == 404
        return [each["sql"] for each in found if "pages_former" in each["sql"]]

    count()
    assert len(count()) == 1


def test_statements_do_not_grow_with_contents(site, channels):
    set_rules(site, contentFilePathRule=BY_TITLE)

    def count(act):
        with CaptureQueriesContext(connection) as found:
            act()
        return len([each for each in found if "pages_former" in each["sql"] or "SELECT v.number" in each["sql"]])

    def moving(number):
        contents = [make_content(channels[0]) for _ in range(number)]
        return count(lambda: move(channels[1], *contents))

    def renaming(number):
        return count(lambda: set_rules(site, contentFilePathRule=f"/{number}/{{@title}}.html"))

    assert moving(2) == moving(20) == 2
    assert FormerAddress.objects.count() == 22
    assert renaming(1) == renaming(2) == 3
    assert FormerAddress.objects.count() == 22 * 3


def test_moves_of_contents_with_ids_in_their_addresses_write_nothing(site, channels):
    contents = [make_content(channels[0]) for _ in range(3)]
    move(channels[1], *contents)
    set_rules(site, contentFilePathRule="/{@contentId}.html")
    assert not FormerAddress.objects.exists()
    assert list(FormerRule.objects.values_list("rule", flat=True)) == [CONTENT_RULE]


def test_remembering_many(client, site, channels, content):
    rows = [(f"/old/{number}.html", None, content.pk) for number in range(6000)]
    with CaptureQueriesContext(connection) as found:
        former_addresses.remember(
            site.pk, [*rows, (rows[0][0], channels[0].pk, None), ("/" + "x" * 500, site.pk, None)]
        )
    assert len(found) == 2
    assert FormerAddress.objects.count() == 6000
    assert_leads(client, "/museum/old/0.html", channels[0])
    assert_leads(client, "/museum/old/5999.html", content)
