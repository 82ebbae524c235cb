"""The health check of kept connections, against a real server."""

import select

import pytest
from django.db import connection

from tests.factories import SiteFactory

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no server's connection"),
    pytest.mark.django_db(transaction=True),
]


def end_connection():
    """Let the server close the connection, as a restart of it does, and wait until that has arrived."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [process])
    other.close()
    assert select.select([connection.connection.fileno()], [], [], 10)[0]


def test_an_idle_connection_is_usable():
    connection.ensure_connection()
    assert connection.is_usable()


def test_a_connection_that_the_server_has_closed_is_not_usable():
    end_connection()
    assert not connection.is_usable()
    connection.close()


def test_a_request_after_the_server_has_gone_away_gets_its_answer(api):
    site = SiteFactory()
    assert api.post("/api/v1/contents", {"siteId": site.pk}).status_code == 200
    end_connection()
    # As at the start of every request; the test client leaves connections alone.
    connection.health_check_done = False
    connection.close_if_health_check_failed()
    assert api.post("/api/v1/contents", {"siteId": site.pk}).json() == {"totalCount": 0, "contents": []}


def test_no_connection_is_not_usable():
    connection.close()
    assert not connection.is_usable()
