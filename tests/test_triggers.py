"""The triggers of the apps are in the database, whatever happened to its tables."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.models import CharField

from tests.factories import ContentFactory

CATALOGUES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}
TABLES = {
    "sqlite": "SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal",
}
ROOT = Path(__file__).parent.parent


def declared(vendor):
    """The triggers of the apps' files; those of both engines do the same, and need not bear the same names."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob(f"*/sql/{vendor}.sql")]
    return {
        name
        for text in texts
        for name in re.findall(r"^CREATE (?:OR REPLACE |CONSTRAINT )?TRIGGER (\w+)", text, re.MULTILINE)
    }


def installed():
    with connection.cursor() as cursor:
        cursor.execute(CATALOGUES[connection.vendor])
        return {name for (name,) in cursor.fetchall()}


@pytest.mark.parametrize("vendor", CATALOGUES)
def test_each_engine_has_triggers_on_the_audit_channels_and_contents(vendor):
    names = declared(vendor)
    assert {name.split("_")[0] for name in names} == {"channels", "cms", "contents"}


@pytest.mark.django_db
def test_all_triggers_are_installed_and_no_others():
    assert installed() == declared(connection.vendor)


@pytest.mark.django_db(transaction=True)
def test_migrate_installs_what_is_missing():
    table = "channels_app_channel"
    on_table = " ON channels_app_channel" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_moved{on_table}")
    assert installed() != declared(connection.vendor)
    call_command("migrate", verbosity=0)
    assert installed() == declared(connection.vendor)
    call_command("migrate", verbosity=0)
    assert installed() == declared(connection.vendor)


@pytest.mark.django_db(transaction=True)
def test_every_table_with_triggers_can_be_given_a_column_while_it_has_rows():
    ContentFactory(tags="sea", group_name_collection="news")
    tables = tables_with_triggers()
    models = [model for model in apps.get_models() if model._meta.db_table in tables and not model._meta.proxy]
    assert {model._meta.label for model in models} >= {"cms_sites.Site", "channels_app.Channel", "contents.Content"}
    for model in models:
        field = CharField(max_length=10, default="", db_default="")
        field.set_attributes_from_name("probe")
        field.model = model
        with connection.schema_editor() as editor:
            editor.add_field(model, field)
        with connection.schema_editor() as editor:
            editor.remove_field(model, field)
    assert installed() == declared(connection.vendor)
    ContentFactory(tags="sea")
    call_command("check_lists")


def tables_with_triggers():
    with connection.cursor() as cursor:
        cursor.execute(TABLES[connection.vendor])
        return {name for (name,) in cursor.fetchall()}
