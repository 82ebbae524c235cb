"""Clients that take their time: nobody else waits for them, and they are left in the end."""

import json
import re
import resource
import runpy
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.wire.streams import answer_of, ask, connect, error_of, request
from tools.servers import ROOT

pytestmark = pytest.mark.large

PLAIN = "/api/v1/nothing"  # which needs a thread, and no database
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
            assert ask(patient, PLAIN)[0] == 404
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
        stream.sendall(first + first + request(PLAIN))
        answer = b"".join(iter(lambda: stream.recv(65536), b""))
    assert answer.count(b"HTTP/1.1 400 ") == answer.count(b"site_not_found") == 2
    assert answer.count(b"HTTP/1.1 404 ") == 1


def test_a_kept_connection_holds_nobody_and_takes_a_second_request_in_parts(patient):
    again = request(PLAIN)
    with connect(patient) as kept:
        kept.sendall(request(PLAIN, Connection="keep-alive"))
        answer = b""
        while not answer.endswith(b"}"):
            answer += (part := kept.recv(65536))
            assert part, answer
        kept.sendall(again[:10])
        assert ask(patient, PLAIN)[0] == 404
        kept.sendall(again[10:])
        assert answer_of(kept)[0] == 404


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


@pytest.mark.parametrize("sent", [b"G", request(PLAIN)[:-2], request(LIST, "POST", BODY)[:-1]])
def test_a_request_that_is_not_there_in_time_is_408(hasty, sent):
    with connect(hasty) as slow:
        slow.sendall(sent)
        answer = answer_of(slow)
    assert error_of(answer) == (408, "request_timeout")
    assert re.fullmatch("[0-9a-f]{24}", answer[1]["x-request-id"])
    assert json.loads(answer[2])["message"].startswith(
        "The request did not arrive within 1 seconds (CMS_CLIENT_SECONDS)"
    )
    hasty.await_lines("Too slow: ", 1)


def test_a_page_of_another_origin_can_read_that_it_was_too_slow(hasty):
    with connect(hasty) as slow:
        slow.sendall(request(PLAIN, Origin="https://www.example.com")[:-2])
        status, headers, _ = answer_of(slow)
    assert (status, headers["access-control-allow-origin"]) == (408, "https://www.example.com")


def test_a_connection_without_a_request_is_ended_without_an_answer(hasty):
    with connect(hasty) as idle:
        assert idle.recv(1) == b""


def test_the_rest_of_a_long_body_is_not_waited_for_for_ever(hasty, key):
    with connect(hasty) as slow:
        slow.sendall(request(LIST, "POST", b" " * 100_000, X_SS_API_KEY=key, Content_Length="200000"))
        assert ask(hasty, PLAIN)[0] == 404
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
            assert ask(server, PLAIN)[0] == 404


# ---- Answers that are taken slowly


FILM = b"harbour " * 600_000  # bytes of a file of the site


@pytest.fixture(scope="module")
def long_answers(installation, patient, key):
    """Requests with long answers, by name: a list of 5 MB, a file, and part of that file."""
    site = installation.create_site("Slow clients")
    body = json.dumps({"title": "Tide", "content": "tide " * 200_000}).encode()
    for _ in range(5):
        assert ask(patient, f"/api/v1/contents/{site}/{site}", "POST", body, X_SS_API_KEY=key)[0] == 200
    name = f"sites/{site}/upload/videos/film.mp4"
    file = Path(installation.environment["CMS_DATA_DIR"]) / "media" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(FILM)
    listed = json.dumps({"siteId": int(site)}).encode()
    return {
        "a list": request(LIST, "POST", listed, X_SS_API_KEY=key),
        "a file": request(f"/media/{name}"),
        "part of a file": request(f"/media/{name}", Range="bytes=1000-3000999"),
    }


@contextmanager
def reader(server, sent):
    """A client with little room, which takes nothing of its answer by itself."""
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(60)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(sent)
        assert slow.recv(1, socket.MSG_PEEK)  # the answer is being sent
        yield slow


@pytest.mark.parametrize("name", ["a list", "a file", "part of a file"])
def test_nobody_waits_for_a_client_to_take_its_answer_which_arrives_whole(patient, long_answers, name):
    with ExitStack() as readers:
        slow, *_ = [readers.enter_context(reader(patient, long_answers[name])) for _ in range(5)]
        for _ in range(3):
            assert ask(patient, PLAIN)[0] == 404
        status, headers, body = answer_of(slow)
    assert int(headers["content-length"]) == len(body)
    if name == "a list":
        assert json.loads(body)["totalCount"] == 5
    else:
        assert (status, body) == ((200, FILM) if name == "a file" else (206, FILM[1000:3_001_000]))


def test_a_connection_goes_on_after_an_answer_that_was_taken_slowly(patient, long_answers):
    kept = long_answers["a list"].replace(b"Connection: close", b"Connection: keep-alive")
    with reader(patient, kept) as slow:
        assert ask(patient, PLAIN)[0] == 404
        slow.sendall(request(PLAIN))
        whole = b"".join(iter(lambda: slow.recv(65536), b""))
    assert (whole.count(b"HTTP/1.1 200 OK"), whole.count(b"HTTP/1.1 404 ")) == (1, 1)


def test_an_answer_that_nobody_takes_is_not_waited_for_for_ever(hasty, long_answers):
    told = hasty.log.count("Too slow: ")
    with reader(hasty, long_answers["a file"]) as slow:
        hasty.await_lines("Too slow: ", told + 1)
        with pytest.raises(ConnectionResetError):
            while slow.recv(65536):
                pass
            raise ConnectionResetError  # ended early, without a reset
    assert "Traceback" not in hasty.log


@pytest.fixture
def few_files():
    """Programs that begin within the test may open 256 files at first."""
    given = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, given[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, given)


def test_answers_that_nobody_takes_leave_files_to_others(installation, long_answers, few_files):
    # Each is a second open file of its connection.
    with installation.serve(**ONE, CMS_CLIENT_SECONDS="60") as server, ExitStack() as readers:
        for _ in range(100):
            readers.enter_context(reader(server, long_answers["a file"]))
        assert resource.prlimit(server.workers[0], resource.RLIMIT_NOFILE)[0] > 1024
        assert ask(server, PLAIN)[0] == 404


def test_a_worker_outlives_more_clients_than_it_may_have_files(installation):
    with installation.serve(**ONE, CMS_CLIENT_SECONDS="60") as server:
        assert ask(server, PLAIN)[0] == 404
        (worker,) = server.workers
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (128, 128))
        with ExitStack() as idle:
            for _ in range(200):
                idle.enter_context(connect(server))
            assert ask(server, PLAIN)[0] == 404
        assert server.workers == [worker]


# ---- Options that cannot be


def start(installation, *options, **settings):
    """What a server says that does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", "python:server.configuration", *options, "cms_api.wsgi"],
        cwd=ROOT,
        env=installation.environment | {"PORT": "0"} | settings,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("name", ["CMS_CLIENT_SECONDS", "CMS_MAX_QUEUE", "CMS_MAX_QUEUE_SECONDS"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "soon", "1000000"])
def test_a_bound_that_cannot_be_ends_the_start(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    monkeypatch.delitem(sys.modules, "server.configuration", raising=False)
    with pytest.raises(SystemExit, match=f"^{name} must be a whole number from 1 to "):
        runpy.run_module("server.configuration")  # tests/test_deploy.py starts servers with others


def test_a_port_in_use_is_told_with_a_way_out(installation, patient):
    told = start(installation, PORT=str(patient.port)).splitlines()[-1]
    assert f"Port {patient.port} is in use." in told
    assert f"PORT={patient.port + 1}." in told


def test_tls_is_left_to_the_proxy(installation, tmp_path):
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch()
    options = ["--certfile", str(tmp_path / "cert.pem"), "--keyfile", str(tmp_path / "key.pem")]
    assert "belong in the proxy" in start(installation, *options)
