"""Test databases: quick to write, quick to empty."""

from django.db import connection, transaction

from core.audit.models import AuditEntry, AuditRetention

# Rows that belong to the models, as the tables themselves do. To write them again takes ten times as long as the rest.
_OF_THE_MODELS = {"django_content_type", "auth_permission"}


def write_without_waiting():
    """Let no commit wait for the disk: a test database is of no use after the machine has gone down."""
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "sqlite":
        options["init_command"] += "; PRAGMA synchronous = OFF"
    else:
        options["options"] = "-c synchronous_commit=off"


def empty_tables():
    """Delete every row that a test with transactions of its own may have left."""
    every = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [connection.ops.quote_name(name) for name in every if name not in _OF_THE_MODELS]
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # No trigger, and no look at foreign keys. TRUNCATE would make the files of all tables anew.
            cursor.execute("SET LOCAL session_replication_role = replica")
        else:
            _empty_audit()
        # Events last: on SQLite, the deletions write some.
        for table in sorted(tables, key=lambda name: "events_event" in name):
            cursor.execute(f"DELETE FROM {table}")


def _empty_audit():
    """Delete every entry of the audit, as a purge does that keeps none; triggers refuse any other way."""
    AuditRetention.objects.create(before="9999-01-01 00:00:00")
    AuditEntry.objects.all().delete()
    AuditRetention.objects.all().delete()
