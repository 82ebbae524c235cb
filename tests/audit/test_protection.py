"""The database refuses to change the audit, whoever asks."""

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from core import audit
from core.audit.models import AuditEntry, AuditRetention

pytestmark = pytest.mark.django_db
TABLE = "audit_auditentry"
on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'")


@pytest.fixture
def entry():
    """An entry of 2020, which nothing but its age tells from others."""
    made = AuditEntry.objects.create(action="site.changed", at="2020-01-01 00:00:00", object_name="Harbour")
    return AuditEntry.objects.get(pk=made.pk)


@pytest.fixture(autouse=True)
def permits_end(db):
    """What a purge does at its end; PostgreSQL lets no transaction end before."""
    yield
    AuditRetention.objects.all().delete()


def refused(statement, words, *parameters):
    """The statement fails in these words, and leaves the audit as it was."""
    before = list(AuditEntry.objects.values())
    with pytest.raises(DatabaseError, match=words), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
    assert list(AuditEntry.objects.values()) == before


CHANGES = {
    "one": f"UPDATE {TABLE} SET actor_name = 'nobody' WHERE id = %s",
    "the date": f"UPDATE {TABLE} SET at = '2019-01-01' WHERE id = %s",
    "the same": f"UPDATE {TABLE} SET object_name = object_name WHERE id = %s",
    "the number": f"UPDATE {TABLE} SET id = id + 1 WHERE id = %s",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("is_purging", [False, True])
def test_nothing_is_changed_by_sql(entry, statement, is_purging):
    if is_purging:
        AuditRetention.objects.create(before="2026-01-01 00:00:00")
    refused(statement, "never changed", entry.pk)


def columns(entry, **changes):
    """The names and values of the entry's columns, for an INSERT of the same number."""
    row = AuditEntry.objects.filter(pk=entry.pk).values().get() | changes
    row |= {"changed": "[]", "details": "{}"}
    return ", ".join(row), ", ".join(["%s"] * len(row)), list(row.values())


def test_no_insertion_writes_over_an_entry(entry):
    names, marks, values = columns(entry, object_name="Other")
    onto = f"INSERT INTO {TABLE} ({names}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET object_name = 'Other'"
    refused(onto, "never changed", *values)
    if connection.vendor == "sqlite":
        refused(f"INSERT OR REPLACE INTO {TABLE} ({names}) VALUES ({marks})", "never changed", *values)


@pytest.mark.parametrize("condition", ["", " WHERE id = %s"])
def test_nothing_is_deleted_by_sql(entry, condition):
    refused(f"DELETE FROM {TABLE}{condition}", "purge audit", *([entry.pk] if condition else []))


@pytest.mark.parametrize("before", ["2020-01-01 00:00:00", "2019-12-31 23:59:59"])
def test_nothing_is_deleted_that_is_not_old_enough(entry, before):
    AuditRetention.objects.create(before=before)
    refused(f"DELETE FROM {TABLE}", "purge audit")


def test_what_is_old_enough_is_deleted_and_the_rest_is_not(entry):
    young = AuditEntry.objects.create(action="site.changed", at="2020-01-01 00:00:01")
    AuditRetention.objects.create(before="2020-01-01 00:00:01")
    refused(f"DELETE FROM {TABLE}", "purge audit")
    assert AuditEntry.objects.exclude(pk=young.pk).delete()[0] == 1


@on_postgresql
@pytest.mark.parametrize("rest", ["", " RESTART IDENTITY CASCADE"])
def test_the_table_is_not_emptied(entry, rest):
    refused(f"TRUNCATE {TABLE}{rest}", "purge audit")
    AuditRetention.objects.create(before="2020-01-01 00:00:00")
    refused(f"TRUNCATE {TABLE}{rest}", "purge audit")


def test_the_objects_of_the_orm_are_refused_like_sql(entry):
    entry.actor_name = "nobody"
    for change in (entry.save, entry.delete, AuditEntry.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert AuditEntry.objects.filter(pk=entry.pk, actor_name="").exists()


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_permit_ends_with_its_transaction():
    with pytest.raises(DatabaseError, match="ends with its transaction"), transaction.atomic():
        AuditRetention.objects.create(before="9999-01-01 00:00:00")
    assert not AuditRetention.objects.exists()


@on_postgresql
def test_a_temporary_table_is_no_permit(entry):
    with pytest.raises(DatabaseError, match="purge audit"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE audit_auditretention (before timestamp) ON COMMIT DROP")
        cursor.execute("INSERT INTO pg_temp.audit_auditretention VALUES ('infinity')")
        cursor.execute("DELETE FROM audit_auditentry")
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_flush_is_refused_in_words_that_lead_on(entry):
    with pytest.raises(CommandError, match=r"^Nothing was deleted\. Entries of the audit .* purge audit"):
        call_command("flush", interactive=False, verbosity=0)
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_an_act_is_noted_in_a_transaction_only():
    with pytest.raises(RuntimeError, match="within its transaction"):
        audit.record("site.changed")


def test_an_act_that_is_not_listed_is_not_noted():
    with pytest.raises(RuntimeError, match=r"Unknown audit action site\.painted"):
        audit.record("site.painted")
