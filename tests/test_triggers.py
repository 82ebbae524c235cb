"""The triggers of the apps are in the database, whatever happened to its tables."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

CATALOGUES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
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
