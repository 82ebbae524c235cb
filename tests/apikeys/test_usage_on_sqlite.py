"""Noting the last use of a key never waits for another writer."""

import pytest
from django.db import connection

from apikeys.models import ApiKeyToken
from core.lib.statement_limit import without_waiting
from tests.factories import SiteFactory

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's writers do not lock each other out"),
    pytest.mark.django_db(transaction=True),
]


def patience():
    """The milliseconds that a writer waits for another."""
    with connection.cursor() as cursor:
        return cursor.execute("PRAGMA busy_timeout").fetchone()[0]


def test_a_read_is_answered_while_another_connection_writes(api):
    site = SiteFactory()
    writer = connection.copy()
    with writer.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        assert api.post("/api/v1/contents", {"siteId": site.pk}).status_code == 200
        cursor.execute("ROLLBACK")
    writer.close()
    assert not ApiKeyToken.objects.filter(last_used_at__isnull=False).exists()


def test_patience_is_given_up_for_this_statement_only():
    with without_waiting(connection):
        assert patience() == 0
    assert patience() == 20_000
