"""More requests than a server bears: it says so at once, to those that it cannot serve, and serves the others."""

import json
import sqlite3
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from select import select

import pytest

from tests.wire.streams import answer_of, ask, connect, error_of, request

pytestmark = pytest.mark.large

ORIGIN = "https://www.example.com"
PLAIN = "/api/v1/nothing"  # which needs a thread, and no database
TOLD = "Overloaded: "
TOKEN = "prometheus-reads-this-1"
# One thread, which a single request can hold.
ONE = {"CMS_WORKERS": "1", "CMS_THREADS": "1", "CMS_SQL_SLOTS": "0", "CMS_METRICS_TOKEN": TOKEN}


@pytest.fixture(scope="session")
def place(installation):
    """A site and a key, and a request that waits while somebody else writes."""
    site = installation.create_site("Overload")
    key = installation.manage("create_api_key", "overload", "--scope", "Contents")
    return request(f"/api/v1/contents/{site}/{site}", "POST", b'{"title": "Tide"}', X_SS_API_KEY=key)


def send(server, stream, text):
    """Return when the server has the request: what it is asked afterwards comes after it.

    No thread must be idle, since such a one looks whether a new connection has sent something.
    """
    stream.sendall(text)
    assert ask(server, "/api/v1/health/live")[0] == 200


@contextmanager
def held(installation, server, writes):
    """The only thread is held by a request while the block lasts; it is served at the end."""
    file = Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None)) as writer, connect(server) as stream:
        writer.execute("BEGIN IMMEDIATE")
        assert ask(server, PLAIN)[0] == 404  # the thread has looked at the new connection, and has left it
        send(server, stream, writes)
        try:
            yield
        finally:
            writer.execute("ROLLBACK")
        assert answer_of(stream)[0] == 200


@contextmanager
def full(installation, server, writes):
    """The only thread is held, and the only place in the queue is taken, while the block lasts; both are served."""
    with connect(server) as waiting:
        with held(installation, server, writes):
            send(server, waiting, request(PLAIN))
            yield
        assert answer_of(waiting)[0] == 404


@pytest.fixture(scope="module")
def narrow(installation):
    """One request may wait, for as long as it takes."""
    with installation.serve(**ONE, CMS_MAX_QUEUE="1", CMS_MAX_QUEUE_SECONDS="600") as server:
        yield server


def shed_so_far(server):
    text = ask(server, "/api/v1/metrics", Authorization=f"Bearer {TOKEN}")[2].decode()
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("cms_requests_shed_total "))


def test_what_finds_the_queue_full_is_503_and_what_waits_is_served(installation, narrow, place):
    before = shed_so_far(narrow)
    with full(installation, narrow, place):
        for _ in range(3):
            status, headers, body = ask(narrow, PLAIN)
            assert (status, headers["retry-after"], headers["cache-control"]) == (503, "600", "no-store")
            assert json.loads(body).keys() == {"message", "code"}
            assert error_of((status, headers, body)) == (503, "overloaded")
    assert ask(narrow, PLAIN)[0] == 404
    assert shed_so_far(narrow) - before == 3


def test_the_log_has_a_line_for_many(installation, narrow, place):
    begun, told = time.monotonic(), narrow.log.count(TOLD)
    with full(installation, narrow, place):
        for _ in range(40):
            assert ask(narrow, PLAIN)[0] == 503
        narrow.await_lines(TOLD, told + 1)
    # One in ten seconds, and perhaps one of what other tests had refused.
    assert narrow.log.count(TOLD) - told <= 2 + (time.monotonic() - begun) / 10 < 40


@pytest.mark.parametrize(("method", "path"), [("GET", PLAIN), ("POST", "/api/v1/contents")])
def test_a_page_of_another_origin_can_read_a_refusal(installation, narrow, place, method, path):
    with full(installation, narrow, place):
        status, headers, _ = ask(narrow, path, method, b"{}", Origin=ORIGIN)
    assert (status, headers["access-control-allow-origin"]) == (503, ORIGIN)
    assert headers["access-control-allow-credentials"] == "true"
    assert "retry-after" in headers["access-control-expose-headers"]


def test_only_origins_that_are_named_can_read_a_refusal(installation, place):
    settings = ONE | {"CMS_MAX_QUEUE_SECONDS": "1", "CMS_CORS_ORIGINS": ORIGIN}
    with installation.serve(**settings) as server, held(installation, server, place):
        _, named, _ = ask(server, PLAIN, Origin=ORIGIN)
        _, other, _ = ask(server, PLAIN, Origin="https://elsewhere.example")
    assert named["access-control-allow-origin"] == ORIGIN
    assert "access-control-allow-origin" not in other
    assert named["vary"] == other["vary"] == "origin"


@pytest.mark.parametrize("sent", ["https://a.example\x00", "https://ä.example", "x" * 256])
def test_an_origin_that_is_none_is_not_repeated(installation, narrow, place, sent):
    with full(installation, narrow, place):
        _, headers, _ = ask(narrow, PLAIN, Origin=sent)
    assert "access-control-allow-origin" not in headers


def test_a_refusal_of_a_head_has_no_body(installation, narrow, place):
    with full(installation, narrow, place):
        status, headers, body = ask(narrow, PLAIN, "HEAD")
        assert (status, body) == (503, b"")
        assert int(headers["content-length"]) > 0


def test_a_refusal_reaches_a_client_that_still_sends(installation, narrow, place):
    long = request("/api/v1/contents", "POST", b" " * 1_000_000)
    with held(installation, narrow, place), connect(narrow) as waiting:
        send(narrow, waiting, long[:100_000])  # which is not there as a whole, and so waits in a line of its own
        with connect(narrow) as refused:
            refused.sendall(long)
            assert error_of(answer_of(refused)) == (503, "overloaded")


@pytest.mark.parametrize("path", ["/api/v1/ping", "/api/v1/health/live", "/api/v1/health/ready", "/api/v1/metrics"])
def test_who_asks_how_the_server_is_gets_an_answer(installation, narrow, place, path):
    with full(installation, narrow, place):
        assert ask(narrow, PLAIN)[0] == 503
        assert ask(narrow, path, Authorization=f"Bearer {TOKEN}")[0] == 200


def test_what_waits_too_long_is_503(installation, place):
    with installation.serve(**ONE, CMS_MAX_QUEUE_SECONDS="1") as server:
        with held(installation, server, place):
            assert error_of(ask(server, PLAIN)) == (503, "overloaded")
            status, headers, _ = ask(server, PLAIN)
            assert (status, headers["retry-after"]) == (503, "1")
        assert ask(server, PLAIN)[0] == 404


def test_a_write_outlasts_a_read_in_the_queue(installation, place):
    with installation.serve(**ONE, CMS_MAX_QUEUE_SECONDS="2") as server, connect(server) as waiting:
        with held(installation, server, place):
            send(server, waiting, place)
            assert error_of(ask(server, PLAIN)) == (503, "overloaded")
        assert answer_of(waiting)[0] == 200


def test_writers_that_wait_for_each_other_hold_half_of_the_threads(installation, place):
    """While another process writes to SQLite, reads go on, and writers beyond those that wait for it are 503."""
    settings = {"CMS_WORKERS": "1", "CMS_THREADS": "4", "CMS_MAX_QUEUE_SECONDS": "1"}
    file = Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3"
    with ExitStack() as stack:
        server = stack.enter_context(installation.serve(**settings))
        other = stack.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
        other.execute("BEGIN IMMEDIATE")
        writers = [stack.enter_context(connect(server)) for _ in range(12)]
        for writer in writers:
            writer.sendall(place)
        answers = []
        while len(answers) < 10:
            answered, _, _ = select(writers, [], [], 60)
            assert answered
            answers += map(answer_of, answered)
            writers = [writer for writer in writers if writer not in answered]
        for _ in range(20):
            assert ask(server, PLAIN)[0] == 404
        other.execute("ROLLBACK")
        answers += map(answer_of, writers)
    assert sorted(status for status, *_ in answers) == [200] * 2 + [503] * 10
    assert {headers["retry-after"] for status, headers, _ in answers if status == 503} == {"1"}


def test_a_server_that_is_told_to_end_answers_what_waits(installation, place):
    with installation.serve(**ONE, CMS_MAX_QUEUE_SECONDS="600") as server, connect(server) as waiting:
        with held(installation, server, place):
            send(server, waiting, request(PLAIN))
            end = threading.Thread(target=server.stop)
            end.start()
            server.await_lines("Handling signal: term", 1)
        assert answer_of(waiting)[0] == 404
        end.join()
