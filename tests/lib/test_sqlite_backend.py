"""Threads that write at the same time: each waits for its turn, and gets it."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from cms_api.lib.statement_limit import without_waiting

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
