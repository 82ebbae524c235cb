"""Pages of sites over HTTP: what they are, how caches may keep them, and where other addresses lead."""

import logging
from contextlib import contextmanager
from hashlib import sha256
from itertools import pairwise

import pytest
from django.db import DatabaseError

from channels_app.models import Channel, LinkType
from core.lib.statement_limit import TooSlow
from pages import content_resolver, views
from pages.models import TemplateKind
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site, make_template, store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]

SANDBOX = "sandbox allow-scripts allow-forms allow-popups"


@pytest.fixture
def site():
    return make_site(site_dir="museum")


def test_a_page_with_its_headers(client, site, rendered):
    answer = client.get("/museum/index.html?a=1&b=2&a=3")
    content = f"IndexPageTemplate {site.pk} 0 1 ".encode()
    assert answer.status_code == 200
    assert answer.content == content
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    assert headers == {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(content)),
        "ETag": f'"{sha256(content).hexdigest()[:32]}"',
        "Cache-Control": "public, max-age=0, must-revalidate",
        "Content-Security-Policy": SANDBOX,
        "Access-Control-Allow-Origin": "*",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    (request,) = rendered
    assert request.query == {"a": "3", "b": "2"}
    assert request.url == "/museum/index.html"


def test_the_page_of_a_content(client, site, rendered):
    content = ContentFactory(channel=ChannelFactory(site=site), is_checked=True)
    site.templates.filter(kind=TemplateKind.CONTENT).update(text="3")
    answer = client.get(f"/museum/contents/{content.channel_id}/{content.pk}_3.html")
    assert answer.content.decode() == f"ContentTemplate {content.channel_id} {content.pk} 3 3"
    assert rendered[0].url == f"/museum/contents/{content.channel_id}/{content.pk}.html"
    assert client.get(f"/museum/contents/{content.channel_id}/{content.pk}_4.html").status_code == 404


def test_a_folder_has_the_path_of_its_page(client, site, rendered):
    assert client.get("/museum/").status_code == 200
    assert rendered[0].url == "/museum/index.html"


def test_the_folder_of_a_site_is_found_in_any_letter_case(client, site, rendered):
    assert client.get("/Museum/index.html").status_code == 200
    assert rendered[0].url == "/museum/index.html"


def test_head_is_get_without_the_body(client, site):
    got, head = client.get("/museum/"), client.head("/museum/")
    assert head.content == b""
    ignored = {"X-Request-Id"}
    assert {k: v for k, v in head.headers.items() if k not in ignored} == {
        k: v for k, v in got.headers.items() if k not in ignored
    }


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch", "options"])
def test_other_methods_are_405(client, site, method):
    answer = getattr(client, method)("/museum/index.html")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"


def test_a_known_page_is_304_until_it_changes(client, site):
    etag = client.get("/museum/").headers["ETag"]
    answer = client.get("/museum/", headers={"If-None-Match": f'W/{etag}, "x"'})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["ETag"] == etag
    assert answer.headers["Content-Security-Policy"] == SANDBOX
    assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    site.templates.filter(kind=TemplateKind.INDEX).update(text="changed")
    assert client.get("/museum/", headers={"If-None-Match": etag}).status_code == 200


def test_a_page_sets_no_cookie_and_reads_none(client, site, django_assert_num_queries):
    client.get("/museum/")  # fills caches
    with django_assert_num_queries(1) as stranger:
        answer = client.get("/museum/")
    client.force_login(AdministratorFactory())
    with django_assert_num_queries(1):
        signed_in = client.get("/museum/")
    assert not any("session" in query["sql"] for query in stranger.captured_queries)
    assert answer.content == signed_in.content
    assert not answer.cookies and not signed_in.cookies
    assert "Vary" not in answer.headers


def test_secrets_are_taken_out_of_the_query(client, site, rendered):
    client.get("/museum/?apiKey=ssk1_x&word=a")
    assert rendered[0].query == {"word": "a"}


def test_a_template_makes_the_type_of_its_page(client, site):
    make_template(site, TemplateKind.FILE, name="feed", page_path="rss.xml")
    make_template(site, TemplateKind.FILE, name="data", page_path="data.json")
    assert client.get("/museum/rss.xml").headers["Content-Type"] == "application/xml"
    assert client.get("/museum/data.json").headers["Content-Type"] == "application/json"
    assert client.get("/museum/rss.xml").headers["Content-Security-Policy"] == SANDBOX


# ---- addresses without a page


def test_an_unknown_address_is_404(client, site):
    answer = client.get("/museum/none.html")
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    assert b"Not Found" in answer.content
    assert b"/admin" not in answer.content


def test_a_site_may_have_a_page_for_unknown_addresses(client, site, rendered):
    make_template(site, TemplateKind.FILE, name="lost", page_path="404.html")
    answer = client.get("/museum/none/x")
    assert answer.status_code == 404
    assert answer.content.decode() == f"lost {site.pk} 0 1 "
    assert rendered[-1].url == "/museum/404.html"
    assert answer.headers["Content-Security-Policy"] == SANDBOX
    assert "ETag" not in answer.headers
    assert b"lost" in client.get("/museum/index_7.html").content
    # A picture that is missing costs little.
    assert b"lost" not in client.get("/museum/none.png").content
    assert client.get("/museum/404.html").status_code == 200


def test_a_channel_that_leads_elsewhere_redirects(client, site):
    channel = ChannelFactory(site=site, link_url="https://elsewhere.example/ä?x=1")
    answer = client.get(f"/museum/channels/{channel.pk}.html")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "https://elsewhere.example/%C3%A4?x=1"
    assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"


def test_the_folder_redirects_to_its_slash(client, site):
    answer = client.get("/museum")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/museum/")


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.example", "https://[x"])
def test_a_link_that_is_no_web_address_is_404(client, site, link):
    channel = ChannelFactory(site=site)
    Channel.objects.filter(pk=channel.pk).update(link_url=link)
    assert client.get(f"/museum/channels/{channel.pk}.html").status_code == 404


def test_redirects_never_go_round_in_a_circle(client, site):
    other = make_site(site_dir="other")
    first, second = ChannelFactory(site=site), ChannelFactory(site=other, link_url="")
    Channel.objects.filter(pk=first.pk).update(link_url=f"/other/channels/{second.pk}.html")
    path = f"/museum/channels/{first.pk}.html"
    assert client.get(path).headers["Location"] == f"/other/channels/{second.pk}.html"
    Channel.objects.filter(pk=second.pk).update(link_url=f"http://testserver{path}#x")
    assert client.get(path).status_code == 404
    assert client.get(f"/other/channels/{second.pk}.html").status_code == 404


def test_a_chain_of_redirects_ends(client, site):
    channels = [ChannelFactory(site=site) for _ in range(12)]
    for one, following in pairwise(channels):
        link = f"@/channels/{following.pk}.html"
        Channel.objects.filter(pk=one.pk).update(link_url=link)
    assert client.get(f"/museum/channels/{channels[-3].pk}.html").status_code == 302
    assert client.get(f"/museum/channels/{channels[0].pk}.html").status_code == 404


def test_a_channel_without_contents_may_have_no_page(client, site):
    channel = ChannelFactory(site=site, link_type=LinkType.NO_LINK_IF_CONTENT_NOT_EXISTS)
    assert client.get(f"/museum/channels/{channel.pk}.html").status_code == 404
    ContentFactory(channel=channel, is_checked=True)
    assert client.get(f"/museum/channels/{channel.pk}.html").status_code == 200


# ---- errors


def test_an_error_of_a_template_is_500_without_details(client, site, caplog):
    site.templates.filter(kind=TemplateKind.INDEX).update(text="fail")
    answer = client.get("/museum/")
    assert answer.status_code == 500
    assert b"secret" not in answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info[0] is ZeroDivisionError
    assert "/museum/" in record.getMessage()


def test_a_slow_look_up_is_503(client, monkeypatch):
    @contextmanager
    def limit(*_):
        yield
        raise TooSlow

    monkeypatch.setattr(content_resolver, "statement_limit", limit)
    make_site(site_dir="slow", settings={"contentFilePathRule": "/{@title}.html"})
    answer = client.get("/slow/unknown.html")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")


def test_a_fault_of_the_database_is_503(client, site, monkeypatch):
    def fail(_place):
        raise DatabaseError("secret")

    monkeypatch.setattr(views, "addresses_of", fail)
    monkeypatch.setattr(views, "database_refusal", lambda error, _request: error)
    answer = client.get("/museum/")
    assert answer.status_code == 503
    assert b"secret" not in answer.content
    assert answer.headers["Retry-After"] == "1"


def test_a_query_with_a_nul_character_is_400(client, site):
    assert client.get("/museum/?word=%00").status_code == 400


@pytest.mark.parametrize("path", ["*", "/museum/\0.html", "/museum\0", "//", "/" + "x/" * 500])
def test_odd_paths_are_404(client, site, path):
    assert client.generic("GET", "/", PATH_INFO=path).status_code == 404


def test_a_link_with_a_nul_character_leads_nowhere(client, site):
    channel = ChannelFactory(site=site)
    Channel.objects.filter(pk=channel.pk).update(link_url="/museum/%00.html")
    assert client.get(f"/museum/channels/{channel.pk}.html").status_code == 302


def test_a_foreign_host_is_400(client, site, settings):
    settings.ALLOWED_HOSTS = ["localhost"]
    answer = client.get("/museum/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil" not in answer.content


def test_plain_http_is_redirected_if_the_service_uses_https(client, site, settings):
    settings.SECURE_SSL_REDIRECT = True
    answer = client.get("/museum/")
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://testserver/museum/")


# ---- sites without templates, and the service's own addresses


def test_a_site_without_templates_has_no_pages(client):
    site = SiteFactory(site_dir="bare")
    store(site, "upload/a.svg")
    assert client.get("/bare/").status_code == 404
    assert client.get("/bare/index.html").status_code == 404
    assert client.get("/bare/robots.txt").status_code == 404
    file = client.get("/bare/upload/a.svg")
    assert file.getvalue() == b"stored"
    assert file.headers["Content-Type"] == "application/octet-stream"


def test_the_site_with_the_longest_web_address_counts(client, site):
    inner = make_site(site_dir="inner", parent=site)
    bare = SiteFactory(site_dir="bare", parent=site)
    assert str(inner.pk) in client.get("/museum/inner/").content.decode()
    assert client.get("/museum/bare/").status_code == 404
    assert bare.web_url == "/museum/bare"


def test_the_index_page_of_a_root_site_is_at_the_top(client):
    assert b"The service is ready." in client.get("/").content
    assert b"The service is ready." in client.get("/start/").content
    site = make_site(site_dir="", is_root=True)
    assert client.get("/").content.decode() == f"IndexPageTemplate {site.pk} 0 1 "
    assert b"The service is ready." in client.get("/start/").content
    assert client.get("/start").headers["Location"] == "/start/"


@pytest.mark.parametrize(
    "path", ["/admin/login/", "/api/v1/ping", "/api/docs/", "/docs/", "/static/none.css", "/media/x"]
)
def test_a_root_site_leaves_the_service_s_addresses_alone(client, path, rendered):
    before = client.get(path)
    site = make_site(site_dir="", is_root=True)
    ChannelFactory(site=site, file_path=path.lstrip("/"))
    after = client.get(path)
    assert (after.status_code, after.headers["Content-Type"]) == (before.status_code, before.headers["Content-Type"])
    assert not rendered


def test_a_root_site_has_a_404_page_for_the_rest(client):
    site = make_site(site_dir="", is_root=True)
    make_template(site, TemplateKind.FILE, name="lost", page_path="404.html")
    answer = client.get("/none")
    assert (answer.status_code, answer.content.decode()) == (404, f"lost {site.pk} 0 1 ")
