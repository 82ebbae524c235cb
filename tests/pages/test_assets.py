"""Files of a site with templates: style sheets, scripts, fonts and pictures beside its uploads."""

import pytest

from core.lib.media_storage import ASSETS, RUNNABLE, SHOWN
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


@pytest.mark.parametrize("extension,kind,policy", [
    ("css", "text/css; charset=utf-8", NOTHING_RUNS),
    ("JS", "text/javascript; charset=utf-8", NOTHING_RUNS),
    ("json", "application/json", NOTHING_RUNS),
    ("woff2", "font/woff2", NOTHING_RUNS),
    ("svg", "image/svg+xml", SANDBOX),
    ("html", "text/html; charset=utf-8", SANDBOX),
    ("xml", "application/xml", SANDBOX),
    ("vtt", "text/vtt; charset=utf-8", NOTHING_RUNS),
    ("ico", "image/vnd.microsoft.icon", NOTHING_RUNS),
    ("txt", "text/plain; charset=utf-8", NOTHING_RUNS),
    ("png", "image/png", NOTHING_RUNS),
    ("mp4", "video/mp4", NOTHING_RUNS),
    ("pdf", "application/pdf", "default-src 'none'"),
    ("zip", "application/octet-stream", NOTHING_RUNS),
])  # fmt: skip
def test_a_file_has_its_type_and_policy(client, site, extension, kind, policy):
    store(site, f"css/main.{extension}")
    answer = get(client, f"/museum/css/main.{extension}")
    assert (answer.status_code, answer.body) == (200, b"stored")
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Security-Policy"] == policy
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "public, max-age=600"
    assert answer.headers["Content-Disposition"].startswith("attachment" if extension == "zip" else "inline")
    assert not answer.cookies and "Vary" not in answer.headers


@pytest.mark.parametrize("text,encoding,named", [
    ("说明", "utf-8", "; charset=utf-8"),
    ("plain", "ascii", "; charset=utf-8"),
    ("", "ascii", "; charset=utf-8"),
    ("说明", "gbk", "; charset=gb18030"),
    ("a" * 65_535 + "说明", "gbk", "; charset=utf-8"),  # only the beginning decides
    ("a" * 65_535 + "说明", "utf-8", "; charset=utf-8"),
    ("明" + "a" * 65_550 + "说明", "gbk", "; charset=gb18030"),
    ("caf\xe9 \xff!!", "latin-1", ""),
])  # fmt: skip
def test_a_text_is_named_as_it_is_encoded(client, site, text, encoding, named):
    content = text.encode(encoding)
    for path, kind in (("upload/说明.txt", "text/plain"), ("css/a.css", "text/css"), ("a.js", "text/javascript")):
        store(site, path, content)
        answer = get(client, f"/museum/{path}")
        assert (answer.headers["Content-Type"], answer.body) == (f"{kind}{named}", content)
        assert client.head(f"/museum/{path}").headers["Content-Type"] == f"{kind}{named}"


def test_an_upload_is_never_asked_for_again(client, site):
    store(site, "upload/images/1.png")
    answer = get(client, "/museum/upload/images/1.png")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_every_type_is_of_one_class():
    assert not ASSETS.keys() & SHOWN.keys()
    assert ASSETS.keys() >= RUNNABLE
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


def test_a_redirect_is_for_pages_in_a_sandbox_too(client, site):
    store(site, "fonts/Icons.woff")
    answer = client.get("/museum/fonts/icons.woff")
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (301, "*")


def test_files_of_another_site_are_not_there(client, site):
    store(make_site(site_dir="other"), "css/main.css")
    assert client.get("/museum/css/main.css").status_code == 404
