"""Threads that write at the same time: each waits for its turn, and gets it."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from core.lib.statement_limit import without_waiting

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no lock of writers"),
    pytest.mark.django_db(transaction=True),
]


def test_what_a_refused_transaction_leaves_behind_holds_up_no_other_thread():
    has_failed, may_wait, begins = threading.Event(), threading.Event(), threading.Event()
    left = []

    def write_twice():
        try:
            # As who does not want to wait is refused, and what refused it stays in memory for a while.
            try:
                with without_waiting(connection), transaction.atomic():
                    pass
            except OperationalError as error:
                left.append(error)
            has_failed.set()
            may_wait.wait(30)
            connection.connection.set_trace_callback(lambda _statement: begins.set())
            with transaction.atomic():
                return True
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            other = pool.submit(write_twice)
            assert has_failed.wait(30)
            may_wait.set()
            assert begins.wait(30)
            assert len(left) == 1
            # The thread waits for the lock that this one holds.
            left.clear()
            gc.collect()
        assert other.result(60)


def test_connections_are_set_up_so_that_nothing_acknowledged_is_lost(installation):
    # Not those of the tests, which may be careless.
    names = ["journal_mode", "synchronous", "busy_timeout", "foreign_keys"]
    opened = "from django.db import connection; cursor = connection.cursor()"
    read = f"{opened}; print(*[cursor.execute(f'PRAGMA {{name}}').fetchone()[0] for name in {names}])"
    assert installation.manage("shell", "--verbosity", "0", "--command", read) == "wal 2 20000 1"


def test_a_transaction_takes_its_turn_to_write_when_it_begins():
    other = connection.copy()
    with transaction.atomic(), without_waiting(other), pytest.raises(OperationalError, match="locked"):
        other.cursor().execute("BEGIN IMMEDIATE")
    other.close()
