"""Requests that the server refuses before the service sees them: in the form of all errors, and without a secret."""

import json
import re

import pytest

from tests.wire.streams import answer_of, ask, connect, error_of, request

PING = "/api/v1/ping"
ORIGIN = "https://www.example.com"
LINE = 8190  # bytes: limit_request_line
KEY = "ssk1_Ab3dE5gH_" + "k" * 38
NUMBER = re.compile("[0-9a-f]{24}")


def with_line_of(length, method="GET", path=f"{PING}?apiKey={KEY}&x="):
    """A path that makes the first line of a request so many bytes long."""
    return path + "x" * (length - len(f"{method} {path} HTTP/1.1"))


def answer_to(server, sent):
    """The answer to these bytes through a connection of their own."""
    with connect(server) as stream:
        stream.sendall(sent)
        return answer_of(stream)


def test_a_line_of_the_limit_is_read_and_one_byte_more_is_414(server):
    assert ask(server, with_line_of(LINE))[2] == b"pong"
    status, headers, body = ask(server, with_line_of(LINE + 1))
    assert error_of((status, headers, body)) == (414, "uri_too_long")
    assert json.loads(body).keys() == {"message", "code"}
    assert "8190 bytes" in json.loads(body)["message"]
    assert (headers["connection"], headers["cache-control"]) == ("close", "no-store")


@pytest.mark.parametrize("headers", [{"X_A": "x" * LINE}, {f"X_{number}": "x" for number in range(100)}])
def test_headers_that_are_too_large_or_too_many_are_431(server, headers):
    assert error_of(ask(server, PING, **headers)) == (431, "headers_too_large")


BODY = b"Content-Length: 2\r\n\r\n{}"
UNREADABLE = [
    b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /api/v1/ping HTTP/9.1\r\nHost: localhost\r\n\r\n",
    b"G{T /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/v1/ping HTTP/1.1\r\nHost localhost\r\n\r\n",
    b"GET /api/v1/ping HTTP/1.1\r\nX A: b\r\n\r\n",
    b"GET /api/v1/ping HTTP/1.1\r\nX-A: b\r\n c\r\n\r\n",
    b"POST /api/v1/contents HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + BODY,
    b"POST /api/v1/contents HTTP/1.1\r\nTransfer-Encoding: sideways\r\n\r\n0\r\n\r\n",
    *(
        f"{line} HTTP/1.1\r\nTransfer-Encoding: {coding}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n".encode()
        for line in ("PUT /api/v1/contents/1/1/1", "GET /api/v1/ping", "POST /admin/login/")
        for coding in ("gzip, chunked", "identity, chunked", "gzip\r\nTransfer-Encoding: Chunked")
    ),
    b"POST /api/v1/contents HTTP/1.1\r\nContent-Length: two\r\n\r\n",
    b"POST /api/v1/contents HTTP/1.1\r\nExpect: wonders\r\n" + BODY,
]


@pytest.mark.parametrize("sent", UNREADABLE)
def test_what_is_no_http_is_400(server, sent):
    assert error_of(answer_to(server, sent)) == (400, "bad_request")
    assert ask(server, PING)[2] == b"pong"


def test_a_refusal_has_a_number_under_which_the_log_tells_why(server):
    for sent in (request(with_line_of(LINE + 1)), request(PING, X_A="x" * LINE), *UNREADABLE):
        number = answer_to(server, sent)[1]["x-request-id"]
        assert NUMBER.fullmatch(number)
        server.await_lines(f"Unreadable request from 127.0.0.1 (request {number}): ", 1)


def test_a_key_is_told_neither_to_the_log_nor_back(server):
    line = f"GET {PING}?apiKey={KEY} and more HTTP/1.1\r\n\r\n".encode()
    for sent in (line, request(with_line_of(LINE + 1)), request(f"{PING}?apiKey={KEY}", X_A="x" * LINE)):
        _, headers, body = answer_to(server, sent)
        server.await_lines(f"(request {headers['x-request-id']})", 1)
        assert KEY not in body.decode()
    assert KEY not in server.log


def test_a_refusal_of_a_head_has_no_body(server):
    status, headers, body = ask(server, with_line_of(LINE + 1, "HEAD"), "HEAD")
    assert (status, body) == (414, b"")
    assert int(headers["content-length"]) > 0


def test_a_page_of_another_origin_can_read_a_refusal(server):
    for sent in (request(with_line_of(LINE + 1), Origin=ORIGIN), request(PING, Origin=ORIGIN, X_A="x" * LINE)):
        _, headers, _ = answer_to(server, sent)
        assert headers["access-control-allow-origin"] == ORIGIN
        assert "x-request-id" in headers["access-control-expose-headers"]


@pytest.mark.parametrize("length", [100_000, 3_000_000])
def test_a_refusal_reaches_a_client_that_still_sends(server, length):
    assert error_of(ask(server, with_line_of(length))) == (414, "uri_too_long")


def test_a_second_request_of_a_connection_is_refused_by_what_it_is_itself(server):
    first = request(PING, Connection="keep-alive", Origin=ORIGIN)
    with connect(server) as stream:
        stream.sendall(first)
        answer = b""
        while not answer.endswith(b"pong"):
            answer += (part := stream.recv(65536))
            assert part, answer
        stream.sendall(request(with_line_of(LINE + 1)))
        answer = answer_of(stream)
    assert error_of(answer) == (414, "uri_too_long")
    assert "access-control-allow-origin" not in answer[1]


@pytest.mark.large
def test_a_number_is_taken_from_a_trusted_proxy_alone(installation, server):
    sent = [request(with_line_of(LINE + 1), X_Request_Id=given) for given in ("of-the-proxy", "a b", "x" * 65)]
    numbers = [answer_to(server, each)[1]["x-request-id"] for each in sent]
    assert all(map(NUMBER.fullmatch, numbers))
    with installation.serve(CMS_TRUSTED_PROXIES="127.0.0.1", CMS_WORKERS="1") as behind:
        numbers = [answer_to(behind, each)[1]["x-request-id"] for each in sent]
    assert numbers[0] == "of-the-proxy"
    assert all(map(NUMBER.fullmatch, numbers[1:]))


# What no client may get: a header that the server cannot send.
UNSENDABLE = """
from django.http import HttpResponse
from django.urls import path

urlpatterns = [path("api/v1/unsendable", lambda request: HttpResponse(headers={"X-A": "a\\x01"}))]
"""


@pytest.mark.large
def test_an_answer_that_cannot_be_sent_is_500_in_json_and_told_to_the_log(installation, tmp_path):
    (tmp_path / "unsendable_settings.py").write_text(
        "from cms_api.settings import *\n\nROOT_URLCONF = 'unsendable_urls'\n", encoding="utf-8"
    )
    (tmp_path / "unsendable_urls.py").write_text(UNSENDABLE, encoding="utf-8")
    settings = {"PYTHONPATH": str(tmp_path), "DJANGO_SETTINGS_MODULE": "unsendable_settings", "CMS_WORKERS": "1"}
    with installation.serve(**settings) as server:
        answer = ask(server, "/api/v1/unsendable")
        assert error_of(answer) == (500, "server_error")
        server.await_lines(f"A request could not be answered (request {answer[1]['x-request-id']})", 1)
        assert ask(server, "/api/v1/unsendable")[0] == 500
