"""The documentation under `/docs/`: files of one folder, pages with a policy of their own, and sites first."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db

TYPES = {
    "/docs/": "text/html; charset=utf-8",
    "/docs/index.html": "text/html; charset=utf-8",
    "/docs/reference/": "text/html; charset=utf-8",
    "/docs/style.css": "text/css; charset=utf-8",
    "/docs/search.js": "text/javascript; charset=utf-8",
    "/docs/map.svg": "image/svg+xml",
    "/docs/search_index.json": "application/json",
}


@pytest.mark.parametrize("place", TYPES)
def test_a_page_or_file_has_its_type_and_marks_of_its_version(client, built, place):
    answer = client.get(place)
    assert (answer.status_code, answer["Content-Type"]) == (200, TYPES[place])
    assert len(answer.content) == int(answer["Content-Length"]) > 0
    assert answer["ETag"].startswith('"')
    assert answer["Last-Modified"].endswith(" GMT")
    assert answer["Cache-Control"] == "no-cache"
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("mark", "header"), [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")])
def test_what_a_browser_has_is_not_sent_again(client, built, mark, header):
    first = client.get("/docs/")
    again = client.get("/docs/", headers={header: first[mark]})
    assert (again.status_code, again.content) == (304, b"")
    # Browsers take the headers over to the page that they have kept.
    for name in ("ETag", "Cache-Control", "Content-Security-Policy"):
        assert again[name] == first[name]


def test_what_was_built_anew_is_sent(client, built):
    first = client.get("/docs/")
    (built / "index.html").write_text("another one")
    assert client.get("/docs/", headers={"If-None-Match": first["ETag"]}).content == b"another one"


def test_head_has_the_headers_alone(client, built):
    answer = client.head("/docs/index.html")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Content-Length"] == str((built / "index.html").stat().st_size)


@pytest.mark.parametrize("place", ["/docs", "/docs/reference"])
def test_a_folder_without_its_slash_leads_to_the_one_with_it(client, built, place):
    answer = client.get(place)
    assert (answer.status_code, answer["Location"]) == (302, f"{place}/")


def test_below_a_prefix_a_folder_stays_there(client, built, below_prefix):
    assert client.get("/docs", **below_prefix)["Location"] == "/cms/docs/"


@pytest.mark.parametrize(
    "place",
    [
        "/docs/nothing.html",
        "/docs/index.html/",
        "/docs/.hidden",
        "/docs/../manage.py",
        "/docs/%2e%2e/secret.txt",
        "/docs/..%2fsecret.txt",
        "/docs//etc/passwd",
        "/docs/%00",
        "/docs/a%00.html",
        "/docs/link.txt",
        "/docs/folder-link/secret.txt",
        "/docs/empty/",
        "/docs/empty",
        f"/docs/{'x' * 300}.html",
        "/docs/a%0ab",
    ],
)
def test_nothing_outside_of_the_folder_and_nothing_hidden_is_served(client, built, place):
    (built.parent / "secret.txt").write_text("secret")
    (built / "link.txt").symlink_to(built.parent / "secret.txt")
    (built / "folder-link").symlink_to(built.parent)
    (built / "empty").mkdir()
    assert client.get(place).status_code == 404


@pytest.mark.parametrize("place", ["/docs", "/docs/", "/docs/index.html"])
def test_what_was_not_built_is_not_there(client, not_built, place):
    assert client.get(place).status_code == 404


def test_it_is_for_reading_only(client, built):
    assert client.post("/docs/").status_code == 405


def test_a_page_may_run_what_stands_in_it_and_load_from_here(client, built):
    answer = client.get("/docs/")
    policy = dict(part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"].startswith("'self' 'sha256-")
    assert "unsafe" not in policy["script-src"]
    assert policy["frame-ancestors"] == "'none'"
    assert not any("http" in sources for sources in policy.values())


def test_its_policy_is_no_other_page_s(client, built):
    assert "unsafe-inline" not in client.get("/docs/nothing").headers["Content-Security-Policy"]
    assert "unsafe-inline" not in client.get("/").headers["Content-Security-Policy"]


def test_its_language_is_its_own(client, built):
    answer = client.get("/docs/", headers={"Accept-Language": "zh-CN"})
    assert "Content-Language" not in answer.headers
    assert "Vary" not in answer.headers


# ---- Sites that have the address


@pytest.mark.parametrize("place", ["/docs", "/docs/", "/docs/index.html", "/docs/reference/"])
def test_a_site_of_that_folder_keeps_it(client, built, place):
    SiteFactory(site_dir="docs")
    assert client.get(place).status_code == 404


def test_its_files_are_served_as_before(client, built):
    site = SiteFactory(site_dir="docs")
    default_storage.save(f"sites/{site.pk}/upload/plan.txt", ContentFile(b"plan"))
    assert client.get("/docs/upload/plan.txt").getvalue() == b"plan"


def test_files_of_the_root_site_come_before_those_of_the_documentation(client, built):
    site = SiteFactory(site_dir="", is_root=True)
    default_storage.save(f"sites/{site.pk}/docs/style.css", ContentFile(b"of the site"))
    assert client.get("/docs/style.css").getvalue() == b"of the site"
    assert client.get("/docs/search.js").content == b"search()"


def test_a_site_of_that_folder_may_be_made(client):
    SiteFactory(site_dir="docs").full_clean()


@pytest.mark.parametrize("fields", [{"site_dir": "Docs"}, {"site_dir": "docs2"}])
def test_another_site_is_not_in_the_way(client, built, fields):
    SiteFactory(**fields)
    assert client.get("/docs/style.css").status_code == 200


def test_a_site_below_another_is_not_in_the_way(client, built):
    SiteFactory(site_dir="docs", parent=SiteFactory(site_dir="museum"))
    answer = client.get("/docs/style.css")
    assert answer.status_code == 200
