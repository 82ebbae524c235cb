"""The SQL endpoint under a real server: statements through real workers, and what the log says at start."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from tests.stl.asking import path

SITES = path("sqlContents", queryString="SELECT COUNT(*) AS n FROM siteserver_Site")
# Grows without a table: six rows, crossed three times, and that crossed four times.
_ROWS = " UNION ALL ".join(["SELECT 1 AS n"] * 6)
BOMB = path(
    "sqlContents",
    queryString=f"WITH a AS ({_ROWS}), b AS (SELECT x.n FROM a x, a y, a z) "
    "SELECT COUNT(*) AS n FROM b p, b q, b r, b s",
)


@pytest.fixture(scope="session")
def token(installation):
    return installation.manage("create_api_key", "SQL over a server", "--scope", "SQL:read")


def ask(server, token, address=SITES):
    return server.request("GET", address, headers={"X-SS-API-KEY": token})


def test_many_statements_at_once_are_answered_or_asked_to_come_again_and_others_go_on(installation, token):
    # The bombs of sixteen clients at four slots; whoever has none hears it at once.
    with installation.serve(CMS_SQL_SECONDS="1.0") as server, ThreadPoolExecutor(16) as pool:
        answers = [pool.submit(ask, server, token, BOMB) for _ in range(16)]
        assert server.request("GET", "/api/v1/ping").content == b"pong"
        codes = Counter(answer.result().json()["code"] for answer in answers)
        assert ask(server, token).status_code == 200
    assert set(codes) == {"sql_timeout", "sql_busy"}


def test_a_statement_of_a_client_is_not_in_the_log(server, token):
    server.request("GET", path("sqlContents", queryString="SELECT 'a private word'"), headers={"X-SS-API-KEY": token})
    server.request("GET", path("sqlContents", queryString="SELECT private_word"), headers={"X-SS-API-KEY": token})
    assert "private" not in server.log


def test_the_log_says_at_start_that_a_table_is_unknown(installation):
    with installation.serve(CMS_SQL_TABLES="siteserver_Nothing") as server:
        assert server.request("GET", "/api/v1/ping").status_code == 200
    assert 'CMS_SQL_TABLES: There is no table "siteserver_Nothing"' in server.log


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no account that reads")
@pytest.mark.django_db(transaction=True)
def test_the_log_says_at_start_that_the_account_is_missing_and_the_service_answers(installation):
    place = connection.settings_dict
    url = f"postgres://{place['USER']}@{place['HOST']}:{place['PORT'] or 5432}/{place['NAME']}"
    with installation.serve(CMS_DATABASE_URL=url) as server:
        assert server.request("GET", "/api/v1/ping").status_code == 200
    assert "The SQL endpoint is closed: its database account cannot sign in" in server.log
    assert "manage.py set_up_sql_reader" in server.log
