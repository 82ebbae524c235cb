"""The search of the admin for everything: what it finds, for whom, and what it costs."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Administrator, GroupPlace
from contents.models import ContentBody
from core.admin.menu import SITE_COOKIE
from core.admin.views import address_of
from core.lib.registrations import SEARCHES
from forms.models import Form
from media_library.models import MediaFile
from pages.models import Template
from search.models import SearchProgress
from tests.admin.test_menu import menu
from tests.admin.test_ranks import RANKS, World
from tests.admin.test_roles import BRANCH, EVERYWHERE, SITE, WHO
from tests.admin.test_roles import World as WorldOfRoles
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory, UserFactory
from tests.search.test_index import follow
from tests.worlds import world as shared_world

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.usefixtures("remembered_people")]
SEARCH = "/admin/search/"
# Groups of the results, with the pages whose lists have the same records.
LISTS = {
    "Contents": ["contents.content"],
    "Channels": ["channels_app.channel"],
    "Media": ["media_library.mediafile"],
    "Templates": ["pages.template"],
    "Forms": ["forms.form"],
    "Administrators and users": ["accounts.administrator", "accounts.user"],
}
GROUPS = [*LISTS, "Settings", "Pages", "Commands"]
MEANT = "Did you mean:"


def results(client, query, **cookies):
    """The title and address of each result by group."""
    client.cookies.load(cookies)
    answer = client.get(SEARCH, {"q": query, "part": ""})
    assert answer.status_code == 200
    sections = re.findall(r"<h2>(.*?)</h2>(.*?)</section>", answer.content.decode(), re.DOTALL)
    return {unescape(title): _links(markup) for title, markup in sections}


def _links(markup):
    found = re.findall(r'<a href="([^"]*)">.*?</svg>\s*<span><span>(.*?)</span>', markup, re.DOTALL)
    return [(unescape(re.sub("<.*?>", "", title)), unescape(address)) for address, title in found]


def titles(client, query, group):
    return [title for title, _address in results(client, query).get(group, [])]


def test_finds_something_of_each_kind_in_order(highest):
    site = SiteFactory(site_name="Harbour")
    channel = ChannelFactory(site=site, channel_name="Boats")
    content = ContentFactory(channel=channel, title="Boats at the quay")
    file = MediaFile.objects.create(site=site, path="upload/boats.jpg", kind="image", bytes=1)
    template = Template.objects.create(site=site, kind="ChannelTemplate", name="Boats")
    form = Form.objects.create(site=site, name="Boats")
    administrator, user = AdministratorFactory(user_name="boats owner"), UserFactory(display_name="Ann Boats")
    follow()
    assert results(highest, "boats") == {
        "Contents": [("Boats at the quay", f"/admin/contents/content/{content.pk}/change/")],
        "Channels": [("Boats", f"/admin/channels_app/channel/{channel.pk}/change/")],
        "Media": [("boats.jpg", f"/admin/media_library/mediafile/{file.pk}/change/")],
        "Templates": [("Boats", f"/admin/pages/template/{template.pk}/change/")],
        "Forms": [("Boats", f"/admin/forms/form/{form.pk}/change/")],
        "Administrators and users": [
            ("boats owner", f"/admin/accounts/administrator/{administrator.pk}/change/"),
            ("Ann Boats", f"/admin/accounts/user/{user.pk}/change/"),
        ],
        "Commands": [("Add content in “Boats”", f"/admin/contents/content/add/?channel={channel.pk}")],
    }
    assert results(highest, "rows per") == {
        "Settings": [("Rows per page", f"/admin/cms_sites/site/{site.pk}/change/#id_pageSize")]
    }
    assert results(highest, "my acc") == {"Pages": [("My account", "/admin/account/")]}
    assert results(highest, "dark") == {"Commands": [("Dark colours", "#theme-dark")]}
    kinds = sorted(SEARCHES.entries.values(), key=lambda kind: kind.place)
    assert list(dict.fromkeys(str(kind.title) for kind in kinds)) == GROUPS


def test_a_content_is_found_by_its_body_with_the_sentence(highest):
    content = ContentFactory(title="Opening hours")
    ContentBody.objects.update_or_create(
        content=content, defaults={"text": "<p>The <b>lantern</b> is lit at dusk.</p>"}
    )
    for is_followed in (False, True):
        if is_followed:
            follow()
        else:
            SearchProgress.objects.all().delete()
        shown = highest.get(SEARCH, {"q": "lantern"}).content.decode()
        assert ("<small>The <mark>lantern</mark> is lit at dusk.</small>" in shown) == is_followed
    SearchProgress.objects.all().delete()
    assert titles(highest, "opening", "Contents") == ["Opening hours"]  # while the index is built
    assert titles(highest, "home", "Channels") == titles(highest, "HOME", "Channels")


def test_titles_come_first_then_those_of_the_current_site(highest):
    here, there = SiteFactory(), SiteFactory()
    for site in (here, there):
        ContentFactory(site=site, title=f"Quay of {site.pk}")
        ContentFactory(site=site, title=f"Other of {site.pk}", sub_title="quay")
    follow()
    wanted = [f"Quay of {here.pk}", f"Quay of {there.pk}", f"Other of {here.pk}", f"Other of {there.pk}"]
    shown = results(highest, "quay", **{SITE_COOKIE: str(here.pk)})["Contents"]
    assert [title for title, _address in shown] == wanted


def test_shows_five_of_each_kind_and_in_a_constant_number_of_statements(highest):
    counts = []
    for number in range(8):
        channel = ChannelFactory(channel_name=f"Boats {number}")
        ContentFactory(channel=channel, title=f"Boats {number}")
        AdministratorFactory(user_name=f"boats {number}")
        UserFactory(user_name=f"boats {number}")
        follow()
        with CaptureQueriesContext(connection) as captured:
            found = results(highest, "boats")
        counts.append(len(captured))
    assert {group: len(found[group]) for group in found} == dict.fromkeys(
        ["Contents", "Channels", "Administrators and users", "Commands"], 5
    )
    assert counts[-1] == counts[1]
    assert connection.vendor != "sqlite" or counts[-1] <= 30, counts


def test_pages_without_a_search_cost_the_same(highest):
    """Only the search itself asks the database."""
    SiteFactory()
    with CaptureQueriesContext(connection) as captured:
        page = highest.get("/admin/account/").content.decode()
    assert 'id="search"' in page and 'id="palette"' in page
    assert not [query for query in captured.captured_queries if "search_" in query["sql"]]


def test_is_a_page_without_scripts(highest):
    ContentFactory(title="Boats")
    page = highest.get(SEARCH, {"q": "boats dark"}).content.decode()
    assert "<h1>Search</h1>" in page and 'value="boats dark"' in page
    page = highest.get(SEARCH, {"q": "boats"}).content.decode()
    assert "<mark>Boats</mark>" in page
    assert "#theme-" not in highest.get(SEARCH, {"q": "dark"}).content.decode()
    assert "Nothing was found." in highest.get(SEARCH, {"q": "zzzz"}).content.decode()
    assert "data-told" not in highest.get(SEARCH).content.decode()


def test_a_query_that_finds_nothing_is_corrected(highest, monkeypatch):
    ContentFactory(title="Boats & bridges")
    follow()
    assert results(highest, "boast brigdes") == {MEANT: [("boats bridges", f"{SEARCH}?q=boats%20bridges")]}
    assert "<mark>Boats</mark>" in highest.get(f"{SEARCH}?q=boats%20bridges").content.decode()
    assert results(highest, "xyzzyx") == {}

    def fail(*_given):
        raise DatabaseError("away")

    monkeypatch.setattr("contents.admin.hits.correction", fail)
    assert results(highest, "boast") == {}


def test_a_kind_that_fails_leaves_the_others(highest, monkeypatch):
    ContentFactory(title="Boats")

    def fail(*_given):
        raise DatabaseError("away")

    monkeypatch.setattr("channels_app.admin.hits.channels", fail)
    answer = highest.get(SEARCH, {"q": "boats"}).content.decode()
    assert "This cannot be searched right now." in answer and "<mark>Boats</mark>" in answer


HOSTILE = {
    "long": "x" * 10_000,
    "many words": "boat " * 2_000,
    "quotes": "\"'`’“ ';--",
    "operators": 'AND OR NOT "* : ^ - + ( ) & | ! <->',
    "wildcards": "% _ \\ *",
    "emoji": "🚢🏴‍☠️",
    "right to left": "\u202eabc מזח",
    "Han": "港",
    "surrogate": "\ud800",
    "controls": "\x01\x1f\x7f",
    "markup": "<script>alert(1)</script>",
    "template": "{{ request }}",
    "regular expression": "(((((a+)+)+)+$",
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE.keys())
def test_takes_any_text(highest, query):
    ContentFactory(title="港 boat")
    follow()
    for part in ({"part": ""}, {}):
        answer = highest.get(f"{SEARCH}?{urlencode({'q': query} | part, errors='surrogatepass')}")
        assert answer.status_code == 200
        assert "<script>alert" not in answer.content.decode()


# ---- Whose results


def listed(client, label, query):
    """The records that the list of the page has, by address; empty if it is closed."""
    page = admin.site.get_model_admin(apps.get_model(label))
    answer = client.get(address_of(page), {"q": query})
    if answer.status_code != 200 or "cl" not in (answer.context or {}):
        return set()
    return {address_of(page, "change", row.pk) for row in answer.context["cl"].result_list}


def check(client):
    """The results are those of the lists, the menu, and what may be added to; the addresses open."""
    queries = ("own", "other", "foreign", "colleague", "reader", "add", "rows", "file", "template")
    seen = set()
    for query in queries:
        found = results(client, query)
        assert set(found) <= set(GROUPS)
        for group, labels in LISTS.items():
            wanted = set().union(*(listed(client, label, query) for label in labels))
            got = {address for _title, address in found.get(group, [])}
            assert got <= wanted and len(got) == min(len(wanted), 5), (query, group, got, wanted)
        for group in found:
            for _title, address in found[group]:
                if not address.startswith("#theme-"):
                    seen.add(address)
    for address in seen:
        assert client.get(address).status_code == 200, address
    entries = set(menu(client).links)
    for title in ("Contents", "Users", "Media", "My drafts", "Trash", "Site settings", "Audit", "Templates"):
        of_menu = {address for _title, address in results(client, title).get("Pages", [])}
        assert of_menu <= entries, title
    return seen


@shared_world
def world():
    made = World()
    follow()
    return made


@shared_world
def world_of_roles():
    made = WorldOfRoles()
    follow()
    return made


@pytest.mark.parametrize("rank", [rank for rank in RANKS if rank not in {"locked", "signed out"}])
def test_each_rank_finds_what_its_lists_show(world, rank):
    seen = check(world.browser(rank))
    assert bool(seen) == (rank != "no groups")


@pytest.mark.parametrize(("role", "place"), WHO)
def test_each_role_finds_what_its_lists_show(world_of_roles, role, place):
    assert check(world_of_roles.browser(role, place))


def corrections(client):
    """The words that are offered for some misspelled ones; each finds something in the list of contents."""
    found = set()
    for word, misspelled in (("other", "othre"), ("foreign", "foriegn"), ("changed", "chagned")):
        meant = [title for title, _address in results(client, misspelled).get(MEANT, [])]
        assert meant == ([word] if listed(client, "contents.content", word) else []), misspelled
        found.update(meant)
    return found


@pytest.mark.parametrize("rank", [rank for rank in RANKS if rank not in {"locked", "signed out"}])
def test_each_rank_is_offered_only_words_that_its_list_finds(world, rank):
    assert bool(corrections(world.browser(rank))) == (rank != "no groups")


def test_roles_are_offered_only_words_of_their_places(world_of_roles):
    offered = {where: corrections(world_of_roles.browser(role, where)) for role, where in WHO}
    assert offered == {
        EVERYWHERE: {"other", "foreign", "changed"},
        SITE: {"other", "changed"},
        BRANCH: {"changed"},
    }


def test_a_person_of_a_branch_adds_only_there():
    channel = ChannelFactory(channel_name="Boats")
    ChannelFactory(site=channel.site, channel_name="Boats of others")
    closed = ChannelFactory(parent=channel, channel_name="Boats closed", settings={"isContentAddable": False})
    author = administrator_with("contents.add_content", "contents.view_content")
    GroupPlace.objects.create(group=author.groups.get(), site_id=channel.site_id, channel_id=channel.pk)
    client = Client()
    client.force_login(Administrator.objects.get(pk=author.pk))
    assert titles(client, "add boats", "Commands") == ["Add content in “Boats”"]
    assert closed.pk and titles(client, "rows", "Settings") == []


def test_names_of_channels_above_a_branch_are_not_shown(highest):
    above = ChannelFactory(channel_name="Secret plans")
    branch = ChannelFactory(parent=above, channel_name="Boats")
    viewer = administrator_with("channels_app.view_channel")
    GroupPlace.objects.create(group=viewer.groups.get(), site_id=branch.site_id, channel_id=branch.pk)
    client = Client()
    client.force_login(Administrator.objects.get(pk=viewer.pk))
    told = [b"Secret" in each.get(SEARCH, {"q": "boats", "part": ""}).content for each in (highest, client)]
    assert told == [True, False] and titles(client, "boats", "Channels") == ["Boats"]


def test_settings_need_the_right_in_the_current_site():
    sites = [SiteFactory(), SiteFactory()]
    viewer = administrator_with("cms_sites.view_site")
    GroupPlace.objects.create(group=viewer.groups.get(), site_id=sites[0].pk, channel_id=0)
    client = Client()
    client.force_login(Administrator.objects.get(pk=viewer.pk))
    # Only the form has fields.
    assert results(client, "rows per page", **{SITE_COOKIE: str(sites[1].pk)}) == {
        "Settings": [("Rows per page", f"/admin/cms_sites/site/{sites[0].pk}/change/")]
    }


def test_needs_to_be_signed_in(client):
    assert client.get(SEARCH, {"q": "a"}).status_code == 302
