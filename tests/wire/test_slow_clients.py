"""Clients that take their time: nobody else waits for them, and they are left in the end."""

import json
import re
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.servers import ROOT
from tests.wire.streams import answer_of, ask, connect, error_of, request

PING = "/api/v1/ping"
LIST = "/api/v1/contents"
ONE = {"CMS_WORKERS": "1", "CMS_THREADS": "1", "CMS_SQL_SLOTS": "0"}
BODY = b'{"siteId": 0}'


@pytest.fixture(scope="session")
def key(installation):
    return installation.manage("create_api_key", "slow clients", "--scope", "Contents")


@pytest.fixture(scope="module")
def patient(installation):
    """One thread, and a minute for clients."""
    with installation.serve(**ONE, CMS_CLIENT_SECONDS="60") as server:
        yield server


@pytest.fixture(scope="module")
def hasty(installation):
    """One thread, and a second for clients; whoever waits for the thread waits as long as it takes."""
    with installation.serve(**ONE, CMS_CLIENT_SECONDS="1", CMS_MAX_QUEUE_SECONDS="600") as server:
        yield server


def in_chunks(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("sent", ["nothing", "a byte", "half a head", "a head", "half a body", "half a chunk"])
def test_nobody_waits_for_a_request_that_is_not_there_yet(patient, key, sent):
    whole = request(LIST, "POST", BODY, X_SS_API_KEY=key)
    head = whole.index(b"\r\n\r\n") + 4
    if sent == "half a chunk":
        whole = request(LIST, "POST", in_chunks(BODY), X_SS_API_KEY=key, Transfer_Encoding="chunked")
    length = {"nothing": 0, "a byte": 1, "half a head": head // 2, "a head": head}.get(sent, len(whole) - 4)
    with connect(patient) as slow, connect(patient) as slower:
        for stream in (slow, slower):
            stream.sendall(whole[:length])
        for _ in range(3):
            assert ask(patient, PING)[2] == b"pong"
        slow.sendall(whole[length:])
        assert error_of(answer_of(slow)) == (400, "site_not_found")


def test_a_request_that_comes_byte_by_byte_is_read(patient, key):
    with connect(patient) as slow:
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request(LIST, "POST", BODY, X_SS_API_KEY=key):
            slow.sendall(bytes([byte]))
        assert error_of(answer_of(slow)) == (400, "site_not_found")


def test_requests_that_are_sent_at_once_are_answered_in_turn(patient, key):
    first = request(LIST, "POST", BODY, X_SS_API_KEY=key, Connection="keep-alive")
    with connect(patient) as stream:
        stream.sendall(first + first + request(PING))
        answer = b"".join(iter(lambda: stream.recv(65536), b""))
    assert answer.count(b"HTTP/1.1 400 ") == answer.count(b"site_not_found") == 2
    assert answer.endswith(b"\r\n\r\npong")


def test_a_kept_connection_holds_nobody_and_takes_a_second_request_in_parts(patient):
    again = request(PING)
    with connect(patient) as kept:
        kept.sendall(request(PING, Connection="keep-alive"))
        answer = b""
        while not answer.endswith(b"\r\n\r\npong"):
            answer += (part := kept.recv(65536))
            assert part, answer
        kept.sendall(again[:10])
        assert ask(patient, PING)[2] == b"pong"
        kept.sendall(again[10:])
        assert answer_of(kept)[2] == b"pong"


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(patient, key):
    whole = request(LIST, "POST", BODY, X_SS_API_KEY=key, Expect="100-continue")
    with connect(patient) as stream:
        stream.sendall(whole.removesuffix(BODY))
        assert stream.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        stream.sendall(BODY)
        assert error_of(answer_of(stream)) == (400, "site_not_found")


def test_a_body_that_breaks_off_is_400(patient, key):
    with connect(patient) as stream:
        stream.sendall(request(LIST, "POST", BODY, X_SS_API_KEY=key, Content_Length="100"))
        stream.shutdown(socket.SHUT_WR)
        assert answer_of(stream)[0] == 400


@pytest.mark.parametrize("sent", [b"G", request(PING)[:-2], request(LIST, "POST", BODY)[:-1]])
def test_a_request_that_is_not_there_in_time_is_408(hasty, sent):
    with connect(hasty) as slow:
        slow.sendall(sent)
        answer = answer_of(slow)
    assert error_of(answer) == (408, "request_timeout")
    assert re.fullmatch("[0-9a-f]{24}", answer[1]["x-request-id"])
    assert json.loads(answer[2])["message"].startswith("The request was not there after 1 seconds (CMS_CLIENT_SECONDS)")
    hasty.await_lines("Too slow: ", 1)


def test_a_page_of_another_origin_can_read_that_it_was_too_slow(hasty):
    with connect(hasty) as slow:
        slow.sendall(request(PING, Origin="https://www.example.com")[:-2])
        status, headers, _ = answer_of(slow)
    assert (status, headers["access-control-allow-origin"]) == (408, "https://www.example.com")


def test_a_connection_without_a_request_is_ended_without_an_answer(hasty):
    with connect(hasty) as idle:
        assert idle.recv(1) == b""


def test_the_rest_of_a_long_body_is_not_waited_for_for_ever(hasty, key):
    with connect(hasty) as slow:
        slow.sendall(request(LIST, "POST", b" " * 100_000, X_SS_API_KEY=key, Content_Length="200000"))
        assert ask(hasty, PING)[2] == b"pong"
        assert error_of(answer_of(slow)) == (400, "body_unreadable")


def test_long_bodies_never_hold_every_thread(installation, key):
    """Clients that stop in the middle of long bodies hold one of two threads, and fill no queue but their own."""
    long = request(LIST, "POST", b" " * 100_000, X_SS_API_KEY=key, Content_Length="200000")
    settings = {
        "CMS_WORKERS": "1",
        "CMS_THREADS": "2",
        "CMS_SQL_SLOTS": "0",
        "CMS_CLIENT_SECONDS": "60",
        "CMS_MAX_QUEUE": "1",
    }
    with installation.serve(**settings) as server, ExitStack() as streams:
        for _ in range(3):
            streams.enter_context(connect(server)).sendall(long)
        for _ in range(3):
            assert ask(server, PING)[2] == b"pong"


def test_an_answer_that_nobody_takes_is_not_waited_for_for_ever(installation, hasty):
    site = installation.manage("create_site", "Slow clients", "--site-dir", "slow").rpartition("siteId=")[2]
    key = installation.manage("create_api_key", "slow readers", "--scope", "Contents")
    body = json.dumps({"title": "Tide", "content": "tide " * 200_000}).encode()
    for _ in range(10):
        assert ask(hasty, f"/api/v1/contents/{site}/{site}", "POST", body, X_SS_API_KEY=key)[0] == 200
    whole = request(LIST, "POST", json.dumps({"siteId": int(site)}).encode(), X_SS_API_KEY=key)
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", hasty.port))
        slow.sendall(whole)
        slow.recv(1)  # the answer is being sent
        assert ask(hasty, PING)[2] == b"pong"
    assert "Traceback" not in hasty.log


# ---- Options that cannot be


def start(installation, *options, **settings):
    """What a server says that does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", "python:cms_api.server", *options, "cms_api.wsgi"],
        cwd=ROOT,
        env=installation.environment | {"PORT": "0"} | settings,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("name", ["CMS_CLIENT_SECONDS", "CMS_MAX_QUEUE", "CMS_MAX_QUEUE_SECONDS"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "soon", "1000000"])
def test_a_bound_that_cannot_be_ends_the_start(installation, name, value):
    assert start(installation, **{name: value}).startswith(f"{name} must be a whole number from 1 to ")


def test_tls_is_left_to_the_proxy(installation, tmp_path):
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch()
    options = ["--certfile", str(tmp_path / "cert.pem"), "--keyfile", str(tmp_path / "key.pem")]
    assert "are the proxy's" in start(installation, *options)
