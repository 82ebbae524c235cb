"""`manage.py purge audit`"""

import pytest
from django.core.management import CommandError, call_command

from core.audit import retention
from core.audit.models import AuditEntry, AuditRetention
from tests.audit.noting import noted, only

pytestmark = pytest.mark.django_db


@pytest.fixture
def entries():
    """Five old entries, and a young one."""
    old = [AuditEntry.objects.create(action="site.changed", at=f"2020-01-0{day} 00:00:00") for day in range(1, 6)]
    return [*old, AuditEntry.objects.create(action="site.changed")]


def purge(capsys, *options):
    call_command("purge", "audit", *options)
    return capsys.readouterr().out.strip()


def test_old_entries_go_and_that_is_noted(entries, capsys):
    with noted() as new:
        assert purge(capsys).startswith("Purged: entries=5 before=")
    assert [pk for pk in (each.pk for each in entries) if AuditEntry.objects.filter(pk=pk).exists()] == [entries[5].pk]
    entry = only(new)
    assert (entry.action, entry.actor_kind, entry.details["entries"]) == ("audit.purged", "command", 5)
    assert not AuditRetention.objects.exists()


def test_by_default_they_are_kept_for_so_many_days(entries, capsys, settings):
    settings.CMS_AUDIT_DAYS = 100_000
    assert purge(capsys).startswith("Purged: entries=0")
    assert purge(capsys, "--older-than", "1d").startswith("Purged: entries=5")


def test_nothing_to_purge_is_not_noted(capsys):
    with noted() as new:
        assert purge(capsys).startswith("Purged: entries=0")
    assert new == []


def test_a_dry_run_deletes_nothing(entries, capsys):
    with noted() as new:
        assert purge(capsys, "--dry-run").startswith("Would be purged: entries=5")
    assert new == []
    assert AuditEntry.objects.filter(pk__in=[entry.pk for entry in entries]).count() == 6


def test_an_interruption_leaves_whole_batches_noted(entries, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)

    def stop(deleted):
        raise KeyboardInterrupt

    with noted() as new, pytest.raises(KeyboardInterrupt):
        retention.purge(entries[5].at, stop)
    assert only(new).details["entries"] == 2
    assert AuditEntry.objects.filter(pk__in=[entry.pk for entry in entries]).count() == 4
    assert not AuditRetention.objects.exists()
    with noted() as new:
        assert retention.purge(entries[5].at) == 3
    assert [entry.details["entries"] for entry in new] == [2, 1]


@pytest.mark.parametrize("age", ["0", "0d", "-1d", "soon", ""])
def test_an_age_that_cannot_be_is_refused(entries, age):
    with pytest.raises(CommandError):
        call_command("purge", "audit", f"--older-than={age}")
    assert AuditEntry.objects.filter(at__lt="2021-01-01").count() == 5


@pytest.mark.parametrize("days", [0, -1])
def test_a_setting_that_would_empty_the_audit_is_refused(entries, settings, days):
    settings.CMS_AUDIT_DAYS = days
    with pytest.raises(CommandError, match="CMS_AUDIT_DAYS"):
        call_command("purge", "audit")
    assert AuditEntry.objects.filter(at__lt="2021-01-01").count() == 5


def test_an_age_before_the_calendar_purges_nothing(entries, capsys, settings):
    settings.CMS_AUDIT_DAYS = 10_000_000
    assert purge(capsys).startswith("Purged: entries=0")
