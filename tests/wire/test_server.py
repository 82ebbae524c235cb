"""What only a real server shows: bodies in chunks, missing headers, connections that break off."""

import json
import socket

import pytest

from tests.assertions import assert_error

LIMIT = 2_000_000  # CMS_MAX_BODY_BYTES of the server


@pytest.fixture(scope="session")  # as the installation, which other tests may use in between
def token(installation):
    return installation.manage("create_api_key", "server tests", "--scope", "Contents")


@pytest.fixture
def post(server, token):
    """Sends a list request for a site that does not exist: read at all, it is refused as just that."""

    def post(body, **headers):
        return server.request("POST", "/api/v1/contents", body, {"X-SS-API-KEY": token} | headers)

    return post


def in_chunks(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)]


def padded(length):
    """A body of exactly so many bytes."""
    body = json.dumps({"siteId": 0, "pad": ""}).encode()
    return body.replace(b'""', b'"' + b"x" * (length - len(body)) + b'"')


def test_ping_answers(server):
    answer = server.request("GET", "/api/v1/ping")
    assert (answer.status_code, answer.content) == (200, b"pong")


def test_head_has_no_body(server):
    answer = server.request("HEAD", "/api/v1/ping")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "text/plain"])
def test_a_body_in_chunks_is_read(post, size, content_type):
    body = json.dumps({"siteId": 0, "tagNames": ["开放日"] * 20}).encode()
    answer = post(in_chunks(body, size), **{"Content-Type": content_type})
    assert assert_error(answer, 400, "site_not_found")["message"] == "Site 0 was not found."


def test_an_empty_body_in_chunks_counts_as_an_empty_object(post):
    assert_error(post([]), 400, "missing_member")


def test_no_json_in_chunks_is_400(post):
    assert_error(post([b"title=", b"Launch"]), 400, "body_not_object")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_the_limit_is_read_and_one_byte_more_is_413(post, chunked):
    def send(length):
        body = padded(length)
        return post(in_chunks(body, 4096) if chunked else body)

    assert_error(send(LIMIT), 400, "site_not_found")
    assert str(LIMIT) in assert_error(send(LIMIT + 1), 413, "body_too_large")["message"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_far_above_the_limit_is_413_and_the_server_goes_on(server, post, chunked):
    body = padded(LIMIT * 4)
    assert_error(post(in_chunks(body, 4096) if chunked else body), 413, "body_too_large")
    assert server.request("GET", "/api/v1/ping").content == b"pong"


@pytest.mark.large
def test_a_body_that_never_ends_is_left_at_last(server, token):
    head = b"POST /api/v1/contents HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head)
        with pytest.raises(OSError, match=r"Broken pipe|reset"):
            while True:
                connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
    assert server.request("GET", "/api/v1/ping").content == b"pong"


def exchange(server, token, text):
    """The answer to these bytes, the key's header included, as status line and body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(text.replace(b"TOKEN", token.encode()))
        answer = connection.makefile("rb").read()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.splitlines()[0], body


@pytest.mark.parametrize("chunk", [b"zz\r\n{}", b"-1\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"2\r\n{}xx0\r\n\r\n"])
def test_malformed_chunks_are_400_in_json(server, token, chunk):
    head = b"POST /api/v1/contents HTTP/1.1\r\nHost: localhost\r\nX-SS-API-KEY: TOKEN\r\nConnection: close\r\n"
    status, body = exchange(server, token, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + b"\r\n" * 5)
    assert b" 400 " in status
    assert json.loads(body)["code"] == "body_unreadable"


def test_a_request_without_any_header_of_the_body_is_read(server, token):
    head = b"POST /api/v1/contents HTTP/1.1\r\nHost: localhost\r\nX-SS-API-KEY: TOKEN\r\nConnection: close\r\n"
    status, body = exchange(server, token, head + b'Content-Length: 12\r\n\r\n{"siteId":0}')
    assert (status.split()[1], json.loads(body)["code"]) == (b"400", "site_not_found")


@pytest.mark.parametrize("name", ["X-SS-API-KEY", "x-ss-api-key", "X-Ss-Api-Key"])
def test_the_header_of_the_key_is_read_in_any_letter_case(server, token, name):
    answer = server.request("POST", "/api/v1/contents", b'{"siteId":0}', {name: token})
    assert_error(answer, 400, "site_not_found")


@pytest.mark.large
def test_named_origins_come_from_the_environment(installation):
    with installation.serve(CMS_CORS_ORIGINS="https://a.example,https://b.example:8443") as server:
        for origin, allowed in [
            ("https://a.example", "https://a.example"),
            ("https://b.example:8443", "https://b.example:8443"),
            ("https://c.example", None),
        ]:
            answer = server.request("GET", "/api/v1/nothing", headers={"Origin": origin})
            assert answer.headers["Access-Control-Allow-Origin"] == allowed


def test_a_head_has_the_headers_of_a_get_and_no_body(server):
    for path in ("/api/v1/ping", "/api/v1/nothing"):
        asked, read = server.request("HEAD", path), server.request("GET", path)
        assert (asked.status_code, asked.content) == (read.status_code, b"")
        assert asked.headers["Content-Length"] == read.headers["Content-Length"] == str(len(read.content))
    assert "body bytes on a no-body response" not in server.log


def test_a_content_type_that_cannot_be_read_does_no_harm(server):
    answer = server.request("GET", "/api/v1/ping", headers={"Content-Type": "a/b; a*=bogus''x"})
    assert (answer.status_code, answer.content) == (200, b"pong")


@pytest.mark.parametrize("path", ["/api/v1/ping", "/x/api/v1/ping"])
def test_no_header_moves_the_paths(server, token, path):
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nSCRIPT_NAME: /x\r\nPATH_INFO: /y\r\n\r\n"
    status, _ = exchange(server, token, head.encode())
    assert status.split()[1] == (b"200" if path == "/api/v1/ping" else b"404")
