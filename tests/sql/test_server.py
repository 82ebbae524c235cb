"""The SQL endpoint under a real server: statements through real workers, and what the log says at start."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from cms_client import BadRequest, TooManyRequests
from django.db import connection

SITES = "SELECT COUNT(*) AS n FROM siteserver_Site"
# Grows without a table: six rows, crossed three times, and that crossed four times.
_ROWS = " UNION ALL ".join(["SELECT 1 AS n"] * 6)
BOMB = f"WITH a AS ({_ROWS}), b AS (SELECT x.n FROM a x, a y, a z) SELECT COUNT(*) AS n FROM b p, b q, b r, b s"


@pytest.fixture(scope="session")
def token(installation):
    return installation.manage("create_api_key", "SQL over a server", "--scope", "SQL:read")


def rows_when_started(client, statement):
    """The rows, asked for again while new children start, which takes seconds on a busy machine."""
    for _ in range(60):
        with suppress(TooManyRequests):
            return client.sql.rows(statement)
    return client.sql.rows(statement)


@pytest.mark.large
def test_many_statements_at_once_are_answered_or_asked_to_come_again_and_others_go_on(installation, token):
    # The bombs of sixteen clients at four slots; whoever has none hears it at once.
    with (
        installation.serve(CMS_SQL_SECONDS="1.0") as server,
        server.client(token) as client,
        ThreadPoolExecutor(16) as pool,
    ):
        codes = set()
        for _ in range(60):  # until a slot has started its child, which takes seconds on a busy machine
            asked = [pool.submit(client.sql.rows, BOMB) for _ in range(16)]
            assert client.ping()
            codes |= {each.exception().code for each in asked}
            if "sql_timeout" in codes:
                break
        assert len(rows_when_started(client, SITES)) == 1
    assert codes == {"sql_timeout", "sql_busy"}


def test_a_statement_of_a_client_is_not_in_the_log(server, token):
    with server.client(token) as client:
        assert client.sql.row("SELECT 'a private word' AS it") == {"it": "a private word"}
        with pytest.raises(BadRequest):
            client.sql.rows("SELECT private_word")
    assert "private" not in server.log


@pytest.mark.large
def test_the_log_says_at_start_that_a_table_is_unknown(installation):
    with installation.serve(CMS_SQL_TABLES="siteserver_Nothing") as server, server.client() as client:
        assert client.ping()
    assert 'CMS_SQL_TABLES: There is no table "siteserver_Nothing"' in server.log


@pytest.mark.large
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no account that reads")
@pytest.mark.django_db(transaction=True)
def test_the_log_says_at_start_that_the_account_is_missing_and_the_service_answers(installation):
    place = connection.settings_dict
    url = f"postgres://{place['USER']}@{place['HOST']}:{place['PORT'] or 5432}/{place['NAME']}"
    with installation.serve(CMS_DATABASE_URL=url) as server, server.client() as client:
        assert client.ping()
    assert "The SQL endpoint is closed: its database account cannot sign in" in server.log
    assert "manage.py set_up_sql_reader" in server.log


@pytest.mark.large
def test_a_worker_has_started_its_process_for_statements_before_it_serves(installation):
    with installation.serve(CMS_WORKERS="1") as server, server.client() as client:
        assert client.ping()
        (worker,) = server.workers
        (child,) = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
        assert "cms_api.sql_endpoint.child" in Path(f"/proc/{child}/cmdline").read_text()
