"""Statements that take too long."""

import pytest
from django.db import OperationalError, connection

from core.lib.statement_limit import TooSlow, look_at_clock, statement_limit

ENDLESS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) "
    "SELECT count(*) FROM numbers"
)
pytestmark = pytest.mark.django_db(transaction=True)


def count_to(number):
    with connection.cursor() as cursor:
        cursor.execute(ENDLESS.format(number))
        return cursor.fetchone()[0]


def test_a_statement_within_the_limit_answers():
    with statement_limit(connection, 60):
        assert count_to(10) == 10


def test_a_statement_beyond_the_limit_is_ended():
    with pytest.raises(TooSlow), statement_limit(connection, 0.05):
        count_to(10**12)


def test_the_connection_is_fit_for_more_afterwards():
    for _ in range(3):
        with pytest.raises(TooSlow), statement_limit(connection, 0.05):
            count_to(10**12)
        assert count_to(100_000) == 100_000


def test_other_failures_stay_what_they_are():
    with pytest.raises(Exception, match="no_such_table") as raised, statement_limit(connection, 60):
        connection.cursor().execute("SELECT 1 FROM no_such_table")
    assert not isinstance(raised.value, TooSlow)


def test_a_failure_of_operation_that_is_no_limit_stays_what_it_is():
    with pytest.raises(OperationalError, match="on purpose"), statement_limit(connection, 60):
        raise OperationalError("on purpose")


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL ends its statements itself")
def test_a_function_of_ours_is_ended_within_its_row_and_only_at_the_limit():
    connection.ensure_connection()
    connection.connection.create_function("look", 0, look_at_clock)
    connection.connection.create_function("fail", 0, lambda: 1 / 0)
    with connection.cursor() as cursor:
        with statement_limit(connection, 60):
            assert cursor.execute("SELECT look()").fetchone() == (None,)
        with pytest.raises(TooSlow), statement_limit(connection, 0):
            cursor.execute("SELECT look()")
        assert cursor.execute("SELECT look()").fetchone() == (None,)
        with pytest.raises(OperationalError, match="function raised"), statement_limit(connection, 60):
            cursor.execute("SELECT fail()")
