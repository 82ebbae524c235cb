"""Logs: an API key that arrives in a query reaches none."""

import logging
import socket

import pytest

from tests.assertions import assert_error
from tests.factories import ApiKeyFactory
from tests.wire.streams import ask

CANARY = "ssk1_CaNaRy00_" + "k" * 38
QUERIES = [
    f"?apiKey={CANARY}",
    f"?apikey={CANARY}",
    f"?APIKEY={CANARY}&siteId=1",
    f"?siteId=1&apiKey={CANARY}",
    f"?&&a&apiKey={CANARY}&b=%",
    f"?%61pi%4Bey={CANARY}",
    f"?+apiKey+={CANARY}",
    f"?apiKey={CANARY}&apiKey={CANARY}",
    f"?X-SS-API-KEY={CANARY}",
]
PATHS = [
    ("GET", "/api/v1/ping"),
    ("GET", "/api/v1/contents/1/1/1"),
    ("GET", "/api/v1/contents/1/1/1/"),
    ("GET", "/api/v1/contents"),
    ("POST", "/api/v1/contents"),
    ("OPTIONS", "/api/v1/contents"),
    ("GET", "/api/v1/nothing"),
    ("GET", "/api"),
    ("GET", "/api/"),
    ("GET", "/API/v1/ping"),
    ("GET", "/nothing"),
    ("GET", "/admin"),
    ("GET", "/admin/login/"),
    ("GET", "/"),
]
FAILING = [("GET", "/api/v1/probe/failing"), ("GET", "/api/v1/probe/unwritable")]


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path"), PATHS + FAILING)
def test_no_record_answer_or_request_holds_the_key(stranger, caplog, method, path):
    caplog.set_level(logging.DEBUG)
    for query in QUERIES:
        response = stranger.send(method, path + query, follow=False)
        for record in caplog.records:
            request = getattr(record, "request", None)
            shown = record.getMessage() + str(record.exc_info) + str(request and request.META) + repr(request)
            assert CANARY not in shown, query
        assert CANARY not in str(response.headers) + response.getvalue().decode(), query
        caplog.clear()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["apiKey", "apikey", "APIKEY", "%61pi%4Bey", "+apiKey+"])
def test_the_key_of_the_query_is_read_in_any_letter_case(stranger, name):
    token = ApiKeyFactory(scopes="Contents").token
    assert_error(stranger.post(f"/api/v1/contents?{name}={token}", {"siteId": 0}), 400, "site_not_found")


def test_a_key_under_the_name_of_the_header_opens_nothing(stranger):
    assert_error(stranger.post(f"/api/v1/contents?X-SS-API-KEY={CANARY}"), 401, "key_missing")


def send_raw(port, text):
    """All that the server answers to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


MALFORMED = [
    # What the server in front refuses by itself.
    b"GET /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nBad Header: 1\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"G[T /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 9000 + b"\r\n\r\n",
    b"GET /api/v1/ping?apiKey=%s&" + b"x" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /api/v1/contents?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /api/v1/contents?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: tea\r\n\r\n",
    b"POST /api/v1/contents?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n",
    b"POST /api/v1/contents?apiKey=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
    b"GET /api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET http://localhost/api/v1/ping?apiKey=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
]


@pytest.mark.large
@pytest.mark.parametrize(
    "options",
    [(), ("--access-logformat", "%(r)s %(q)s %(U)s %(f)s", "--log-level", "debug")],
    ids=["as configured", "as talkative as can be"],
)
def test_a_real_server_never_logs_the_key_of_a_query(installation, options):
    token = installation.manage("create_api_key", f"canary {len(options)}", "--scope", "Contents")
    with installation.serve(*options, CMS_LOG_LEVEL="DEBUG") as server:
        for query in QUERIES:
            for method, path in PATHS:
                answer = server.request(method, path + query.replace(CANARY, token))
                assert token.encode() not in answer.content + str(answer.headers).encode()
        for text in MALFORMED:
            assert token.encode() not in send_raw(server.port, text.replace(b"%s", token.encode(), 1))
        answer = server.request("POST", f"/api/v1/contents?apiKey={token}", b'{"siteId":0}')
        assert answer.status_code == 400, answer.content
    assert "/api/v1/contents" in server.log
    assert token not in server.log
    assert token[-38:] not in server.log


def test_a_refusal_has_no_line_beside_that_of_the_access_log(stranger, caplog):
    assert stranger.get("/api/v1/nowhere").status_code == 404
    assert stranger.post("/api/v1/contents").status_code == 401
    assert [record.message for record in caplog.records if record.name == "django.request"] == []


def test_no_path_begins_a_line_of_the_access_log_or_steers_a_terminal(server):
    ask(server, "/x%22%20404%0a%5b23%5d%20%22DELETE%20/forged%22%20200%1b%5b31m%c2%9b%5c%22")
    server.await_lines('"GET /x%22%20404%0A%5B23%5D%20%22DELETE%20/forged%22%20200%1B%5B31m%C2%9B%5C%22" 404 ', 1)
    assert "\x1b" not in server.log
    assert not any(line.startswith("[23]") for line in server.log.splitlines())
