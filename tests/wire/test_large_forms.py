"""Forms of the back end that are larger than bodies of the API may be, sent to a real server."""

import json
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.wire.forms import MP4, Browser

pytestmark = pytest.mark.large

MEGABYTE = 1024 * 1024
TEMPLATE = "/admin/cms_sites/site/template/"
TABLE = "/admin/accounts/user/import/"
CSV = b"userName,password,displayName\n" + b"harriet,lantern7,Harriet\n" * 400_000


@pytest.fixture(scope="module")
def service(installation):
    """Bodies of the API may have 2 000 000 bytes, tables 32 MiB, packages 64 MiB."""
    settings = {"CMS_MAX_BODY_BYTES": "2000000", "CMS_PACKAGE_MAX_BYTES": str(64 * MEGABYTE), "CMS_WORKERS": "1"}
    with installation.serve(**settings) as server:
        yield server


@pytest.fixture(scope="module")
def video(installation):
    """Where videos of a site are uploaded; they may have 300 MB."""
    site = installation.create_site("Films")
    return f"/admin/contents/content/upload/{site}/"


def browser_of(server):
    return Browser(lambda: HTTPConnection("127.0.0.1", server.port, timeout=120))


@pytest.fixture
def browser(service):
    return browser_of(service).sign_in()


@pytest.mark.parametrize(("megabytes", "chunked"), [(11, False), (39, True)])
def test_a_site_template_is_taken(browser, megabytes, chunked):
    status, body, _ = browser.upload(TEMPLATE, b"PK", megabytes * MEGABYTE, name="T_Harbour.zip", chunked=chunked)
    assert status == 200, body
    assert json.loads(body)["address"].startswith("/admin/")


def test_a_site_template_above_its_own_limit_is_refused(browser):
    for options in ({"sent": 9 * MEGABYTE}, {"chunked": True}):
        status, body, _ = browser.upload(TEMPLATE, b"PK", 66 * MEGABYTE, **options)
        assert (status, json.loads(body)["message"]) == (413, "The form is too large.")


def test_a_table_is_taken(browser):
    status, body, _ = browser.upload(TABLE, CSV[: 11 * MEGABYTE], 11 * MEGABYTE, name="users.csv", accept="*/*")
    assert status == 200
    assert b"A table may have at most 20000 rows" in body  # so it was read


@pytest.mark.parametrize("megabytes", [11, pytest.param(299, marks=pytest.mark.large)])
def test_a_video_is_taken_with_little_memory(service, browser, video, megabytes):
    (worker,) = service.workers
    before = peak_of(worker)
    status, body, _ = browser.upload(video, MP4, megabytes * MEGABYTE, name="quay.mp4")
    assert status == 200, body
    assert peak_of(worker) - before < 64 * MEGABYTE


def test_the_library_takes_a_video(browser, video):
    path = video.replace("contents/content", "media_library/mediafile")
    status, body, _ = browser.upload(path, MP4, 51 * MEGABYTE, name="pier.mp4")
    assert (status, json.loads(body)["name"]) == (200, "pier")


def test_a_page_without_files_takes_no_large_form(browser):
    status, body, _ = browser.upload("/admin/accounts/user/add/", b"", 3 * MEGABYTE, accept="text/html")
    assert (status, b"<h1>The form is too large</h1>" in body) == (413, True)


def test_a_stranger_is_asked_to_sign_in_before_the_form_is_read(service, video):
    stranger = browser_of(service)
    for path in (TEMPLATE, TABLE, video):
        status, _, headers = stranger.upload(path, b"PK", 1000 * MEGABYTE, sent=9 * MEGABYTE, accept="text/html")
        assert (status, headers["Location"]) == (302, f"/admin/login/?next={path}")
        status, body, _ = stranger.upload(path, b"PK", 1000 * MEGABYTE, sent=9 * MEGABYTE)
        assert (status, json.loads(body)["message"]) == (401, "Your session has ended; sign in again.")


@pytest.mark.parametrize("path", ["/admin/login/", "/admin/language/", "/nothing", "/api/docs/", "/media/a.png"])
def test_no_other_page_takes_a_large_form_from_a_stranger(service, path):
    assert browser_of(service).upload(path, b"", 1000 * MEGABYTE, sent=9 * MEGABYTE)[0] == 413


def peak_of(process):
    """The most memory that the process has had, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024
