"""robots.txt and sitemap.xml of a site."""

import re
from datetime import datetime
from itertools import chain
from xml.etree import ElementTree

import pytest

from channels_app.models import LinkType
from pages import content_resolver, sitemaps
from pages.models import TemplateKind
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.sites import make_site, store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]


@pytest.fixture
def site():
    return make_site(site_dir="museum")


def read(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/xml"
    body = answer.getvalue().decode()
    ElementTree.fromstring(body)
    return body


def addresses(client, path):
    return re.findall("<loc>(.*?)</loc>", read(client, path))


def test_robots_names_the_sitemap(client, site):
    answer = client.get("/museum/robots.txt")
    assert answer.content.decode() == "User-agent: *\nAllow: /\nSitemap: http://testserver/museum/sitemap.xml\n"
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"


def test_a_site_may_have_its_own(client, site):
    store(site, "robots.txt")
    store(site, "sitemap.xml")
    assert client.get("/museum/robots.txt").getvalue() == b"stored"
    assert client.get("/museum/sitemap.xml").getvalue() == b"stored"


@pytest.mark.parametrize("rule", ["", "/{@title}/{@contentId}.html"])
def test_a_sitemap_lists_pages_and_nothing_else(client, site, rule):
    channel = ChannelFactory(site=site, channel_file_path_rule="/ä & b/{@channelId}.html", content_file_path_rule=rule)
    ChannelFactory(site=site, link_url="https://elsewhere.example/")
    ChannelFactory(site=site, link_type=LinkType.NO_LINK)
    without = ChannelFactory(site=site, settings={"isChannelCreatable": False, "isContentCreatable": False})
    changed = datetime(2024, 5, 6, 7)
    content = ContentFactory(channel=channel, is_checked=True, title="a&b", last_edit_date=changed)
    ContentFactory(channel=channel)
    ContentFactory(channel=channel, is_checked=True, link_url="@/x.html")
    ContentFactory(channel=channel, is_checked=True, reference_id=content.pk)
    ContentFactory(channel=channel, is_checked=True, trashed_at=changed)
    ContentFactory(channel=without, is_checked=True)
    page = f"a%26b/{content.pk}.html" if rule else f"contents/{channel.pk}/{content.pk}.html"
    assert addresses(client, "/museum/sitemap.xml") == [
        "http://testserver/museum/index.html",
        f"http://testserver/museum/%C3%A4%20%26%20b/{channel.pk}.html",
        f"http://testserver/museum/{page}",
    ]
    assert f"{page}</loc><lastmod>2024-05-06</lastmod></url>" in read(client, "/museum/sitemap.xml")


def test_each_url_of_a_sitemap_is_a_page(client, site):
    channel = ChannelFactory(site=site, channel_file_path_rule="/ä & b/{@channelId}.html")
    ContentFactory(channel=channel, is_checked=True)
    found = addresses(client, "/museum/sitemap.xml")
    assert len(found) == 3
    for address in found:
        assert client.get(address.removeprefix("http://testserver")).status_code == 200


def test_a_large_sitemap_has_parts(client, site, monkeypatch):
    monkeypatch.setattr(sitemaps, "MAX_URLS", 3)
    monkeypatch.setattr(content_resolver, "_CHUNK", 2)
    channels = [ChannelFactory(site=site) for _ in range(3)]
    contents = [ContentFactory(channel=channels[0], is_checked=True) for _ in range(6)]
    parts = addresses(client, "/museum/sitemap.xml")
    assert parts == [f"http://testserver/museum/sitemap-{number}.xml" for number in (1, 2, 3, 4)]
    found = [addresses(client, part.removeprefix("http://testserver")) for part in parts]
    assert [len(part) for part in found] == [3, 3, 3, 1]
    expected = ["index.html", *(f"channels/{one.pk}.html" for one in channels)]
    expected += [f"contents/{one.channel_id}/{one.pk}.html" for one in contents]
    assert [*chain(*found)] == [f"http://testserver/museum/{path}" for path in expected]
    for wrong in ("sitemap-0.xml", "sitemap-5.xml"):
        assert client.get(f"/museum/{wrong}").status_code == 404


def test_head_sends_no_body(client, site):
    answer = client.head("/museum/sitemap.xml")
    assert (answer.status_code, answer.getvalue()) == (200, b"")


def test_a_site_without_an_index_template_does_not_list_its_index_page(client, site):
    site.templates.filter(kind=TemplateKind.INDEX).delete()
    assert addresses(client, "/museum/sitemap.xml") == []


def test_a_sitemap_lists_file_templates_that_are_read(client, site):
    for path, text in {
        "zh/index.html": "<h1>{channel.title}</h1>",
        "404.html": "not there",
        "search.html": "<input value='{request.word}'>",
        "data.json": "{}",
    }.items():
        site.templates.create(kind=TemplateKind.FILE, name=path, page_path=path, text=text)
    base = "http://testserver/museum"
    assert addresses(client, "/museum/sitemap.xml") == [f"{base}/index.html", f"{base}/zh/index.html"]
