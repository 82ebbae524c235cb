"""How long statements take is told to whoever watches, and slow ones are logged without values."""

import logging

import pytest
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError

from core.operation.logs import statements

pytestmark = pytest.mark.django_db
VALUE = "lighthouse7"


@pytest.fixture
def told(monkeypatch):
    """What a watcher hears."""
    for name in ("make_cursor", "_commit"):  # put back afterwards
        monkeypatch.setattr(BaseDatabaseWrapper, name, getattr(BaseDatabaseWrapper, name))
    monkeypatch.setattr(statements, "_watchers", [])
    heard = []
    statements.watch(lambda sql, seconds: heard.append((sql, seconds)))
    return heard


def texts(told):
    assert all(seconds > 0 for _, seconds in told)
    return [sql for sql, _ in told]


def test_a_statement_is_told_once_with_its_placeholders(told):
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(%s AS text)", [VALUE])
        assert cursor.fetchall() == [(VALUE,)]
        assert texts(told) == ["SELECT CAST(%s AS text)"]
    assert len(told) == 1


@pytest.mark.parametrize(
    "read",
    [
        lambda cursor: cursor.fetchone(),
        lambda cursor: cursor.fetchmany(10),
        lambda cursor: cursor.fetchall(),
        lambda cursor: list(cursor),
        lambda cursor: None,
    ],
)
def test_it_is_told_however_its_rows_are_read(told, read):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 UNION ALL SELECT 2")
        read(cursor)
    assert texts(told) == ["SELECT 1 UNION ALL SELECT 2"]


def test_one_that_fails_is_told_and_errors_are_those_of_django(told):
    # PostgreSQL goes on with nothing in a transaction that has failed.
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT nothing FROM nowhere")
    assert texts(told).count("SELECT nothing FROM nowhere") == 1


def test_each_of_several_on_one_cursor_is_told(told):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.execute("SELECT 2")
    assert texts(told) == ["SELECT 1", "SELECT 2"]


@pytest.mark.django_db(transaction=True)
def test_the_ends_of_transactions_are_told(told):
    from tests.factories import UserFactory

    UserFactory()
    assert "COMMIT" in texts(told)
    assert any(sql.startswith("INSERT") for sql in texts(told))


def test_a_slow_one_is_logged_without_what_stands_in_quotes(settings, caplog):
    settings.CMS_SLOW_STATEMENT_MILLISECONDS = 500
    statements.log_slow("SELECT 1", 0.4999)
    assert caplog.records == []
    statements.log_slow(f"SELECT a\n  FROM b WHERE c = 'it''s {VALUE}' AND d = %s", 0.5)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    told = "A statement took 500 ms in no request: SELECT a FROM b WHERE c = '…' AND d = %s"
    assert record.getMessage() == told


def test_a_long_one_is_cut(settings, caplog):
    settings.CMS_SLOW_STATEMENT_MILLISECONDS = 1
    statements.log_slow("SELECT " + "%s, " * 10_000, 1.0)
    assert len(caplog.records[0].getMessage()) < 2100
