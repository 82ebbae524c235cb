"""Installs the apps' triggers after every `migrate`: SQLite drops those of a table that a migration rebuilds."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.apps import AppConfig
from django.core.management.base import OutputWrapper
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate
from django.db.transaction import atomic

from cms_api.lib.sqlite.base import trigger_definitions

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
    name: str
    table: str
    digest: str | None  # of its file
    is_on: bool


class Differences(NamedTuple):
    """How the database differs from a file: sorted names of triggers."""

    missing: list[str]  # or switched off
    surplus: list[str]
    outdated: list[str]


@dataclass(frozen=True)
class TriggerFiles:
    """The trigger files of an app, one for each engine.

    The app owns all triggers, and on PostgreSQL functions, whose names begin with its label. Each installed trigger
    carries its file's digest (definition on SQLite, COMMENT on PostgreSQL), which `flush` and backups preserve.
    """

    app: str
    folder: Path
    # The file is installed as soon as these exist.
    tables: Sequence[str]
    sqlite_tables: Sequence[str] = ()  # and these, on SQLite
    # `/*NEW.name*/` in a file becomes the result of the function of that name for the row NEW, `/*name*/` for "".
    expressions: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    repair: str = ""  # the command that rebuilds the rows that triggers maintain

    def script(self, vendor: str) -> str:
        text = (self.folder / f"{vendor}.sql").read_text(encoding="utf-8")
        return _PLACEHOLDER.sub(lambda found: self.expressions[found[2]](found[1] or ""), text)

    def digest(self, vendor: str) -> str:
        """Return a digest of the file's statements, without comments."""
        return sha256(_COMMENT.sub("", self.script(vendor)).encode()).hexdigest()[:16]

    def installed(self, connection: BaseDatabaseWrapper) -> list[Installed]:
        if connection.vendor == "sqlite":
            return [
                Installed(name, table, found[1] if (found := _DIGEST.search(definition)) else None, True)
                for name, table, definition in trigger_definitions(connection)
                if name.startswith(f"{self.app}_")
            ]
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL_TRIGGERS, [f"{self.app}_"])
            return [Installed(*row) for row in cursor.fetchall()]

    def differences(self, connection: BaseDatabaseWrapper) -> Differences:
        digest, wanted = self.digest(connection.vendor), set(_TRIGGER.findall(self.script(connection.vendor)))
        there = self.installed(connection)
        return Differences(
            sorted(wanted - {one.name for one in there if one.is_on}),
            sorted({one.name for one in there} - wanted),
            sorted(one.name for one in there if one.name in wanted and one.digest != digest),
        )

    def install(self, connection: BaseDatabaseWrapper) -> bool:
        """Install the file's triggers unless tables are missing; return whether they replace others."""
        tables = {*self.tables, *(self.sqlite_tables if connection.vendor == "sqlite" else ())}
        if not tables <= set(connection.introspection.table_names()):
            return False
        before, is_current = self.installed(connection), not any(self.differences(connection))
        if is_current and connection.vendor == "sqlite":
            return False  # the digest covers the whole file; on PostgreSQL functions may still differ
        # A change is one transaction, so that no writer meets both versions or neither. Otherwise PostgreSQL need not
        # lock all tables at once.
        with nullcontext() if is_current else atomic(connection.alias), connection.cursor() as cursor:
            self._replace(connection, cursor, before)
        return bool(before) and not is_current

    def _replace(self, connection: BaseDatabaseWrapper, cursor: Any, before: list[Installed]) -> None:
        script, digest = self.script(connection.vendor), self.digest(connection.vendor)
        wanted, is_postgresql = set(_TRIGGER.findall(script)), connection.vendor == "postgresql"
        for one in before:
            if not is_postgresql or one.name not in wanted:  # PostgreSQL replaces the others
                cursor.execute(f"DROP TRIGGER {one.name}" + (f" ON {one.table}" if is_postgresql else ""))
        if not is_postgresql:
            script = _TRIGGER.sub(rf"\g<0> /* {digest} */", script)
        for statement in filter(str.strip, script.split(_END)):
            cursor.execute(statement)
        if is_postgresql:
            functions = set(_FUNCTION.findall(script))
            cursor.execute(_POSTGRESQL_FUNCTIONS, [f"{self.app}_"])
            for name, signature in cursor.fetchall():
                if name not in functions:
                    cursor.execute(f"DROP FUNCTION {signature}")
            for one in self.installed(connection):
                if one.digest != digest:
                    cursor.execute(f"COMMENT ON TRIGGER {one.name} ON {one.table} IS '{digest}'")

    def after_migrate(self, using: str, verbosity: int = 1, stdout: Any = None, **_: Any) -> None:
        if self.install(connections[using]) and self.repair and verbosity:
            OutputWrapper(stdout or sys.stdout).write(
                f"The triggers of {self.app} have changed, or come from a release that stored no digest of them. Rows "
                f"written by the old triggers may be outdated. Run: manage.py {self.repair}"
            )


def register(app: AppConfig, **files: Any) -> None:
    """Register the app's folder `sql` (see docs/architecture.md); `files` are fields of TriggerFiles."""
    triggers = TriggerFiles(app.label, Path(app.path) / "sql", **files)
    registered.append(triggers)
    post_migrate.connect(triggers.after_migrate, sender=app, weak=False)
