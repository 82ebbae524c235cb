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

FOLDER = Path(__file__).parent
RELEASES = sorted(path.name.removesuffix(".sqlite3.gz") for path in FOLDER.glob("*.sqlite3.gz"))
# The migration that makes a table which triggers keep from then on.
BEFORE, WITH_TRIGGERS = "0011_waiting_and_most_read", "0012_words"


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


def assert_nothing_is_lost(before, after):
    """Each row of before is there, with equal values in the columns of before."""
    for table, rows in before.items():
        assert after[table].keys() == rows.keys(), table
        for key, row in rows.items():
            assert row.items() <= after[table][key].items(), (table, key)


def assert_derived_rows_are_right(place):
    assert place.manage("check_lists") == "The lists are as they should be."
    assert place.manage("check_tree") == "The trees are as they should be."


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("release", RELEASES)
def test_every_record_of_an_earlier_release_survives_the_upgrade(tmp_path, release, engine):
    with stored(release, engine, tmp_path) as place:
        before = records(place)
        assert {table.partition("_")[0] for table in before} >= {app.partition("_")[0] for app in OWN}
        assert "Run: manage.py check_lists --repair" in place.manage("migrate")
        assert_nothing_is_lost(before, records(place))
        assert_derived_rows_are_right(place)


@pytest.fixture
def place(tmp_path):
    """A filled SQLite database with migrations to apply, some of which replace tables that triggers name."""
    with stored(RELEASES[-1], "sqlite", tmp_path) as place:
        place.manage("migrate", "--verbosity", "0")
        place.manage("migrate", "--verbosity", "0", "contents", BEFORE)
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
    if migration.name == {WITH_TRIGGERS!r}:
        {action}
    return state
MigrationExecutor.apply_migration = apply_and_act
call_command("migrate", verbosity=0)
"""
    return place.run("-c", script)
