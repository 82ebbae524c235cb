"""Keeps the database triggers of the apps: rules that hold whoever writes to a table.

An app has one file of them for each engine. It runs after every `migrate` rather than in a migration, because SQLite
drops the triggers of a table that a later migration rebuilds. "Changing a trigger" in docs/architecture.md says how
to edit one.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.apps import AppConfig
from django.core.management.base import OutputWrapper
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate
from django.db.transaction import atomic

from cms_api.lib.sqlite.triggers import trigger_definitions

registered: list["TriggerFiles"] = []

_END = "-- end"  # a line of its own after each statement
_PLACEHOLDER = re.compile(r"/\*(?:(\w+)\.)?(\w+)\*/")
_TRIGGER = re.compile(r"^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER (\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_DIGEST = re.compile(r"/\* (\w+) \*/")
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname, t.tgrelid::regclass::text, obj_description(t.oid, 'pg_trigger'), t.tgenabled <> 'D'
FROM pg_trigger t WHERE NOT t.tgisinternal AND pg_table_is_visible(t.tgrelid) AND starts_with(t.tgname::text, %s)
"""
_POSTGRESQL_FUNCTIONS = """
SELECT proname, oid::regprocedure::text FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname::text, %s)
"""


class Installed(NamedTuple):
    """A trigger that the database has."""

    name: str
    table: str
    digest: str | None  # of the file that it comes from
    is_on: bool


class Differences(NamedTuple):
    """Names of triggers, sorted: how the database differs from a file."""

    missing: list[str]  # or switched off
    surplus: list[str]
    outdated: list[str]


@dataclass(frozen=True)
class TriggerFiles:
    """The trigger files of an app, one for each engine.

    The app owns all triggers whose names begin with its label, and on PostgreSQL all such functions. Each installed
    trigger carries the digest of its file: in a comment of its definition on SQLite, as its COMMENT on PostgreSQL. A
    digest there lives exactly as long as the trigger. A row in a table would outlive a dropped trigger, and `flush`
    or a restored backup would remove or replace it.
    """

    app: str
    folder: Path
    # The file is installed as soon as these exist.
    tables: Sequence[str]
    sqlite_tables: Sequence[str] = ()  # and these, on SQLite
    # `/*NEW.name*/` in a file stands for what the function of that name makes of the row NEW, `/*name*/` for what it
    # makes of "".
    expressions: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    repair: str = ""  # the command that rebuilds the rows which the triggers keep

    def script(self, vendor: str) -> str:
        """The file with its placeholders filled in."""
        text = (self.folder / f"{vendor}.sql").read_text(encoding="utf-8")
        return _PLACEHOLDER.sub(lambda found: self.expressions[found[2]](found[1] or ""), text)

    def digest(self, vendor: str) -> str:
        """Changes with every statement of the file, but not with its comments."""
        return sha256(_COMMENT.sub("", self.script(vendor)).encode()).hexdigest()[:16]

    def installed(self, connection: BaseDatabaseWrapper) -> list[Installed]:
        """The app's triggers in the database, whether a file defines them or not."""
        if connection.vendor == "sqlite":
            return [
                Installed(name, table, found[1] if (found := _DIGEST.search(definition)) else None, True)
                for name, table, definition in trigger_definitions(connection)
                if name.startswith(self._prefix)
            ]
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL_TRIGGERS, [self._prefix])
            return [Installed(*row) for row in cursor.fetchall()]

    def differences(self, connection: BaseDatabaseWrapper) -> Differences:
        """How the database differs from the file."""
        digest, wanted = self.digest(connection.vendor), set(_TRIGGER.findall(self.script(connection.vendor)))
        there = self.installed(connection)
        return Differences(
            sorted(wanted - {one.name for one in there if one.is_on}),
            sorted({one.name for one in there} - wanted),
            sorted(one.name for one in there if one.name in wanted and one.digest != digest),
        )

    def install(self, connection: BaseDatabaseWrapper) -> bool:
        """Make the database's triggers those of the file; True when they replace others.

        Does nothing while tables are missing.
        """
        tables = {*self.tables, *(self.sqlite_tables if connection.vendor == "sqlite" else ())}
        if not tables <= set(connection.introspection.table_names()):
            return False
        before, is_current = self.installed(connection), not any(self.differences(connection))
        if is_current and connection.vendor == "sqlite":
            return False  # the digest stands for every statement of the file; PostgreSQL has functions besides
        # A change is one transaction, so that no writer meets both the old and the new triggers, or neither. Without
        # one, PostgreSQL need not lock all tables at once.
        with nullcontext() if is_current else atomic(connection.alias), connection.cursor() as cursor:
            self._replace(connection, cursor.execute, before)
        return bool(before) and not is_current

    def _replace(self, connection: BaseDatabaseWrapper, execute: Callable[..., Any], before: list[Installed]) -> None:
        script, digest = self.script(connection.vendor), self.digest(connection.vendor)
        wanted, is_postgresql = set(_TRIGGER.findall(script)), connection.vendor == "postgresql"
        for one in before:
            if not is_postgresql or one.name not in wanted:  # PostgreSQL replaces the others
                execute(f"DROP TRIGGER {one.name}" + (f" ON {one.table}" if is_postgresql else ""))
        if not is_postgresql:
            script = _TRIGGER.sub(rf"\g<0> /* {digest} */", script)
        for statement in filter(str.strip, script.split(_END)):
            execute(statement)
        if is_postgresql:
            self._drop_functions(connection, set(_FUNCTION.findall(script)))
            for one in self.installed(connection):
                if one.digest != digest:
                    execute(f"COMMENT ON TRIGGER {one.name} ON {one.table} IS '{digest}'")

    def _drop_functions(self, connection: BaseDatabaseWrapper, wanted: set[str]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL_FUNCTIONS, [self._prefix])
            for name, signature in cursor.fetchall():
                if name not in wanted:
                    cursor.execute(f"DROP FUNCTION {signature}")

    @cached_property
    def _prefix(self) -> str:
        return f"{self.app}_"

    def after_migrate(self, using: str, verbosity: int = 1, stdout: Any = None, **_: Any) -> None:
        """Install the triggers, and say what to do when they have changed."""
        if self.install(connections[using]) and self.repair and verbosity:
            OutputWrapper(stdout or sys.stdout).write(
                f"The triggers of {self.app} have changed, or come from a release that kept no digest of them. Rows "
                f"that the former triggers wrote may be outdated. Run: manage.py {self.repair}"
            )


def register(app: AppConfig, **files: Any) -> None:
    """Keep the triggers of the app's folder `sql`; `files` are fields of TriggerFiles."""
    triggers = TriggerFiles(app.label, Path(app.path) / "sql", **files)
    registered.append(triggers)
    post_migrate.connect(triggers.after_migrate, sender=app, weak=False)
