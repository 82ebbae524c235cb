"""The triggers of the apps are in the database, whatever happened to its tables, and can be changed."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.models import CharField

from contents.flags import BITS
from contents.lists.channel_stats import count_own
from contents.models import ListedCount, ListKind
from core.lib.triggers import TriggerFiles, registered
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory

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
    files = [*ROOT.glob(f"*/sql/{vendor}.sql"), *ROOT.glob(f"core/*/sql/{vendor}.sql")]
    texts = [path.read_text(encoding="utf-8") for path in files]
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
def test_each_engine_has_triggers_of_the_same_apps(vendor):
    apps = {"accounts", "audit", "channels", "comments", "contents", "events", "forms", "media", "pages"}
    full_text_tables = {"search"} if vendor == "sqlite" else set()  # PostgreSQL's indexes need no triggers
    assert {name.split("_")[0] for name in declared(vendor)} == apps | full_text_tables


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


# ---- "Changing a trigger" (docs/architecture.md)

REMINDER = "The triggers of contents have changed"


@pytest.fixture
def edit(monkeypatch, transactional_db):
    """Edits the app's trigger file until the end of the test."""
    read = TriggerFiles.script

    def edit(app, change):
        def script(files, vendor):
            text = read(files, vendor)
            return change(text) if files.app == app else text

        monkeypatch.setattr(TriggerFiles, "script", script)

    yield edit
    monkeypatch.undo()
    call_command("migrate", verbosity=0)
    call_command("check_lists", "--repair", stdout=StringIO())


def migrate():
    out = StringIO()
    call_command("migrate", stdout=out)
    return out.getvalue()


def test_a_renamed_trigger_replaces_the_old_one(edit):
    edit("contents", lambda text: text.replace("contents_count_listed", "contents_count_entered"))
    assert REMINDER in migrate()
    assert installed() ^ declared(connection.vendor) == {"contents_count_listed", "contents_count_entered"}
    assert "contents_count_entered" in installed()
    ContentFactory(tags="sea")
    call_command("check_lists")
    if connection.vendor == "postgresql":
        assert functions("contents_count_") == {"contents_count_entered", "contents_count_unlisted"}


def functions(prefix):
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE starts_with(proname::text, %s)", [prefix])
        return {name for (name,) in cursor.fetchall()}


def test_migrate_says_once_that_rows_of_a_changed_trigger_need_rebuilding(edit):
    assert REMINDER not in migrate()
    edit(
        "contents",
        lambda text: text.replace(" AFTER DELETE ON contents_content\n", " AFTER DELETE\nON contents_content\n"),
    )
    found = migrate()
    assert REMINDER in found
    assert "manage.py check_lists --repair" in found
    assert REMINDER not in migrate()


@pytest.mark.parametrize(
    "app,change",
    [
        ("contents", lambda text: f"-- A remark.\n{text}"),
        ("cms_api", lambda text: text.replace("never changed", "not changed")),  # keeps no rows
    ],
)
def test_migrate_says_nothing_of_a_change_that_concerns_no_row(edit, app, change):
    edit(app, change)
    assert "have changed" not in migrate()


@pytest.mark.django_db(transaction=True)
def test_migrate_counts_anew_what_earlier_releases_counted_without_the_channel_itself():
    lower = ChannelFactory(parent=(upper := ChannelFactory()))
    for channel in (upper, lower, lower):
        ContentFactory(channel=channel, is_checked=channel == lower, tags="a")
    ListedCount.objects.filter(kind=ListKind.CHANNEL).delete()
    for owner, flags, contents in ((upper, 0, 1), (upper, 1, 2), (lower, 1, 2)):
        ListedCount.objects.create(kind=ListKind.CHANNEL, owner_id=owner.pk, flags=flags, contents=contents)
    with connection.cursor() as cursor:
        on_table = " ON contents_listedcontent" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER contents_count_listed{on_table}")
    call_command("migrate", verbosity=0, stderr=StringIO())
    assert_derived()
    assert count_own(upper.site_id, [upper.pk, lower.pk])[1] == {upper.pk: (1, 0), lower.pk: (2, 2)}


def test_flags_are_named_in_python_alone():
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("contents/sql/*.sql")]
    assert len(texts) == len(CATALOGUES)
    assert not [column for column in BITS for text in texts if column in text]


@pytest.mark.parametrize("vendor", CATALOGUES)
def test_names_of_triggers_and_functions_begin_with_the_app(vendor):
    for files in registered:
        names = re.findall(r"^CREATE .*?(?:TRIGGER|FUNCTION) (\w+)", files.script(vendor), re.MULTILINE)
        assert names or (files.app, vendor) == ("search", "postgresql")
        assert {name for name in names if not name.startswith(f"{files.app}_")} == set()
