"""Walks every migration on data: `python -m tests.migration_walk`, on the empty database that the settings name.

Forward: each migration is applied by itself, and each table gets two rows as soon as there is one; after every step all
rows of all tables are read again. What a row has must stay; what a step adds must have a value where it needs one.
Then backward as far as the first state of each app, and forward once more.

Besides: what code of any state since the first writes, the last state must take, since for a while after a migration
servers of the former code go on (docs/operations.md).

Ends with a line of JSON: {"steps": …, "backward": …, "tables": […], "old_writes": …}.
"""

import json
import os
import sys
import uuid
from datetime import date, datetime, time

import django
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, migrations, models, transaction
from django.db.migrations.executor import MigrationExecutor

OWN = {
    *("accounts", "apikeys", "audit", "channels_app", "cms_api", "cms_sites", "comments", "contents", "jobs"),
    *("operation", "events", "forms", "media_library", "pages", "search", "webhooks"),
}
_ROWS = 2
_AT = datetime(2026, 3, 1, 9, 30)
# What no row can be made of without knowing: members by model, each of the number of the row.
GIVEN = {
    "cms_sites.site": lambda n: {"parent_id": None, "is_root": False, "settings": {"harbour": n}},
    "channels_app.channel": lambda n: {
        "parent_id": 1 if n > _ROWS else None,
        "site_id": n,
        "link_type": "None",
        "trashed_at": None,
    },
    "channels_app.channelancestor": lambda n: {"channel_id": n, "ancestor_id": n},
    "contents.content": lambda n: {"settings_xml": {"depth": n}, "trashed_at": None, "trashed_with_id": None},
    "contents.listedcount": lambda n: {"flags": 32 + n},  # migrate replaces counts without this bit
    "contents.contentschedule": lambda n: {"publish_at": None},
    "media_library.mediafile": lambda n: {"focal_x": 0.5, "focal_y": 0.25},
    "media_library.mediafolder": lambda n: {"parent_id": 1 if n > 1 else None},
    "pages.template": lambda n: {"is_default": False},
    "apikeys.apikeytoken": lambda n: {"slot": int(n > _ROWS), "valid_until": _AT if n > _ROWS else None},
}
# What a migration fills by itself as soon as there is the table.
FILLED = {"channels_app.treeversion"}
# Columns that a later migration fills from others.
DERIVED = {f"folded_{name}" for name in ("user_name", "display_name", "email", "mobile")} | {"folding_stamp"}
# Tables of one row.
SINGLE = {"operation.installation", "operation.restartorder", "operation.restartrequest"}
RENAMED_BEFORE_RELEASE = {"cms_api.sharedcount", "cms_api.kepttable", "cms_api.storedanswer", "operation.restartorder"}


class Walk:
    """The database on its way, with what is known to stand in it."""

    def __init__(self):
        self.executor = MigrationExecutor(connection)
        graph = self.executor.loader.graph
        self.plan = [node for node, _ in self.executor.migration_plan(graph.leaf_nodes())]
        self.state = self.executor._create_project_state(with_applied_migrations=True)
        self.rows = {}  # table: {primary key: {column: value}}
        self.states = []  # after each step of ours

    def forward(self, migration, *, fill):
        """Apply one migration and look at everything."""
        told = f"{migration.app_label}.{migration.name} forward"
        self.state = self.executor.apply_migration(self.state, migration)
        for former, table in renamed_tables(migration):
            self.rows[table] = self.rows.pop(former)
        self.look(told)
        if migration.app_label in OWN:
            self.states.append((told, self.state.clone()))
            if fill:
                self.fill(migration.app_label)

    def backward(self, migration, state_before):
        """Take one migration back and look at everything that is left."""
        self.executor.unapply_migration(state_before, migration)
        for former, table in renamed_tables(migration):
            self.rows[former] = self.rows.pop(table)
        self.look(f"{migration.app_label}.{migration.name} backward", lost=True)

    def fill(self, app):
        """Rows for the tables of the app that have none yet."""
        waiting = [model for model in own_models(self.state.apps) if model._meta.app_label == app]
        while waiting:  # those first that others refer to
            left = [model for model in waiting if not self._fill(model)]
            assert len(left) < len(waiting), f"No row can be made of {left}."
            waiting = left

    def _fill(self, model):
        table = model._meta.db_table
        if table in self.rows:
            return True
        needed = {field.related_model._meta.db_table for field in relations(model)}
        if not needed - {table} <= set(self.rows):
            return False
        if model._meta.label_lower in FILLED and read(table):
            self.rows[table] = read(table)
            return True
        rows = 1 if model._meta.label_lower in SINGLE else _ROWS
        for number in range(1, rows + 1):
            bound = {field.related_model for field in references(model) if field.db_constraint}
            for other in bound - set(own_models(self.state.apps)):
                other.objects.get_or_create(pk=number, defaults={"name": f"{number}"})  # Django's groups
            new_row(model, number).save(force_insert=True)
        self.rows[table] = read(table)
        assert len(self.rows[table]) == rows, table
        return True

    def look(self, told, *, lost=False):
        """Read all rows again; with `lost`, tables and columns may have gone."""
        there = set(connection.introspection.table_names())
        for table, known in list(self.rows.items()):
            if table not in there:
                assert lost, f"{told}: the table {table} is gone."
                del self.rows[table]
                continue
            found = read(table)
            assert found.keys() == known.keys(), f"{told}: rows of {table} were {list(known)} and are {list(found)}."
            for key, row in known.items():
                for column, value in row.items():
                    if column in DERIVED:
                        continue
                    assert column in found[key] or lost, f"{told}: {table}.{column} is gone."
                    now = found[key].get(column, value)
                    assert now == value, f"{told}: {table}.{column} was {value!r} and is {now!r}."
            self.rows[table] = found


def renamed_tables(migration):
    """The former and the present name of each table that it renames."""
    return [
        (f"{migration.app_label}_{operation.old_name_lower}", f"{migration.app_label}_{operation.new_name_lower}")
        for operation in migration.operations
        if isinstance(operation, migrations.RenameModel)
    ]


def own_models(apps):
    """The models that have a table of ours."""
    return [m for m in apps.get_models() if m._meta.app_label in OWN and m._meta.managed and not m._meta.proxy]


def references(model):
    """The fields that refer to another table."""
    return [field for field in model._meta.local_fields if field.remote_field]


def relations(model):
    """The fields that refer to another table of ours."""
    return [field for field in references(model) if field.related_model._meta.app_label in OWN]


def read(table):
    """All rows by their first column, as the database has them."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, map(comparable, row), strict=True)) for row in cursor.fetchall()]
    # Without a key of its own a row is known by all it has.
    key = names[0] if len({row[names[0]] for row in rows}) == len(rows) else None
    return {row[key] if key else tuple(row.values()): row for row in rows}


def comparable(value):
    """The value, or what stands for one that would differ from reading to reading."""
    return (
        bytes(value)
        if isinstance(value, memoryview)
        else json.dumps(value)
        if isinstance(value, (dict, list))
        else value
    )


def new_row(model, number):
    """A row with a value in every column, which differs from the other rows' wherever the type lets it."""
    given = GIVEN.get(model._meta.label_lower, lambda n: {})(number)
    values = {field.attname: value_for(field, number) for field in model._meta.local_concrete_fields}
    return model(**values | {name: value for name, value in given.items() if name in values})


def value_for(field, number):
    """What stands in a column of that row."""
    if field.remote_field:
        return number
    if field.choices:
        return field.choices[0][0]
    for kinds, value in (
        (models.BooleanField, True),
        (models.UUIDField, uuid.UUID(int=number)),
        (models.DateTimeField, _AT.replace(minute=number % 60)),
        (models.DateField, date(2026, 3, number % 28 + 1)),
        (models.TimeField, time(9, number % 60)),
        (models.FloatField, number + 0.5),
        (models.BinaryField, f"灯塔 {number}".encode()),
        (models.JSONField, {"harbour": number}),
        ((models.SmallIntegerField, models.IntegerField, models.BigIntegerField, models.AutoField), number),
    ):
        if isinstance(field, kinds):
            return value
    assert isinstance(field, (models.CharField, models.TextField)), f"There is no value for {field!r}."
    text = f"{number} 海港 {field.name} 'x'"
    return text[: field.max_length] if field.max_length else text


def write_as_before(walk):
    """Rows by the models of every state that there was, each taken back; the number of rows.

    No release had the tables that `RENAMED_BEFORE_RELEASE` names under their former names.
    """
    written = 0
    for told, state in walk.states:
        for model in own_models(state.apps):
            if model._meta.label_lower in FILLED | RENAMED_BEFORE_RELEASE:
                continue
            with transaction.atomic():
                is_single = model._meta.label_lower in SINGLE
                row = new_row(model, 1 if is_single else 1000 + written)
                for field in references(model):  # to rows that there are, where the database insists
                    if field.db_constraint and getattr(row, field.attname) is not None and not field.unique:
                        setattr(row, field.attname, 1)
                try:
                    with transaction.atomic():
                        row.save(force_insert=not is_single)
                        model.objects.get(pk=row.pk)
                except Exception as error:
                    raise AssertionError(f"Code as of {told} cannot write {model._meta.label}: {error}") from error
                transaction.set_rollback(True)
            written += 1
    return written


def main():
    """Walk."""
    walk = Walk()
    for migration in walk.plan:
        walk.forward(migration, fill=True)
    tables, steps = sorted(walk.rows), len(walk.plan)
    old_writes = write_as_before(walk)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)  # installs the triggers

    walk.executor.loader.build_graph()
    before, states = walk.executor._create_project_state(with_applied_migrations=False), {}
    for migration in walk.plan:
        states[migration] = before.clone()
        migration.mutate_state(before, preserve=False)
    first = {next(m for m in walk.plan if m.app_label == app) for app in OWN}
    back = [m for m in reversed(walk.plan) if m.app_label in OWN and m not in first]
    for migration in back:
        walk.backward(migration, states[migration])
    walk.state = walk.executor.loader.project_state([(m.app_label, m.name) for m in walk.plan if m not in back])
    walk.state.apps  # noqa: B018 - rendered now, as the executor has it
    for migration in reversed(back):
        walk.forward(migration, fill=False)
    print(json.dumps({"steps": steps, "backward": len(back), "tables": tables, "old_writes": old_writes}))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    django.setup()
    if connection.introspection.table_names():
        sys.exit("The database has to be empty.")
    main()
