"""The SQL endpoint under a real server: statements through real workers, and what the log says at start."""

import pytest
from django.db import connection

from tests.stl.asking import path

SITES = path("sqlContents", queryString="SELECT COUNT(*) AS n FROM siteserver_Site")


@pytest.fixture(scope="module")
def token(installation):
    return installation.manage("create_api_key", "SQL over a server", "--scope", "SQL:read")


def test_every_worker_runs_statements(server, token):
    answers = [server.request("GET", SITES, headers={"X-SS-API-KEY": token}) for _ in range(8)]
    assert {answer.content for answer in answers} == {b'{"value":[{"n":0}]}'}


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
