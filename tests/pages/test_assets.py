"""Files of a site with templates: style sheets, scripts, fonts and pictures beside its uploads."""

import pytest

from cms_api.lib.media_storage import ASSETS, RUNNABLE, SHARED, SHOWN
from pages.models import TemplateKind
from tests.pages.sites import make_site, make_template, store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rendered")]

SANDBOX = "sandbox allow-scripts allow-forms allow-popups"
NOTHING_RUNS = "default-src 'none'; sandbox"


@pytest.fixture
def site():
    return make_site(site_dir="museum")


def get(client, path, **options):
    answer = client.get(path, **options)
    answer.body = answer.getvalue()
    return answer


# extension, type, policy, shared with other origins
@pytest.mark.parametrize("extension,kind,policy,is_shared", [
    ("css", "text/css; charset=utf-8", NOTHING_RUNS, True),
    ("JS", "text/javascript; charset=utf-8", NOTHING_RUNS, True),
    ("json", "application/json", NOTHING_RUNS, True),
    ("woff2", "font/woff2", NOTHING_RUNS, True),
    ("svg", "image/svg+xml", SANDBOX, False),
    ("html", "text/html; charset=utf-8", SANDBOX, False),
    ("xml", "application/xml", SANDBOX, False),
    ("ico", "image/vnd.microsoft.icon", NOTHING_RUNS, False),
    ("txt", "text/plain; charset=utf-8", NOTHING_RUNS, False),
    ("png", "image/png", NOTHING_RUNS, False),
    ("pdf", "application/pdf", "default-src 'none'", False),
    ("zip", "application/octet-stream", NOTHING_RUNS, False),
])  # fmt: skip
def test_a_file_has_its_type_and_policy(client, site, extension, kind, policy, is_shared):
    store(site, f"css/main.{extension}")
    answer = get(client, f"/museum/css/main.{extension}")
    assert (answer.status_code, answer.body) == (200, b"stored")
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Security-Policy"] == policy
    assert answer.headers.get("Access-Control-Allow-Origin") == ("*" if is_shared else None)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "public, max-age=600"
    assert answer.headers["Content-Disposition"].startswith("attachment" if extension == "zip" else "inline")
    assert not answer.cookies and "Vary" not in answer.headers


def test_an_upload_is_never_asked_for_again(client, site):
    store(site, "upload/images/1.png")
    answer = get(client, "/museum/upload/images/1.png")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_every_type_is_of_one_class():
    assert not ASSETS.keys() & SHOWN.keys()
    assert ASSETS.keys() >= RUNNABLE | SHARED
    assert not RUNNABLE & SHARED
    # Types that browsers show as documents which may run scripts.
    runs = {extension for extension, kind in (ASSETS | SHOWN).items() if any(x in kind for x in ("html", "xml"))}
    assert runs == RUNNABLE


def test_a_part_of_a_file_and_its_head(client, site):
    store(site, "fonts/a.woff", b"0123456789")
    answer = get(client, "/museum/fonts/a.woff", headers={"Range": "bytes=2-4"})
    assert (answer.status_code, answer.body) == (206, b"234")
    head = client.head("/museum/fonts/a.woff")
    assert (head.headers["Content-Length"], head.content) == ("10", b"")


def test_a_stored_file_comes_before_a_page_unless_it_is_a_document(client, site):
    make_template(site, TemplateKind.FILE, name="feed", page_path="rss.xml")
    make_template(site, TemplateKind.FILE, name="lost", page_path="lost.html")
    store(site, "rss.xml")
    store(site, "lost.html")
    assert get(client, "/museum/rss.xml").body == b"stored"
    assert get(client, "/museum/lost.html").body.startswith(b"lost")


@pytest.mark.parametrize("path", ["css/none.css", "css/.hidden.css", "../sites/x.css", "css/a\0.css"])
def test_other_files_are_404(client, site, path):
    assert client.get(f"/museum/{path}").status_code == 404


def test_files_of_another_site_are_not_there(client, site):
    store(make_site(site_dir="other"), "css/main.css")
    assert client.get("/museum/css/main.css").status_code == 404
