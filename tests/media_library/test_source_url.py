"""`sourceUrl`: which addresses are read, and how much of them."""

import socket

import pytest

from core.lib import public_addresses
from media_library import fetching
from media_library.models import MediaFile
from tests.accounts.forms import stored, stored_files
from tests.assertions import assert_error
from tests.factories import SiteFactory
from tests.media_library.uploads import address, picture
from tests.webhooks.receivers import receiving, silent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]


@pytest.fixture
def site():
    return SiteFactory()


@pytest.fixture
def source(monkeypatch):
    """A server on the loopback, whose address counts as public."""
    is_allowed = public_addresses.is_allowed
    monkeypatch.setattr(
        public_addresses, "is_allowed", lambda address, networks=(): str(address) == "127.0.0.1" or is_allowed(address)
    )
    with receiving() as found:
        found.status, found.body = 200, b"%PDF-1.7 leaflet"
        found.root = f"http://127.0.0.1:{found.port}"
        yield found


def create(client, site, url, **members):
    return client.post(address(site), {"sourceUrl": url, **members})


def test_the_file_at_the_address_is_stored(api, site, source):
    response = create(api, site, f"{source.root}/press/The%20leaflet.pdf?v=2", credit="Ann")
    record = response.json()["value"]
    assert (record["title"], record["credit"]) == ("The leaflet", "Ann")
    assert stored(f"sites/{site.pk}/{record['path']}") == source.body
    ((headers, _),) = source.requests
    assert headers["host"] == f"127.0.0.1:{source.port}" and "x-ss-api-key" not in headers


def test_the_type_may_come_from_the_response_or_the_name(api, site, source):
    source.body, source.headers = picture((30, 20)), {"Content-Type": "image/jpeg"}
    assert create(api, site, f"{source.root}/photo?id=3").json()["value"]["contentType"] == "image/jpeg"
    source.body, source.headers = b"%PDF other", {}
    assert create(api, site, f"{source.root}/", name="a.pdf").json()["value"]["title"] == "a"


def test_a_file_is_replaced_from_an_address(api, site, source):
    record = create(api, site, f"{source.root}/a.pdf").json()["value"]
    source.body = b"%PDF new"
    api.post(f"{address(site, record['id'])}/file", {"sourceUrl": f"{source.root}/b.pdf"})
    assert stored(f"sites/{site.pk}/{record['path']}") == b"%PDF new"


PRIVATE = [
    "http://127.0.0.1:8000/a.pdf",
    "http://[::1]/a.pdf",
    "http://10.0.0.1/a.pdf",
    "http://192.168.1.1/a.pdf",
    "http://169.254.169.254/latest/meta-data/a.pdf",
    "http://[::ffff:10.0.0.1]/a.pdf",
    "http://0x7f.1/a.pdf",
    "http://2130706433/a.pdf",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_addresses_beyond_the_public_internet_are_refused(api, site, settings, url):
    settings.CMS_WEBHOOK_NETWORKS = ["127.0.0.0/8", "10.0.0.0/8"]  # for webhooks only
    assert assert_error(create(api, site, url), 400, "address_refused")["member"] == "sourceUrl"
    assert not MediaFile.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org/a.pdf",
        "file:///etc/passwd",
        "https://ann:secret@example.org/a.pdf",
        "https://example.org:22/",
    ],
)
def test_other_urls_are_refused(api, site, url):
    assert_error(create(api, site, url), 400, "url_invalid")


def test_a_name_that_resolves_to_a_private_address_is_refused(api, site, monkeypatch):
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: rows)
    assert_error(create(api, site, "http://intranet.example/a.pdf"), 400, "address_refused")


def redirecting(source, *places):
    left = list(places)

    def respond(handler, body):
        place = left.pop(0) if left else None
        handler.send_response(302 if place else 200)
        if place:
            handler.send_header("Location", place)
        handler.send_header("Content-Length", "0" if place else str(len(source.body)))
        handler.end_headers()
        handler.wfile.write(b"" if place else source.body)

    source.respond = respond


def test_redirects_are_followed_and_each_is_checked(api, site, source):
    redirecting(source, "/b.pdf", f"{source.root}/c.pdf")
    assert create(api, site, f"{source.root}/a.pdf").status_code == 200
    redirecting(source, "http://10.0.0.1/a.pdf")
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "address_refused")
    redirecting(source, "file:///etc/passwd")
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "url_invalid")
    redirecting(source, *["/a.pdf"] * 4)
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "source_unreadable")


def test_only_whole_responses_are_stored(api, site, source):
    def respond(handler, body):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(source.body)

    source.status = 404
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "source_unreadable")
    source.status, source.headers = 200, {"Content-Encoding": "gzip"}
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "source_unreadable")
    source.respond = respond
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "source_unreadable")
    source.respond = lambda handler, body: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n")
    assert_error(create(api, site, f"{source.root}/a.pdf"), 400, "source_unreadable")
    assert not stored_files()


def test_an_endless_response_is_read_up_to_the_limit(api, source):
    def respond(handler, body):
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"%PDF" + b"x" * 65536)

    source.respond = respond
    sizes = dict.fromkeys(["imageUploadTypeMaxSize", "videoUploadTypeMaxSize", "fileUploadTypeMaxSize"], 100)
    assert_error(create(api, SiteFactory(settings=sizes), f"{source.root}/a.pdf"), 413, "upload_too_large")


def test_an_address_that_never_responds_is_left_at_the_time_limit(api, site, source, monkeypatch):
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    with silent() as port:
        refused = create(api, site, f"http://127.0.0.1:{port}/a.pdf")
    assert "did not respond" in assert_error(refused, 400, "source_unreadable")["message"]


def test_few_addresses_are_read_at_a_time(api, site, source):
    for _ in range(2):
        fetching._places.acquire()
    try:
        response = create(api, site, f"{source.root}/a.pdf")
    finally:
        for _ in range(2):
            fetching._places.release()
    assert_error(response, 429, "busy")
    assert response.headers["Retry-After"] == "1"
    assert create(api, site, f"{source.root}/a.pdf").status_code == 200
