"""Models and migrations say the same, and migrations keep what is there and what the former code needs."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.models import NOT_PROVIDED

from tests.migration_walk import OWN, own_models

ROOT = Path(__file__).resolve().parent.parent
# What takes something away, or gives it another name, breaks the code that ran before it. Two releases do it: the
# first does without, the second removes. An operation of these kinds needs a line here, with the release that does
# without: {"contents.0015_without_area": "2.1 does not read it"}.
TAKES_AWAY = (
    migrations.DeleteModel,
    migrations.RemoveField,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)
DONE_WITHOUT = {
    "cms_api.0002_names": "before 1.0.0, the first release",
    "operation.0002_names": "before 1.0.0, the first release",
}


@pytest.mark.django_db
def test_no_migration_is_missing():
    out = StringIO()
    call_command("makemigrations", "--check", "--dry-run", stdout=out)
    assert out.getvalue().strip() == "No changes detected"


@pytest.mark.django_db
def test_every_migration_is_applied():
    out = StringIO()
    call_command("showmigrations", "--plan", stdout=out)
    assert "[ ]" not in out.getvalue()


def own_operations():
    """Each migration of ours by its name, with one of its operations."""
    for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items()):
        if app in OWN:
            yield from ((f"{app}.{name}", operation) for operation in migration.operations)


def test_servers_of_the_former_code_can_write_after_a_migration():
    wrong = [
        f"{name}: {operation.model_name}.{operation.name}"
        for name, operation in own_operations()
        if isinstance(operation, migrations.AddField)
        and not (operation.field.null or operation.field.db_default is not NOT_PROVIDED)
        and not made_in(name, operation.model_name)
    ]
    assert wrong == []


def made_in(name, model_name):
    """Whether the migration makes the table itself, so that no former code knows it."""
    made = (operation for each, operation in own_operations() if each == name)
    return any(isinstance(each, migrations.CreateModel) and each.name.lower() == model_name.lower() for each in made)


def test_no_migration_takes_away_what_the_former_code_reads():
    found = {name for name, operation in own_operations() if isinstance(operation, TAKES_AWAY)}
    assert found == set(DONE_WITHOUT)


def test_every_migration_can_be_taken_back():
    operations = list(own_operations())
    assert operations
    assert [name for name, operation in operations if not operation.reversible] == []


@contextmanager
def empty_database(folder):
    """The settings of an empty database of the engine that is tested."""
    if connection.vendor == "sqlite":
        yield {"CMS_DATA_DIR": str(folder), "CMS_DATABASE_URL": ""}
        return
    name = f"{connection.settings_dict['NAME']}_walk"
    address, _, _ = os.environ["CMS_DATABASE_URL"].rpartition("/")
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")
        cursor.execute(f"CREATE DATABASE {connection.ops.quote_name(name)}")
        try:
            yield {"CMS_DATA_DIR": str(folder), "CMS_DATABASE_URL": f"{address}/{name}"}
        finally:
            cursor.execute(f"DROP DATABASE {connection.ops.quote_name(name)}")


@pytest.mark.large
@pytest.mark.django_db(transaction=True)  # a database is made outside of any transaction
def test_rows_survive_every_migration_forward_and_backward_and_former_code_goes_on_writing(tmp_path):
    with empty_database(tmp_path) as settings:
        done = subprocess.run(
            [sys.executable, "-m", "tests.migration_walk"],
            cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, timeout=900,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    walked = json.loads(done.stdout)
    assert set(walked["tables"]) == {model._meta.db_table for model in own_models(apps)}
    assert walked["steps"] > walked["backward"] > 3
    assert walked["old_writes"] > len(walked["tables"])
