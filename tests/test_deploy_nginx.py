"""Two real nodes behind a real nginx, with the configuration that deploy/ has."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import threading
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.nginx import HAS_IPV6, HOST, Nginx, ask, error_of
from tests.wire.forms import MP4, Browser

OWN_SERVERS = True  # whatever database the suite runs on
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        shutil.which("nginx") is None or shutil.which("openssl") is None, reason="nginx and openssl are needed"
    ),
]
SETTINGS = {
    "CMS_SECURE": "true",
    "CMS_ALLOWED_HOSTS": "cms.example.org",
    "CMS_TRUSTED_PROXIES": "127.0.0.1",
    "CMS_WORKERS": "1",
    "CMS_RESTART_MIN_SECONDS": "0",
}
MEGABYTE = 1024 * 1024
UPLOAD = "/admin/contents/content/upload/1/"
LIST = (b'{"siteId": 0}', {"Content-Type": "application/json"})


@pytest.fixture(scope="module")
def nodes(installation):
    with (
        installation.serve(CMS_NODE_NAME="quay 1", **SETTINGS) as first,
        installation.serve(CMS_NODE_NAME="quay 2", **SETTINGS) as second,
    ):
        yield first, second


@pytest.fixture(scope="module")
def nginx(nodes, tmp_path_factory):
    with Nginx(tmp_path_factory.mktemp("nginx"), [node.port for node in nodes]) as running:
        yield running


@pytest.fixture(scope="session")
def key(installation):
    return installation.manage("create_api_key", "behind nginx", "--all-scopes")


def test_the_file_is_free_of_faults(nginx):
    code, words = nginx.check()
    assert code == 0, words
    assert "[warn]" not in words.replace('the "user" directive makes sense only', "")


def test_both_nodes_answer_through_https(nginx, nodes):
    before = [node.log.count('"GET /api/v1/ping"') for node in nodes]
    for _ in range(6):
        status, _, body = nginx.request("GET", "/api/v1/ping")
        assert (status, body) == (200, b"pong")
    for node, number in zip(nodes, before, strict=True):
        node.await_lines('"GET /api/v1/ping"', number + 1)


def test_pages_come_with_the_headers_of_https_and_cookies_of_the_host(nginx):
    status, headers, _ = nginx.request("GET", "/admin/login/")
    assert status == 200
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Set-Cookie"].startswith("__Host-cms_csrf=") and "Secure" in headers["Set-Cookie"]
    assert headers["Server"] == "nginx"


def test_http_leads_to_https(nginx):
    with closing(HTTPConnection("127.0.0.1", nginx.plain_port, timeout=60)) as connection:
        status, headers, _ = ask(connection, "GET", "/admin/?x=1")
    assert (status, headers["Location"]) == (301, "https://cms.example.org/admin/?x=1")


def test_the_authority_of_a_certificate_finds_its_answer_over_http(nginx):
    folder = nginx.folder / "webroot" / ".well-known" / "acme-challenge"
    folder.mkdir(parents=True)
    (folder / "token").write_text("answer")
    found = {}
    for name in ("token", "other"):
        with closing(HTTPConnection("127.0.0.1", nginx.plain_port, timeout=60)) as connection:
            found[name] = ask(connection, "GET", f"/.well-known/acme-challenge/{name}")[::2]
    assert found["token"] == (200, b"answer")
    assert found["other"][0] == 404


@pytest.mark.skipif(not HAS_IPV6, reason="this machine has no IPv6")
def test_clients_with_ipv6_are_served(nginx):
    with closing(HTTPConnection("::1", nginx.plain_port, timeout=60)) as connection:
        assert ask(connection, "GET", "/admin/")[0] == 301
    socket.create_connection(("::1", nginx.port), timeout=60).close()


def test_the_service_learns_the_address_of_the_client_whatever_the_client_says(nginx, installation):
    body = b'{"account": "nobody at all", "password": "wrong-1"}'
    headers = {"Content-Type": "application/json", "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
    status, _, _ = nginx.request("POST", "/api/v1/administrators/actions/login", body, headers, source="127.0.0.77")
    assert status == 400
    path = Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        (address,) = database.execute("SELECT address FROM audit_auditentry ORDER BY id DESC LIMIT 1").fetchone()
    assert address == "127.0.0.77"


def test_a_body_above_the_limit_is_refused_in_json_by_the_service_or_before(nginx, key):
    headers = LIST[1] | {"X-SS-API-KEY": key}
    for size in (10 * 1024 * 1024 + 1, 11 * 1024 * 1024 + 1):
        answer = nginx.request("POST", "/api/v1/contents", b" " * size, headers)
        assert (answer[0], error_of(answer)) == (413, "body_too_large")


@pytest.fixture(scope="module")
def video(installation):
    site = installation.create_site("Films")
    return f"/admin/contents/content/upload/{site}/"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_file_is_taken_from_those_who_are_signed_in(nginx, video, chunked):
    browser = Browser(nginx.connect, Host=HOST, Referer=f"https://{HOST}/admin/").sign_in()
    status, body, _ = browser.upload(video, MP4, 12 * MEGABYTE, name="quay.mp4", chunked=chunked)
    assert status == 200, body
    assert browser.upload("/admin/accounts/user/add/", b"", 12 * MEGABYTE)[0] == 413


def test_nobody_waits_for_a_large_file_of_anyone_else(nginx, video):
    """The answer comes before the file is there, so nginx has not kept it."""
    stranger = Browser(nginx.connect, Host=HOST, Referer=f"https://{HOST}/admin/")
    for path in (video, "/admin/cms_sites/site/template/"):
        status, body, _ = stranger.upload(path, MP4, 100 * MEGABYTE, sent=41 * MEGABYTE)
        assert (status, json.loads(body)["message"]) == (401, "Your session has ended; sign in again.")
    assert stranger.upload("/admin/login/", b"", 12 * MEGABYTE, sent=MEGABYTE)[0] == 413
    assert not any(file.is_file() for file in (nginx.folder / "body").rglob("*"))


def test_a_large_portion_of_an_upload_reaches_the_node_as_it_arrives(nginx, key, video):
    uploads = f"/api/v1/media/{video.split('/')[-2]}/uploads"
    own = {"X-SS-API-KEY": key, "Tus-Resumable": "1.0.0"}
    new = {"Upload-Length": str(40 * MEGABYTE), "Upload-Metadata": "filename cXVheS5tcDQ="}
    path = nginx.request("POST", uploads, b"", own | new)[1]["Location"]
    with closing(nginx.connect()) as connection:
        connection.putrequest("PATCH", path, skip_host=True)
        sent = {"Host": HOST, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
        for name, value in (own | sent | {"Content-Length": str(40 * MEGABYTE)}).items():
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(MP4 + bytes(20 * MEGABYTE))
        while (offset := int(nginx.request("HEAD", path, headers=own)[1]["Upload-Offset"])) < 16 * MEGABYTE:
            pass
    assert offset <= 20 * MEGABYTE


def test_a_statement_as_long_as_the_service_takes_comes_through(nginx, key):
    room = 8190 - len("GET /api/v1/stl/sqlContents?queryString= HTTP/1.1")
    statement = quote("SELECT * FROM siteserver_Site --")
    path = f"/api/v1/stl/sqlContents?queryString={statement}{'x' * (room - len(statement))}"
    status, _, body = nginx.request("GET", path, headers={"X-SS-API-KEY": key})
    assert status == 200, body


@pytest.mark.parametrize("length", [8191, 20_000])
def test_an_address_that_is_too_long_is_refused_in_json_by_the_service_or_before(nginx, length):
    answer = nginx.request("GET", f"/api/v1/ping?x={'x' * length}")
    assert (answer[0], error_of(answer)) == (414, "uri_too_long")


@pytest.mark.parametrize("length", [8191, 20_000])
def test_headers_that_are_too_large_are_refused_in_json_by_the_service_or_before(nginx, length):
    answer = nginx.request("GET", "/api/v1/ping", headers={"X-A": "x" * length})
    assert (answer[0], error_of(answer)) == (431, "headers_too_large")


def test_tags_stay_strong_and_safe_writes_come_through(nginx, key):
    own = {"X-SS-API-KEY": key, "Accept-Encoding": "gzip"}
    _, headers, _ = nginx.request("GET", "/api/v1/administrators", headers=own)
    tag = headers["ETag"]
    assert tag.startswith('"')
    status, headers, body = nginx.request("GET", "/api/v1/administrators", headers=own | {"If-None-Match": tag})
    assert (status, headers["ETag"], body) == (304, tag, b"")
    user = json.dumps({"userName": "nginx1", "password": "lantern7"}).encode()
    written = [nginx.request("POST", "/api/v1/users", user, own | {"Idempotency-Key": "a"}) for _ in range(2)]
    assert [answer[1].get("Idempotency-Replayed") for answer in written] == [None, "true"]
    path = f"/api/v1/users/{json.loads(written[0][2])['value']['id']}"
    for known, status in (('"x"', 412), (nginx.request("GET", path, headers=own)[1]["ETag"], 200)):
        assert nginx.request("DELETE", path, headers=own | {"If-Match": known})[0] == status


@pytest.mark.parametrize("path", ["/api/v1/health/live", "/api/v1/health/ready", "/api/v1/metrics"])
def test_what_is_for_those_who_look_after_nodes_is_not_for_everybody(nginx, path):
    assert nginx.request("GET", path)[0] == 404


def test_no_request_is_lost_while_the_nodes_restart_one_after_the_other(nginx, nodes, key):
    answers, is_over = [], threading.Event()

    def ask_on():
        with closing(nginx.connect()) as connection:
            while not is_over.is_set():
                # A POST, which nginx never sends twice.
                answers.append(ask(connection, "POST", "/api/v1/contents", LIST[0], LIST[1] | {"X-SS-API-KEY": key})[0])

    clients = [threading.Thread(target=ask_on) for _ in range(4)]
    for client in clients:
        client.start()
    try:
        for node in nodes:
            number = node.log.count("Booting worker")
            os.kill(node.pid, signal.SIGHUP)
            node.await_lines("Booting worker", number + 1)
            node.await_lines("Worker exiting", 1)
    finally:
        is_over.set()
        for client in clients:
            client.join()
    assert len(answers) > 20
    assert set(answers) == {400}  # the site does not exist, which only a node can tell


def test_a_request_has_the_number_of_the_proxy_and_none_that_a_client_chose(installation, tmp_path):
    with installation.serve(**SETTINGS) as node, Nginx(tmp_path, [node.port]) as nginx:
        status, headers, _ = nginx.request("GET", "/api/v1/ping", None, {"X-Request-Id": "chosen"})
    assert status == 200
    assert re.fullmatch("[0-9a-f]{32}", headers["X-Request-Id"])
    assert nginx.log("cms.access").endswith(f" {headers['X-Request-Id']}\n")
    assert headers["X-Request-Id"] in node.log


def assert_maintenance(answer):
    status, headers, body = answer
    assert (status, headers["Retry-After"], headers["Cache-Control"]) == (503, "5", "no-store")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    page = body.decode()
    assert "not available at the moment" in page and "暂时无法访问" in page
    assert not re.search("(src|href|url)[=(]", page)  # all of it is in the page


def test_nodes_that_are_marked_down_are_not_asked(nodes, tmp_path):
    nginx = Nginx(tmp_path, [node.port for node in nodes])
    path = tmp_path / "cms-nodes.conf"
    path.write_text(path.read_text().replace(" max_fails=1", " down max_fails=1"))
    before = [node.log for node in nodes]
    with nginx:
        assert_maintenance(nginx.request("GET", "/admin/"))
        answer = nginx.request("GET", "/api/v1/ping")
        assert (answer[0], error_of(answer)) == (503, "service_unavailable")
    assert [node.log for node in nodes] == before


def test_one_node_is_enough_and_none_is_told_in_json_while_no_log_learns_a_key(installation, tmp_path, key):
    with (
        installation.serve(CMS_NODE_NAME="quay 3", **SETTINGS) as first,
        installation.serve(CMS_NODE_NAME="quay 4", **SETTINGS) as second,
        Nginx(tmp_path, [first.port, second.port]) as nginx,
    ):
        second.stop()
        path = f"/api/v1/channels/999999?apiKey={key}"
        assert {nginx.request("GET", path)[0] for _ in range(4)} == {404}
        first.stop()
        answer = nginx.request("GET", path)
        assert (answer[0], error_of(answer), answer[1]["Retry-After"]) == (503, "service_unavailable", "5")
        answer = nginx.request("POST", f"/api/v1/contents?apiKey={key}", *LIST)
        assert (answer[0], error_of(answer), "Retry-After" in answer[1]) == (503, "outcome_unknown", False)
        for path in ("/", "/admin/", "/start/", UPLOAD):
            assert_maintenance(nginx.request("GET", path))
        answer = nginx.request("POST", UPLOAD, b"x" * 1000)
        assert (answer[0], "Retry-After" in answer[1]) == (503, False)
    assert "/api/v1/channels/999999 " in nginx.log("cms.access")
    assert nginx.log("default") == ""
    for text in (nginx.log("cms.access"), nginx.log("cms.error"), nginx.log("start"), first.log, second.log):
        assert key not in text
