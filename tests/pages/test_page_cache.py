"""Whole pages are kept, and none is ever older than the last change of what it shows."""

import math
import time
from typing import Any, ClassVar

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Sum
from django.test import RequestFactory

from channels_app.models import Channel
from cms_api.wsgi import application
from contents.models import Content, ContentBody, ContentGroup, ContentPicture, ContentTag, CustomField
from core.audit.middleware import RequestMiddleware
from core.lib.arrival import ARRIVED_AT
from core.operation.logs.current import members_of, method_of, route_of
from core.operation.logs.middleware import MEMBERS
from pages import page_cache, rendering
from pages.cache_lifetime import LONG, NOT, SHORT
from pages.models import ContentsVersion, Template, TemplateKind
from pages.wsgi import ShortPath
from sites.models import FieldDefinition
from tests.counting import redis_server_of_one_test, started_redis_server  # noqa: F401
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.pages.showing import Museum
from tests.pages.sites import make_template

pytestmark = pytest.mark.django_db

INDEX = (
    "{stl.siteName}|<stl:contents scope='All'>{content.title} {content.summary}|</stl:contents>"
    "<stl:contents scope='All' group='news'>g</stl:contents><stl:tags>{tag.name}</stl:tags>"
)
CONTENT = (
    "{content.title}|{content.body}<stl:content type='content'></stl:content>"
    "<stl:each type='photo'>{photo.largeUrl}</stl:each>{content.mood}"
)


@pytest.fixture
def museum():
    museum = Museum()
    make_template(museum.site, TemplateKind.INDEX, is_default=True, text=INDEX, page_path="index.html")
    make_template(museum.site, TemplateKind.CHANNEL, is_default=True, text="{channel.channelName}")
    make_template(museum.site, TemplateKind.CONTENT, is_default=True, text=CONTENT)
    first = museum.contents[0]
    first.group_name_collection, first.settings_xml = "news", '{"mood": "calm"}'
    first.save()
    return museum


@pytest.fixture
def renderings(monkeypatch, settings):
    """The pages that are rendered, by their address; Redis keeps none."""
    settings.CMS_CACHE_URL = ""
    rendered, render = [], rendering.render

    def note(request):
        rendered.append(request.url)
        return render(request)

    monkeypatch.setattr(rendering, "render", note)
    return rendered


def path_of(content):
    return f"/museum/contents/{content.channel_id}/{content.pk}.html"


def test_a_kept_page_is_the_same_page(client, museum, renderings, django_assert_num_queries):
    first = client.get("/museum/")
    with django_assert_num_queries(1):
        second = client.get("/museum/")
    assert renderings == ["/museum/index.html"]
    assert second.content == first.content
    ignored = {"X-Request-Id"}
    assert {k: v for k, v in second.items() if k not in ignored} == {k: v for k, v in first.items() if k not in ignored}
    assert client.get("/museum/", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert client.head("/museum/").headers["Content-Length"] == str(len(first.content))
    assert len(renderings) == 1


# What pages show, changed by any means but the services.
SHOWN = {
    "a title": lambda m: Content.objects.filter(pk=m.contents[0].pk).update(title="New"),
    "a title, by SQL": lambda m: write("UPDATE contents_content SET title = 'New' WHERE id = %s", m.contents[0].pk),
    "several titles": lambda m: Content.objects.update(title="New"),
    "a body": lambda m: ContentBody.objects.filter(pk=m.contents[0].pk).update(text="New"),
    "no body": lambda m: write("DELETE FROM contents_contentbody WHERE content_id = %s", m.contents[0].pk),
    "a picture": lambda m: ContentPicture.objects.create(content=m.contents[0], large_url="@/new.png"),
    "a new content": lambda m: ContentFactory(channel=m.news, is_checked=True),
    "an approval": lambda m: Content.objects.filter(pk=m.draft.pk).update(is_checked=True),
    "no approval": lambda m: Content.objects.filter(pk=m.contents[0].pk).update(is_checked=False),
    "another order": lambda m: Content.objects.filter(pk=m.contents[0].pk).update(taxis=99),
    "another channel": lambda m: Content.objects.filter(pk=m.contents[0].pk).update(channel=m.about),
    "the trash": lambda m: Content.objects.filter(pk=m.contents[0].pk).update(trashed_at="2026-01-31"),
    "a deletion": lambda m: delete(m.contents[0].pk),
    "a group": lambda m: ContentGroup.objects.update(group_name="renamed"),
    "a tag": lambda m: ContentTag.objects.filter(tag_name="crane").update(tag_name="renamed"),
    "no tag": lambda m: ContentTag.objects.filter(tag_name="crane").delete(),
    "a custom field": lambda m: CustomField.objects.create(site=m.site, name="Mood", folded_name="mood"),
    "a channel": lambda m: Channel.objects.filter(pk=m.news.pk).update(channel_name="New"),
    "a template": lambda m: Template.objects.filter(site=m.site).update(text="New"),
    "a kind of field": lambda m: FieldDefinition.objects.create(site=m.site, owner="site", name="A", folded_name="a"),
    "a setting": lambda m: type(m.site).objects.filter(pk=m.site.pk).update(site_name="New"),
}


def write(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def delete(pk):
    ContentBody.objects.filter(pk=pk).delete()
    write("DELETE FROM contents_content WHERE id = %s", pk)


def version(site):
    return ContentsVersion.objects.filter(site=site).aggregate(Sum("number"))["number__sum"]


@pytest.fixture
def with_draft(museum):
    museum.draft = ContentFactory(channel=museum.news, is_checked=False)
    return museum


@pytest.mark.parametrize("change", SHOWN)
def test_no_change_leaves_an_old_page(client, with_draft, renderings, change):
    paths = ["/museum/", path_of(with_draft.contents[0])]
    for path in [*paths, *paths]:
        client.get(path)
    assert len(renderings) == 2
    SHOWN[change](with_draft)
    for path in paths:
        client.get(path)
    gone = change in {"no approval", "another channel", "the trash", "a deletion"}
    assert len(renderings) == 3 if gone else 4
    status = 301 if change == "another channel" else 404 if gone else 200
    assert client.get(paths[1]).status_code == status


HIDDEN = {
    "a new draft": lambda m: ContentFactory(channel=m.news, is_checked=False, tags="other", content="x"),
    "a draft": lambda m: Content.objects.filter(pk=m.draft.pk).update(title="New"),
    "the body of a draft": lambda m: ContentBody.objects.filter(pk=m.draft.pk).update(text="New"),
    "a deleted draft": lambda m: delete(m.draft.pk),
    "hits": lambda m: Content.objects.update(hits=7, hits_by_day=1, last_hits_date="2026-01-31"),
    "the same title": lambda m: write("UPDATE contents_content SET title = title"),
    "another site": lambda m: ContentFactory(channel=ChannelFactory(site=SiteFactory()), is_checked=True),
}


@pytest.mark.parametrize("change", HIDDEN)
def test_what_no_page_shows_renews_nothing(with_draft, change):
    before = version(with_draft.site)
    HIDDEN[change](with_draft)
    assert version(with_draft.site) == before


def test_a_site_that_is_gone_has_no_number():
    site = SiteFactory()
    ContentsVersion.objects.create(site=site, number=1)
    write("DELETE FROM channels_app_channel WHERE site_id = %s", site.pk)
    write("DELETE FROM cms_sites_site WHERE id = %s", site.pk)
    assert not ContentsVersion.objects.filter(site_id=site.pk).exists()


@pytest.mark.skipif("connection.vendor != 'postgresql'")
@pytest.mark.django_db(transaction=True)
def test_writers_of_a_site_do_not_wait_for_each_other(museum):
    other = connection.copy()
    change = "UPDATE contents_content SET title = 'New' WHERE id = %s"
    before = version(museum.site)
    try:
        with other.cursor() as cursor:
            other.set_autocommit(False)
            cursor.execute(change, [museum.contents[0].pk])
            write("SET lock_timeout = '2s'")
            write(change, museum.contents[1].pk)
            between = version(museum.site)
            other.commit()
    finally:
        write("RESET lock_timeout")
        other.close()
    assert len({before, between, version(museum.site)}) == 3
    assert ContentsVersion.objects.filter(site=museum.site).count() == 2


# ---- queries


def test_a_page_that_reads_no_query_is_the_same_for_all(client, museum, renderings):
    for query in ("", "?x=1", "?x=2&word=a"):
        client.get(f"/museum/{query}")
    assert len(renderings) == 1


def test_a_page_that_reads_the_query_is_kept_by_query(client, museum, renderings):
    make_template(museum.site, TemplateKind.FILE, name="echo", page_path="echo.html", text="{request.word}")
    shown = [client.get(f"/museum/echo.html{query}").content for query in ("?word=a", "", "?word=b", "?word=a", "")]
    assert shown == [b"a", b"", b"b", b"a", b""]
    assert len(renderings) == 3


def test_queries_of_strangers_do_not_displace_pages(client, museum, renderings, monkeypatch):
    monkeypatch.setattr(page_cache, "_kept", page_cache.PageCache(64_000))
    make_template(museum.site, TemplateKind.FILE, name="echo", page_path="echo.html", text="{request.word}")
    client.get("/museum/")
    for number in range(100):
        client.get(f"/museum/echo.html?word={number}")
    renderings.clear()
    client.get("/museum/")
    client.get("/museum/echo.html?word=99")
    assert renderings == []
    client.get("/museum/echo.html?word=0")
    client.get(f"/museum/echo.html?word={'x' * 300}")
    client.get(f"/museum/echo.html?word={'x' * 300}")
    assert len(renderings) == 3


def test_a_page_larger_than_its_share_is_not_kept(client, museum, renderings, monkeypatch):
    monkeypatch.setattr(page_cache, "_kept", page_cache.PageCache(1000))
    client.get("/museum/")
    client.get("/museum/")
    assert len(renderings) == 2


# ---- what else a page may depend on

SECONDS = {
    "{content.title}<stl:contents></stl:contents>": LONG,
    "<stl:sites></stl:sites>": NOT,
    "<stl:site siteName='Other'></stl:site>": NOT,
    "<stl:sqlContents queryString='SELECT 1'></stl:sqlContents>": NOT,
    "<stl:contents order='Random'></stl:contents>": SHORT,
    "<stl:channels order='Random'></stl:channels>": SHORT,
    "<stl:contents order='Hits'></stl:contents>": SHORT,
    "<stl:contents where='hits > 1'></stl:contents>": SHORT,
    "{content.hits}": SHORT,
    "<stl:count since='3d'></stl:count>": SHORT,
    "<stl:if type='addDate' operator='greatThan' value='3d'>new</stl:if>": SHORT,
    "<stl:if type='addDate' operator='greatThan' value='2026-01-31'>new</stl:if>": LONG,
}


@pytest.mark.parametrize("text", SECONDS)
def test_a_page_is_kept_as_long_as_its_parts_allow(museum, text):
    page = museum.page(text, content=museum.contents[0], kind=TemplateKind.CONTENT)
    assert page.seconds == SECONDS[text]


def test_a_page_that_may_not_be_kept_is_rendered_each_time(client, museum, renderings):
    museum.site.templates.filter(kind=TemplateKind.INDEX).update(text="<stl:sites></stl:sites>")
    client.get("/museum/")
    client.get("/museum/")
    assert len(renderings) == 2


def test_a_page_ends_after_its_time(client, museum, renderings, monkeypatch):
    museum.site.templates.filter(kind=TemplateKind.INDEX).update(text="<stl:contents order='Random'></stl:contents>")
    client.get("/museum/")
    now = page_cache.monotonic()
    monkeypatch.setattr(page_cache, "monotonic", lambda: now + SHORT - 5)
    client.get("/museum/")
    assert len(renderings) == 1
    monkeypatch.setattr(page_cache, "monotonic", lambda: now + SHORT + 5)
    client.get("/museum/")
    assert len(renderings) == 2


# ---- the short path


@pytest.fixture
def ask(monkeypatch):
    """Asks the application as the server does; returns status, headers and body."""
    # Other tests have sites of the same numbers.
    monkeypatch.setattr(application, "_known", {})
    # The connection of the test's transaction stays open.
    monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", lambda connection: None)

    def ask(path, method="GET", arrived_at=math.inf, of=None, **headers):
        environ = RequestFactory().generic(method, path, headers=headers).environ | {ARRIVED_AT: arrived_at}
        started = []
        body = b"".join(application(environ, lambda *given: started.append(given)))
        if of:
            return of(environ)
        status, fields = started[0]
        return int(status[:3]), {name: value for name, value in fields if name != "X-Request-Id"}, body

    return ask


@pytest.fixture
def django_requests(monkeypatch):
    """The paths of requests that take the way through Django."""
    paths, call = [], RequestMiddleware.__call__

    def note(middleware, request):
        paths.append(request.path)
        return call(middleware, request)

    monkeypatch.setattr(RequestMiddleware, "__call__", note)
    return paths


@pytest.mark.parametrize("given", [{}, {"method": "HEAD"}, {"If-None-Match": "*"}])
def test_the_short_path_gives_the_same_response(ask, museum, django_requests, given):
    first = ask("/museum/", **given)
    assert django_requests == ["/museum/"]
    assert ask("/museum/", **given) == first
    assert django_requests == ["/museum/"]
    assert first[0] == (304 if "If-None-Match" in given else 200)
    assert first[1]["Content-Security-Policy"]


def test_the_short_path_shows_every_change(ask, museum, django_requests):
    for _ in range(2):
        ask("/museum/")
    Content.objects.filter(pk=museum.contents[0].pk).update(title="Changed by SQL")
    assert b"Changed by SQL" in ask("/museum/")[2]
    Template.objects.filter(site=museum.site).delete()
    assert ask("/museum/")[0] == 404


def test_the_short_path_notices_a_new_site_at_the_address(ask):
    root = SiteFactory(is_root=True, site_dir="")
    make_template(root, TemplateKind.FILE, name="root", page_path="other/index.html", text="root")
    for _ in range(2):
        assert ask("/other/")[2] == b"root"
    other = SiteFactory(site_dir="other")
    make_template(other, TemplateKind.INDEX, is_default=True, text="other", page_path="index.html")
    assert ask("/other/")[2] == b"other"


def test_the_short_path_notices_that_an_address_has_become_that_of_another_site(ask, museum):
    root = SiteFactory(is_root=True, site_dir="")
    make_template(root, TemplateKind.FILE, name="root", page_path="museum/index.html", text="root")
    for _ in range(2):
        assert ask("/museum/")[2] != b"root"
    type(museum.site).objects.filter(pk=museum.site.pk).update(site_dir="hall", web_url="/hall")
    for _ in range(2):
        assert ask("/museum/")[2] == b"root"


def test_the_short_path_asks_the_database_once(ask, museum, settings, django_assert_num_queries):
    settings.CMS_SITE_HOSTS = {"museum.example": "museum"}
    settings.ALLOWED_HOSTS = ["*"]
    for host in ("testserver", "museum.example"):
        for _ in range(2):
            assert ask("/museum/", Host=host)[0] == 200
        with django_assert_num_queries(1):
            ask("/museum/", Host=host)


def test_requests_that_waited_share_the_numbers_that_one_of_them_reads(ask, museum, django_assert_num_queries):
    ask("/museum/")
    waiting = time.monotonic()
    ask("/museum/")
    with django_assert_num_queries(0):
        kept = ask("/museum/", arrived_at=waiting)
    Content.objects.filter(pk=museum.contents[0].pk).update(title="Changed by SQL")
    assert ask("/museum/", arrived_at=waiting) == kept
    assert b"Changed by SQL" in ask("/museum/", arrived_at=time.monotonic())[2]


def test_the_short_path_leaves_refusals_to_django(ask, museum, settings, django_requests):
    for _ in range(2):
        ask("/museum/")
    assert ask("/museum/", method="POST")[0] == 405
    assert ask("/museum/", **{"If-Match": '"x"'})[0] == 412
    assert ask("/museum/?word=%00")[0] == 400
    assert ask("/museum/", Host="other.example")[0] == 400
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    for proto, expected in (("http", ["/museum/"]), ("https", []), ("http", ["/museum/"])):
        django_requests.clear()
        ask("/museum/", Host="testserver:80", **{"X-Forwarded-Proto": proto})
        assert django_requests == expected


def test_hosts_have_their_own_headers(ask, museum, settings):
    for _ in range(2):
        assert "Content-Security-Policy" in ask("/museum/")[1]
    settings.CMS_SITE_HOSTS = {"museum.example": "museum"}
    settings.ALLOWED_HOSTS = ["*"]
    for _ in range(2):
        status, headers, _ = ask("/museum/", Host="museum.example")
        assert (status, headers.get("Content-Security-Policy")) == (200, None)


class Watcher:
    """Middleware that notes what those for metrics and logs do."""

    seen: ClassVar[list[tuple[Any, ...]]] = []

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        assert members_of(request)["request"] == request.request_id
        self.seen.append((route_of(request), method_of(request), response.status_code, response.streaming))
        return response


@pytest.fixture
def watched(monkeypatch, settings):
    """Requests as metrics and logs record them, by the short path and through Django."""
    watching = [f"{__name__}.Watcher", "core.operation.logs.middleware.LogMiddleware"]
    settings.WATCHING_MIDDLEWARE = watching
    settings.MIDDLEWARE = [settings.MIDDLEWARE[0], *watching, *settings.MIDDLEWARE[1:]]
    monkeypatch.setattr(Watcher, "seen", [])
    monkeypatch.setattr(f"{__name__}.application", ShortPath(get_wsgi_application()))
    return Watcher.seen


@pytest.mark.parametrize("given", [{}, {"method": "HEAD"}, {"If-None-Match": "*"}])
def test_kept_pages_are_counted_and_logged_as_through_django(ask, museum, watched, django_requests, given):
    lines = []
    for _ in range(3):
        members = ask("/museum/", of=lambda environ: environ[MEMBERS], **given)
        assert len(members.pop("request")) == 24
        lines.append(members)
    assert lines[0]["route"] and lines[0]["method"] == given.get("method", "GET")
    assert lines[0] == lines[1] == lines[2]
    assert len(watched) == 3 and len(set(watched)) == 1
    assert django_requests == ["/museum/"]


def test_what_the_short_path_leaves_is_counted_once(ask, museum, watched):
    ask("/museum/")
    ask("/museum/none.html")
    ask("/api/v1/ping")
    assert [status for _, _, status, _ in watched] == [200, 404, 200]


# ---- Redis


@pytest.fixture
def in_redis(redis_server, settings, monkeypatch):
    """A process that shares Redis with others; calling it makes it another one."""
    settings.CMS_CACHE_URL = redis_server.url
    redis_server.client.flushdb()

    def begin():
        monkeypatch.setattr(page_cache, "_kept", page_cache.PageCache(10**7))

    begin()
    return begin


def test_processes_share_pages_in_redis(client, museum, renderings, in_redis):
    first = client.get("/museum/")
    in_redis()
    second = client.get("/museum/")
    assert (second.content, second.headers["ETag"]) == (first.content, first.headers["ETag"])
    assert len(renderings) == 1
    in_redis()
    Content.objects.filter(pk=museum.contents[0].pk).update(title="New")
    client.get("/museum/")
    assert len(renderings) == 2


def test_redis_keeps_no_page_of_a_query_and_knows_which_depend_on_it(client, museum, renderings, in_redis):
    make_template(museum.site, TemplateKind.FILE, name="echo", page_path="echo.html", text="{request.word}")
    client.get("/museum/echo.html")
    in_redis()
    client.get("/museum/echo.html")
    assert client.get("/museum/echo.html?word=a").content == b"a"
    in_redis()
    client.get("/museum/echo.html?word=a")
    assert len(renderings) == 3


def test_pages_are_served_while_redis_is_gone(client, museum, renderings, in_redis, redis_server):
    redis_server.kill()
    assert client.get("/museum/").status_code == 200
    assert client.get("/museum/").status_code == 200
    assert len(renderings) == 1
