"""Triggers that are missing, switched off or of another release: readiness, changes, `migrate`, cursors and pages."""

import signal
import time
from io import StringIO
from types import SimpleNamespace

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from contents.models import Content
from core.lib import schema
from core.lib.triggers import TriggerFiles
from core.operation import health
from events.models import Event, Numbering
from events.numbering import number_new
from events.retention import delete_old
from pages.models import ContentsVersion
from pages.site_lookup import read_sites
from server.restarts.start_check import try_to_start
from tests.assertions import assert_error
from tests.backup.places import Place
from tests.factories import AdministratorFactory, ContentFactory
from tests.postgresql import HAS_POSTGRESQL, new_database

pytestmark = pytest.mark.django_db(transaction=True)
READY, CHANGES = "/api/v1/health/ready", "/api/v1/changes"
TRIGGER, TABLE = "events_content_added", "contents_content"
only_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite cannot switch triggers off")


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def drop():
    execute(f"DROP TRIGGER {TRIGGER}" + (f" ON {TABLE}" if connection.vendor == "postgresql" else ""))


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(health, "KEPT", 0.0)
    monkeypatch.setattr(health, "PATIENCE", 30.0)
    monkeypatch.setattr(schema, "_PAUSE", 0.0)
    health.forget()
    yield
    monkeypatch.undo()
    call_command("migrate", verbosity=0)
    schema.look()
    health.forget()


LOSSES = [
    drop,
    pytest.param(lambda: execute(f"ALTER TABLE {TABLE} DISABLE TRIGGER {TRIGGER}"), marks=only_postgresql),
    pytest.param(lambda: execute(f"ALTER TABLE {TABLE} DISABLE TRIGGER USER"), marks=only_postgresql),
    pytest.param(lambda: execute(f"ALTER TABLE {TABLE} ENABLE REPLICA TRIGGER {TRIGGER}"), marks=only_postgresql),
]


def found(client):
    answer = client.get(READY)
    body = answer.json()
    probes = {probe["name"]: probe for probe in body.get("value", body)["probes"]}
    return answer.status_code, probes["migrations"]["state"], probes["migrations"]["message"]


@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_trigger_is_not_ready_and_changes_are_refused_until_migrate(api, client, lose):
    content = ContentFactory(title="Tide")
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}"
    assert found(api)[:2] == (200, "ok")
    lose()
    status, state, message = found(api)
    assert (status, state) == (503, "failed") and "triggers are missing or switched off; the first is" in message
    for refusal in (
        api.post(path, {"title": "Ebb"}),
        api.put(f"{path}/{content.pk}", {"title": "Ebb"}),
        api.delete(f"{path}/{content.pk}"),
    ):
        assert_error(refusal, 503, "database_not_migrated")
        assert refusal.headers["Retry-After"] == "60"
    client.force_login(AdministratorFactory())
    client.raise_request_exception = False
    assert client.post("/admin/logout/").status_code == 503
    assert [one.title for one in Content.objects.all()] == ["Tide"]
    assert api.get(f"{path}/{content.pk}").status_code == 200
    assert api.post("/api/v1/contents", {"siteId": content.site_id, "channelId": content.channel_id}).status_code == 200
    call_command("migrate", verbosity=0)
    assert api.post(path, {"title": "Ebb"}).status_code == 200
    assert found(api)[:2] == (200, "ok")


@only_postgresql
def test_a_session_that_fires_no_triggers_is_found():
    execute("SET session_replication_role = replica")
    try:
        assert "triggers are missing or switched off" in schema.look().problem
    finally:
        execute("RESET session_replication_role")


def test_triggers_of_another_release_are_degraded_and_no_reason_to_leave(api, monkeypatch):
    monkeypatch.setattr(TriggerFiles, "digest", lambda files, vendor: "0123456789abcdef")
    assert found(api)[:2] == (200, "degraded")
    monkeypatch.setattr(schema, "problem", "")
    content = ContentFactory()
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}"
    assert api.post(path, {"title": "Ebb"}).status_code == 200


@pytest.fixture
def newer():
    """Newer code has migrated the database."""
    row = MigrationRecorder(connection).migration_qs.create(app="contents", name="9999_of_newer_code")
    yield
    row.delete()


def test_an_old_node_stays_ready_while_a_newer_release_is_installed(api, newer, monkeypatch):
    assert found(api)[:2] == (200, "ok")
    monkeypatch.setattr(TriggerFiles, "digest", lambda files, vendor: "0123456789abcdef")
    drop()  # the newer release may have renamed it
    assert found(api)[:2] == (200, "ok")


def test_an_old_node_notices_the_loss_of_a_trigger_that_is_the_same_in_the_newer_release(api, newer):
    drop()
    assert found(api)[:2] == (503, "failed")


# ---- migrate


@pytest.mark.parametrize("lose", LOSSES)
def test_cursors_expire_if_changes_were_made_without_events(api, lose):
    cursor = api.get(CHANGES).json()["nextCursor"]
    lose()
    ContentFactory()
    out = StringIO()
    call_command("migrate", stdout=out)
    assert "All cursors of the feed of changes have expired" in " ".join(out.getvalue().split())
    assert_error(api.get(f"{CHANGES}?after={cursor}"), 400, "cursor_expired")
    cursor = api.get(CHANGES).json()["nextCursor"]
    content = ContentFactory()
    (change,) = [one for one in api.get(f"{CHANGES}?after={cursor}").json()["changes"] if "contentId" in one][-1:]
    assert change["contentId"] == content.pk
    call_command("migrate", verbosity=0)
    assert api.get(f"{CHANGES}?after={cursor}").status_code == 200


def test_cursors_stay_if_only_the_triggers_of_another_release_are_replaced(api, monkeypatch):
    cursor = api.get(CHANGES).json()["nextCursor"]
    with monkeypatch.context() as before:
        before.setattr(TriggerFiles, "digest", lambda files, vendor: "0123456789abcdef")
        call_command("migrate", verbosity=0)
    call_command("migrate", verbosity=0)
    assert api.get(f"{CHANGES}?after={cursor}").status_code == 200


def test_a_database_that_never_served_has_no_cursors_to_expire():
    drop()
    call_command("migrate", stdout=(out := StringIO()))
    assert "cursors" not in out.getvalue()
    assert not Numbering.objects.exists()


def test_the_retention_of_events_brings_no_cursor_back(api, settings):
    ContentFactory()
    cursor = api.get(CHANGES).json()["nextCursor"]
    drop()
    call_command("migrate", verbosity=0)
    Event.objects.update(at="2020-01-01 00:00:00")
    assert delete_old() > 0
    assert_error(api.get(f"{CHANGES}?after={cursor}"), 400, "cursor_expired")
    number_new()


def test_check_compares_triggers():
    call_command("migrate", "--check", verbosity=0)
    drop()
    with pytest.raises(SystemExit):
        call_command("migrate", "--check", verbosity=0, stderr=(told := StringIO()))
    assert f"1 triggers are missing or switched off; the first is {TRIGGER}" in told.getvalue()


def test_a_restart_into_code_whose_triggers_are_missing_is_refused():
    application = SimpleNamespace(wsgi=lambda: None)
    try_to_start(application)
    drop()
    with pytest.raises(SystemExit, match="1 triggers are missing or switched off"):
        try_to_start(application)


# ---- Pages


def test_pages_are_kept_under_a_number_that_is_there():
    site = ContentFactory().channel.site
    (known,) = read_sites(str(site.pk))
    assert known.version is not None
    ContentsVersion.objects.all().delete()
    (known,) = read_sites(str(site.pk))
    assert known.version is None
    drop()
    call_command("migrate", verbosity=0)


def test_numbers_of_pages_are_renewed_after_triggers_were_lost():
    site = ContentFactory().channel.site
    before = read_sites(str(site.pk))[0].version
    on_table = " ON contents_content" if connection.vendor == "postgresql" else ""
    execute(f"DROP TRIGGER pages_content_added{on_table}")
    call_command("migrate", verbosity=0)
    assert read_sites(str(site.pk))[0].version[1] != before[1]


# ---- Two at once


@pytest.mark.large
@pytest.mark.skipif(not HAS_POSTGRESQL, reason="needs PostgreSQL")
def test_a_second_migrate_waits_for_the_first_and_a_killed_one_holds_nothing(tmp_path):
    with new_database() as url, psycopg.connect(url, autocommit=True) as server:
        place = Place(tmp_path, url, migrate=False)
        first = place.begin("manage.py", "migrate")
        end = time.monotonic() + 120
        locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7346 AND granted"
        while not server.execute(locks).fetchone()[0] and time.monotonic() < end:
            time.sleep(0.05)
        first.send_signal(signal.SIGSTOP)
        second = place.begin("manage.py", "migrate")
        assert second.stdout.readline() == "Another process is migrating this database; waiting for it.\n"
        first.kill()
        first.communicate()
        told, errors = second.communicate(timeout=300)
        assert second.returncode == 0 and "Traceback" not in errors, told + errors
        with server.transaction():
            server.execute("SELECT pg_advisory_xact_lock(7346)")
            for option in ("--check", "--plan"):  # they do not wait
                looking = place.begin("manage.py", "migrate", option)
                assert "waiting" not in looking.communicate(timeout=120)[0] and looking.returncode == 0
