"""Databases that earlier code has filled are migrated with every record, whatever happens on the way."""

import gzip
import json
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.backup.places import ENGINES, Place
from tests.migration_walk import OWN
from tests.postgresql import new_database

pytestmark = pytest.mark.large

FOLDER = Path(__file__).parent
RELEASES = sorted(path.name.removesuffix(".sqlite3.gz") for path in FOLDER.glob("*.sqlite3.gz"))
# The migration that moves a table whose triggers come back at the end.
WITH_TRIGGERS = ("audit", "0001_initial")
# Tables by their names in the stored databases.
MOVED = {
    "cms_api_auditentry": "audit_auditentry",
    "cms_api_auditretention": "audit_auditretention",
    "cms_api_job": "jobs_job",
    "cms_api_kepttable": "cms_api_pendingimport",
    "cms_api_node": "operation_node",
    "cms_api_restartorder": "operation_restartrequest",
    "cms_api_sharedcount": "cms_api_sharedcounter",
    "cms_api_storedanswer": "cms_api_idempotencyrecord",
}


@contextmanager
def stored(release, engine, folder):
    """The installation as that release left it."""
    if engine == "sqlite":
        with gzip.open(FOLDER / f"{release}.sqlite3.gz") as file:
            (folder / "db.sqlite3").write_bytes(file.read())
        yield Place(folder, migrate=False)
        return
    with new_database() as url:
        with (
            gzip.open(FOLDER / f"{release}.sql.gz", "rt", encoding="utf-8") as file,
            psycopg.connect(url) as connection,
        ):
            connection.execute(file.read())
        yield Place(folder, url, migrate=False)


def records(place):
    """Every row of our tables: table, then first column or whole row, then its values by column."""
    code, out, errors = place.run("-m", "tests.upgrades.records")
    assert code == 0, errors
    return json.loads(out)


# Derived rows that the triggers of this release count anew; check_lists compares them.
COUNTED_ANEW = {"contents_listedcount"}


def assert_nothing_is_lost(before, after):
    """Each row of before is there, with equal values in the columns of before."""
    for former, rows in before.items():
        if former in COUNTED_ANEW:
            continue
        table = MOVED.get(former, former)
        assert after[table].keys() == rows.keys(), table
        for key, row in rows.items():
            assert row.items() <= after[table][key].items(), (table, key)


def assert_derived_rows_are_right(place):
    assert place.manage("check_lists") == "The lists are correct."
    assert place.manage("check_media_uses") == "The uses are correct."
    assert place.manage("check_tree") == "The trees are correct."


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("release", RELEASES)
def test_every_record_of_an_earlier_release_survives_the_upgrade(tmp_path, release, engine):
    with stored(release, engine, tmp_path) as place:
        before = records(place)
        expected = {
            app.partition("_")[0]
            for app in OWN - {"comments", "events", "forms", "media_library", "pages", "search", "webhooks"}
        }
        assert {MOVED.get(table, table).partition("_")[0] for table in before} >= expected
        assert "Run: manage.py check_lists --repair" in place.manage("migrate")
        assert_nothing_is_lost(before, records(place))
        assert_derived_rows_are_right(place)


TWINS = """
import django
django.setup()
from django.db import connection

with connection.cursor() as cursor:
    for pk, name in ((3, "Ärger"), (4, "ärger")):
        cursor.execute("UPDATE accounts_user SET user_name = %s WHERE id = %s", [name, pk])
"""
SIGNED_IN = """
import django
django.setup()
from accounts.models import User
from accounts.sign_in import find_by_account

print([find_by_account(User, name).pk for name in ("Ärger", "ÄRGER", "ärger", "R0@EXAMPLE.ORG")])
"""


def test_names_that_an_engine_took_for_different_ones_are_reported_and_kept(tmp_path):
    with stored("574fff2", "sqlite", tmp_path) as place:
        code, _, errors = place.run("-c", TWINS)
        assert code == 0, errors
        told = place.manage("migrate")
        assert "User 4 has nearly the same user name as user 3 (Ärger)" in told
        assert "check_accounts --repair" in told
        code, out, errors = place.run("-c", SIGNED_IN)
        assert code == 0, errors
        assert out.strip() == "[3, 3, 4, 1]"


GIVE_RIGHTS = """
import django
django.setup()
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

Group.objects.create(name="auditors").permissions.add(Permission.objects.get(codename="view_auditentry"))
node = ContentType.objects.get(app_label="cms_api", model="node")
LogEntry.objects.create(user_id=1, content_type=node, object_id="1", action_flag=2)
"""
LOOK = """
import json
import django
django.setup()
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection

with connection.cursor() as cursor:
    if connection.vendor == "sqlite":
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    else:
        cursor.execute("SELECT tgname FROM pg_trigger UNION SELECT proname FROM pg_proc")
    triggers = [name for (name,) in cursor.fetchall()]
rights = Permission.objects.filter(codename__in=["view_auditentry", "view_node"])
print(json.dumps({
    "rights": sorted(f"{right.content_type.app_label}.{right.codename}" for right in rights),
    "given": [right.content_type.app_label for right in Group.objects.get(name="auditors").permissions.all()],
    "logged": [entry.content_type.app_label for entry in LogEntry.objects.all()],
    "left": sorted(ContentType.objects.filter(app_label="cms_api").values_list("model", flat=True)),
    "triggers": sorted(name for name in triggers if name.startswith(("audit_", "cms_api_"))),
}))
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_rights_and_log_entries_follow_models_to_another_app(tmp_path, engine):
    with stored("574fff2", engine, tmp_path) as place:
        code, _, errors = place.run("-c", GIVE_RIGHTS)
        assert code == 0, errors
        place.manage("migrate", "--verbosity", "0")
        code, out, errors = place.run("-c", LOOK)
        assert code == 0, errors
        found = json.loads(out)
        assert found["rights"] == ["audit.view_auditentry", "operation.view_node"]
        assert (found["given"], found["logged"]) == (["audit"], ["operation"])
        assert found["left"] == ["idempotencyrecord", "pendingimport", "savedview", "sentform", "sharedcounter"]
        assert found["triggers"] and all(name.startswith("audit_") for name in found["triggers"])


def test_a_database_of_before_the_squashed_migrations_is_told_the_way(tmp_path):
    with stored("574fff2", "sqlite", tmp_path) as place:
        with sqlite3.connect(tmp_path / "db.sqlite3") as connection:
            connection.execute("DELETE FROM django_migrations WHERE app = 'contents' AND name = '0014_unfinished'")
        before = state(place)
        code, _, errors = place.run("manage.py", "migrate")
        assert code == 1 and "Check out 574fff2 and run `manage.py migrate`, then check out" in errors
        assert state(place) == before


@pytest.fixture
def place(tmp_path):
    """A filled SQLite database with migrations to apply."""
    with stored(RELEASES[-1], "sqlite", tmp_path) as place:
        yield place


def state(place):
    """The schema, triggers included, and all rows."""
    with sqlite3.connect(place.folder / "db.sqlite3") as connection:
        return sorted(connection.iterdump())


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "raise RuntimeError"])
def test_a_migration_that_does_not_come_through_leaves_the_database_as_it_was(place, end):
    before = state(place)
    code, _, errors = migrate_until(place, end)
    assert code == -9 or "RuntimeError" in errors
    assert state(place) == before
    place.manage("migrate")
    assert_derived_rows_are_right(place)


def test_writes_of_the_former_code_wait_until_the_triggers_of_new_tables_are_there(place):
    opened = "sqlite3.connect(os.environ['CMS_DATA_DIR'] + '/db.sqlite3', timeout=0, isolation_level=None)"
    write = f"{opened}.execute('CREATE TABLE came_between (number)')"
    _, _, errors = migrate_until(place, write)
    assert "database is locked" in errors


def migrate_until(place, action):
    """Migrate, and do that after the migration that makes a table for triggers: exit code, output, errors."""
    script = f"""
import os, sqlite3
import django
django.setup()
from django.core.management import call_command
from django.db.migrations.executor import MigrationExecutor

apply = MigrationExecutor.apply_migration
def apply_and_act(self, state, migration, **options):
    state = apply(self, state, migration, **options)
    if (migration.app_label, migration.name) == {WITH_TRIGGERS!r}:
        {action}
    return state
MigrationExecutor.apply_migration = apply_and_act
call_command("migrate", verbosity=0)
"""
    return place.run("-c", script)
