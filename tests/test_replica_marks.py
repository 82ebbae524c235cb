"""What Redis knows of the writes of keys, and when that is not believed."""

import shutil
from contextlib import closing

import pytest

from core.replicas import marks
from tests.redis_server import RedisServer

pytestmark = pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")


@pytest.fixture
def server():
    with closing(RedisServer()) as server:
        yield server


@pytest.fixture
def later(monkeypatch):
    """Moves the clock of marks on by so many seconds, which stands still otherwise."""
    now = [marks.monotonic()]

    def move(seconds):
        now[0] += seconds

    monkeypatch.setattr("core.lib.circuit_breaker.monotonic", lambda: now[0])
    monkeypatch.setattr("core.replicas.marks.monotonic", lambda: now[0])
    return move


@pytest.fixture
def process(server, later):
    """A process that has known the server for long enough."""
    process = marks.Marks(server.url)
    assert is_trusted(process) is False
    later(marks.seconds())
    assert is_trusted(process)
    return process


def is_trusted(process, key_id=1):
    try:
        process.get(key_id)
    except marks.NoAnswer:
        return False
    return True


def test_the_mark_of_a_key_is_what_it_wrote_last(process):
    process.put(1, 0xA0)
    process.put(1, 0x9F)
    assert (process.get(1), process.get(2)) == (0xA0, 0)


def test_a_mark_ends_by_itself(process, server):
    process.put(1, 1)
    assert 0 < server.client.ttl("cms:wrote:1") <= marks.seconds()


@pytest.mark.parametrize("lose", [RedisServer.kill, lambda server: server.client.flushall()])
def test_a_redis_that_has_lost_its_marks_between_two_requests_is_not_believed(process, server, later, lose):
    process.put(1, 1)
    lose(server)
    if lose is RedisServer.kill:
        server.start()
    assert not is_trusted(process)
    later(marks.seconds() - 1)
    assert not is_trusted(process)
    later(1)
    assert process.get(1) == 0


def test_other_processes_notice_what_one_has_found_empty(process, server, later):
    server.client.flushall()
    other = marks.Marks(server.url)
    assert not is_trusted(other)  # who gives it a new name
    process.put(1, 1)
    assert not is_trusted(process)


def test_a_redis_that_does_not_answer_is_left_alone_and_then_asked_again(process, server, later):
    server.kill()
    assert not is_trusted(process)
    server.start()
    assert not is_trusted(process)
    assert server.client.info("commandstats").get("cmdstat_evalsha") is None
    later(marks._PAUSE)
    assert not is_trusted(process)  # it is another
    later(marks.seconds())
    assert is_trusted(process)


def test_a_mark_that_could_not_be_put_has_the_primary_read(process, server, later):
    with server.silent():
        process.put(1, 1)
    later(marks._PAUSE)
    assert not is_trusted(process)
    later(marks.seconds())
    assert is_trusted(process)
