"""The write-ahead log of SQLite is emptied although statements overlap."""

import sqlite3
from contextlib import closing

import pytest

from cms_api.sql_endpoint import sqlite_log
from cms_api.sql_endpoint.sqlite_log import LogPause
from sql_sandbox.refusals import Busy

READ = "BEGIN; SELECT COUNT(*) FROM a"


@pytest.fixture(autouse=True)
def small_log(monkeypatch):
    monkeypatch.setattr(sqlite_log, "LARGE", 100_000)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "db.sqlite3")


@pytest.fixture
def connect(path):
    """Makes connections, which are closed at the end."""
    connections = []

    def make():
        connections.append(sqlite3.connect(path, isolation_level=None))
        return connections[-1]

    make().executescript("PRAGMA journal_mode = WAL; CREATE TABLE a (b)")
    yield make
    for connection in connections:
        connection.close()


def write(connect):
    connect().execute("INSERT INTO a VALUES (zeroblob(200000))")


def log_size(path):
    return sqlite_log._size(path)


def test_a_large_log_without_readers_is_emptied(connect, path):
    write(connect)
    LogPause(60).check(path)
    assert log_size(path) == 0


def test_no_statement_begins_until_those_that_run_have_ended(connect, path):
    pause, running, overlapping = LogPause(60), connect(), connect()
    running.executescript(READ)
    write(connect)
    overlapping.executescript(READ)
    for ends in (running, overlapping):
        with pytest.raises(Busy):
            pause.check(path)
        ends.execute("ROLLBACK")
    pause.check(path)
    assert log_size(path) == 0


def test_a_log_that_others_keep_does_not_close_the_endpoint(connect, path):
    pause, backup = LogPause(0), connect()
    backup.executescript(READ)
    write(connect)
    pause.check(path)
    pause.check(path)
    assert log_size(path) > 100_000


def test_statements_that_overlap_all_the_time_do_not_keep_the_log(connect, path):
    pause, running, sizes = LogPause(60), [], []
    for _ in range(40):
        try:
            pause.check(path)
        except Busy:
            running.pop(0).execute("ROLLBACK")
        else:
            running.append(connect())
            running[-1].executescript(READ)
            if len(running) > 2:
                running.pop(0).execute("ROLLBACK")
        write(connect)
        sizes.append(log_size(path))
    assert max(sizes) < 2_000_000 < 40 * 200_000


def test_a_database_without_a_log_is_left_alone(tmp_path):
    path = tmp_path / "plain.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    LogPause(60).check(str(path))
    assert log_size(str(path)) == 0
