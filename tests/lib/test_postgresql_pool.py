"""The pool of connections, where no server answers."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from core.lib.postgresql.pool import Pool

_SECONDS = 30


@pytest.fixture
def silent():
    """What takes connections and says nothing, until they are closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_who_waits_for_a_connection_that_cannot_be_made_is_told_why(silent):
    pool = Pool(1, kwargs={"host": "127.0.0.1", "port": silent.getsockname()[1], "sslmode": "disable"})
    pool.open()
    try:
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(pool.getconn, _SECONDS)
            connection, _address = silent.accept()
            second = threads.submit(pool.getconn, _SECONDS)
            await_waiting(pool)
            connection.close()
            for one in (first, second):
                with pytest.raises(psycopg.OperationalError, match="closed the connection"):
                    one.result(_SECONDS)
    finally:
        pool.close()


def await_waiting(pool):
    end, pause = time.monotonic() + _SECONDS, threading.Event()
    while not pool.get_stats()["requests_waiting"]:
        assert time.monotonic() < end, "Nobody waits."
        pause.wait(0.01)
