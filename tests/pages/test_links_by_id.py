"""Pages write the current address of a record in place of a link to it by id (`@/_content/61`)."""

import re
from html import escape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from channels_app.record_links import with_current_addresses
from channels_app.tree import read_tree
from contents.models import Content, ContentBody
from contents.services.moving import move_contents
from contents.services.single import trash_contents
from contents.storing.locking import Seen, accepted
from core.lib.media_storage import REVALIDATED
from pages.models import TemplateKind
from sites.services import change_site
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.exporting import Exported
from tests.pages.showing import Museum
from tests.pages.sites import make_template

pytestmark = pytest.mark.django_db
BODY = "<stl:content type='content'></stl:content>"


@pytest.fixture
def museum():
    museum = Museum()
    make_template(museum.site, TemplateKind.CONTENT, is_default=True, text=BODY)
    return museum


@pytest.fixture
def linking(museum):
    """An approved content with a link to the first one."""
    return write(museum, f'<p>See <a class="x" href="@/_content/{museum.contents[0].pk}#end">the first</a>.</p>')


def write(museum, body):
    content = ContentFactory(channel=museum.about, is_checked=True)
    ContentBody.objects.update_or_create(content=content, defaults={"text": body})
    return content


def page_of(content):
    return f"/museum/contents/{content.channel_id}/{content.pk}.html"


def target_in(client, linking):
    """The target of the only link of the page as a visitor gets it; None without one."""
    html = client.get(page_of(linking)).content.decode()
    (link,) = re.findall(r"<a\b[^>]*>", html)
    found = re.search('href="([^"]*)"', link)
    return found and found[1]


def resolved(museum, html):
    return with_current_addresses(html, read_tree(museum.site.pk))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<a href="@/_content/{id}">x</a>', '<a href="{page}">x</a>'),
        ("<a href='/museum/_content/{id}?a=1#b'>x</a>", "<a href='{page}?a=1#b'>x</a>"),
        ("<a id=1 HREF = /museum/_content/{id}>x</a>", "<a id=1 HREF = {page}>x</a>"),
        ("<a href=@/_content/{id}#b>x</a>", "<a href={page}#b>x</a>"),
        ("&lt;a href=&quot;/museum/_content/{id}&quot;&gt;", "&lt;a href=&quot;{page}&quot;&gt;"),
        (r'"<a href=\"/museum/_content/{id}\">"', r'"<a href=\"{page}\">"'),
        ('<a href="@/_channel/{channel}">x</a>', '<a href="/museum/channels/{channel}.html">x</a>'),
        ('<a href="@/_channel/{home}">x</a>', '<a href="/museum/index.html">x</a>'),
        # Nothing that visitors see: the text stays.
        ('<a class="y" href="@/_content/9999">x</a>', '<a class="y">x</a>'),
        ('<a href="@/_content/9223372036854775807">x</a>', "<a>x</a>"),
        ('<a href="@/_content/9999999999999999999">x</a>', "<a>x</a>"),
        ('<a href="@/_channel/9999">x</a>', "<a>x</a>"),
        # No links by id of this site.
        ('<a href="/_content/{id}">x</a>', None),
        ('<a href="/other/_content/{id}">x</a>', None),
        ('<a href="https://example.com/museum/_content/{id}">x</a>', None),
        ('<a href="@/_content/0{id}">x</a>', None),
        ('<a href="@/_content/{id}.html">x</a>', None),
        ('<a href="@/_content/{id}/x">x</a>', None),
        ('<a href="@/_content/99999999999999999999">x</a>', None),
        ('<a href="@/_content/-1">x</a>', None),
        ('<a href="javascript:@/_content/{id}">x</a>', None),
        ("<p>@/_content/{id}</p>", None),
        ('<a data-href="@/_content/{id}">x</a>', None),
    ],
)
def test_links_by_id_become_current_addresses(museum, text, shown):
    first = museum.contents[0]
    names = {"id": first.pk, "page": page_of(first), "channel": museum.news.pk, "home": museum.home.pk}

    def filled(pattern):
        return re.sub(r"\{(\w+)\}", lambda name: str(names[name[1]]), pattern)

    assert resolved(museum, filled(text)) == filled(text if shown is None else shown)


def test_addresses_are_escaped_as_the_text_around_them(museum):
    first = museum.contents[0]
    Content.objects.filter(pk=first.pk).update(link_url="https://example.com/?a=1&b='2'")
    written = escape("https://example.com/?a=1&b='2'")
    assert resolved(museum, f'<a href="@/_content/{first.pk}">') == f'<a href="{written}">'
    assert (
        resolved(museum, f"&lt;a href=&quot;@/_content/{first.pk}&quot;") == f"&lt;a href=&quot;{escape(written)}&quot;"
    )


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,x"]
)
def test_a_stored_address_that_runs_scripts_is_no_target(museum, link):
    first = museum.contents[0]
    Content.objects.filter(pk=first.pk).update(link_url=link)
    assert resolved(museum, f'<a href="@/_content/{first.pk}">') == "<a>"


def test_records_of_other_sites_are_no_targets(museum):
    other = ContentFactory(channel=ChannelFactory(site=SiteFactory()), is_checked=True)
    html = f'<a href="@/_content/{other.pk}">x</a><a href="@/_channel/{other.channel_id}">y</a>'
    assert resolved(museum, html) == "<a>x</a><a>y</a>"


def test_only_pages_with_links_read_their_targets(museum, linking, django_assert_num_queries):
    tree, first, second = read_tree(museum.site.pk), *museum.contents[:2]
    with django_assert_num_queries(0):
        with_current_addresses('<a href="@/x.html">x</a>', tree)
    with django_assert_num_queries(0):
        with_current_addresses(f'<a href="@/_channel/{museum.news.pk}">x</a>', tree)
    resolved(museum, f'<a href="@/_content/{first.pk}"></a>')  # reads the rules of the site
    with django_assert_num_queries(1):
        with_current_addresses(f'<a href="@/_content/{first.pk}"></a><a href="@/_content/{second.pk}"></a>', tree)
    plain = write(museum, "<p>No link</p>")
    counts = []
    for content in (plain, linking):
        museum.show(BODY, content=content)
        with CaptureQueriesContext(
            connection,
        ) as counted:
            museum.show(BODY, content=content)
        counts.append(len(counted))
    assert counts[1] == counts[0] + 1


# ---- pages


def test_a_page_links_to_the_new_address_at_once(api, client, museum, linking):
    first = museum.contents[0]
    assert target_in(client, linking) == f"{page_of(first)}#end"
    # Another channel.
    accepted(move_contents([Seen(first.site_id, first.pk)], museum.reports.pk))
    assert target_in(client, linking) == f"/museum/contents/{museum.reports.pk}/{first.pk}.html#end"
    # Another rule, and a title in it.
    museum.site.refresh_from_db()
    museum.site.settings = museum.site.settings | {"contentFilePathRule": "/{@channelName}/{@title}.html"}
    change_site(museum.site)
    linking_page = f"/museum/About/{linking.title}.html"
    assert b'href="/museum/Reports/First.html#end"' in client.get(linking_page).content
    answer = api.put(f"/api/v1/contents/{first.site_id}/{museum.reports.pk}/{first.pk}", {"title": "Launch"})
    assert answer.status_code == 200
    assert b'href="/museum/Reports/Launch.html#end"' in client.get(linking_page).content
    # Another name of its channel.
    answer = api.put(f"/api/v1/channels/{first.site_id}/{museum.reports.pk}", {"channelName": "Notes"})
    assert answer.status_code == 200
    assert b'href="/museum/Notes/Launch.html#end"' in client.get(linking_page).content


def test_what_visitors_cannot_see_is_not_linked_to(client, museum, linking):
    first = museum.contents[0]
    assert target_in(client, linking)
    Content.objects.filter(pk=first.pk).update(is_checked=False)
    assert target_in(client, linking) is None
    Content.objects.filter(pk=first.pk).update(is_checked=True)
    assert target_in(client, linking)
    accepted(trash_contents([Seen(first.site_id, first.pk)]))
    assert target_in(client, linking) is None


def test_texts_of_channels_and_fields_link_by_id_too(museum):
    first = museum.contents[0]
    museum.news.content = f'<a href="@/_content/{first.pk}">x</a>'
    museum.news.save()
    assert page_of(first) in museum.show("<stl:channel type='content'></stl:channel>", museum.news)
    first.summary = f'<a href="@/_channel/{museum.about.pk}">x</a>'
    first.save()
    shown = museum.show("<stl:content type='summary'></stl:content>", content=first)
    assert shown == f'<a href="/museum/channels/{museum.about.pk}.html">x</a>'


def test_exported_pages_have_current_addresses(museum, linking, tmp_path):
    exported = Exported(tmp_path, museum.site)
    exported.run()
    first, path = museum.contents[0], page_of(linking).removeprefix("/museum")
    assert f'href="{page_of(first)}#end"'.encode() in exported.files[path]
    accepted(move_contents([Seen(first.site_id, first.pk)], museum.reports.pk))
    exported.run()
    assert f'href="/museum/contents/{museum.reports.pk}/{first.pk}.html#end"'.encode() in exported.files[path]


def test_the_plain_preview_has_current_addresses(client, museum, linking):
    client.force_login(AdministratorFactory(is_superuser=True))
    shown = client.get(reverse("admin:contents_content_shown", args=[linking.pk])).content.decode()
    assert f'href="{page_of(museum.contents[0])}#end"' in shown


def test_stl_shows_links_as_pages_do_and_the_api_shows_them_as_stored(api, museum, linking):
    first = museum.contents[0]
    value = api.get(f"/api/v1/stl/content?siteId={museum.site.pk}&contentId={linking.pk}&type=content").json()["value"]
    assert f'href="{page_of(first)}#end"' in value
    stored = api.get(f"/api/v1/contents/{museum.site.pk}/{linking.channel_id}/{linking.pk}").json()["value"]
    assert f'href="@/_content/{first.pk}#end"' in stored["content"]
    museum.news.content = f'<a href="@/_content/{first.pk}">x</a>'
    museum.news.save()
    value = api.get(f"/api/v1/stl/channel?siteId={museum.site.pk}&channelId={museum.news.pk}&type=content").json()[
        "value"
    ]
    assert value == f'<a href="{page_of(first)}">x</a>'


# ---- the address itself


@pytest.mark.parametrize("kind", ["_content", "_channel"])
def test_the_address_redirects_to_the_current_page(client, museum, kind):
    first = museum.contents[0]
    pk, page = (
        (first.pk, page_of(first))
        if kind == "_content"
        else (museum.news.pk, f"/museum/channels/{museum.news.pk}.html")
    )
    answer = client.get(f"/museum/{kind}/{pk}")
    assert (answer.status_code, answer.headers["Location"]) == (302, page)
    assert answer.headers["Cache-Control"] == REVALIDATED


def test_addresses_of_hidden_records_are_missing_as_unknown_ones(client, museum):
    first, other = museum.contents[0], ContentFactory(is_checked=True)
    Content.objects.filter(pk=first.pk).update(is_checked=False)
    unknown = client.get("/museum/_content/999999")
    assert unknown.status_code == 404
    for path in (
        f"_content/{first.pk}",
        f"_content/{other.pk}",
        f"_channel/{other.channel_id}",
        f"_content/{'9' * 19}",
    ):
        answer = client.get(f"/museum/{path}")
        assert (answer.status_code, answer.content) == (404, unknown.content)


def test_a_record_that_leads_to_itself_is_missing(client, museum):
    first = museum.contents[0]
    Content.objects.filter(pk=first.pk).update(link_url=f"@/_content/{first.pk}")
    assert client.get(f"/museum/_content/{first.pk}").status_code == 404


def test_hostile_texts_take_no_long_time(museum):
    for text in (" href=" * 100_000, ' href="@/_content/1' * 20_000, " href" + " " * 200_000, "/_content/1" * 50_000):
        resolved(museum, f"{text} /_content/")


def test_an_address_with_blanks_adds_no_attribute_to_an_unquoted_link(museum):
    target = museum.contents[0]
    Content.objects.filter(pk=target.pk).update(link_url="https://x.example/ onmouseover=alert(1)")
    shown = resolved(museum, f"<a href=@/_content/{target.pk}>x</a>")
    assert shown == "<a href=https://x.example/%20onmouseover=alert(1)>x</a>"
