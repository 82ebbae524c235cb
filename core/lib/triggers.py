"""Installs the apps' triggers after every `migrate`: SQLite drops the triggers of a table that a migration rebuilds."""

import operator
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
from django.db.models.signals import post_migrate, pre_migrate
from django.db.transaction import atomic

from core.lib.sqlite.base import trigger_definitions

registered: list["TriggerFiles"] = []
# Apps whose triggers were lost when the current `migrate` began.
_lost: set[str] = set()

_END = "-- end"  # a line of its own after each statement
_PLACEHOLDER = re.compile(r"/\*(?:(\w+)\.)?(\w+)\*/")
_TRIGGER = re.compile(r"^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER (\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_DIGEST = re.compile(r"/\* (\w+) \*/")
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname, t.tgrelid::regclass::text, obj_description(t.oid, 'pg_trigger'),
    t.tgenabled IN ('A', CASE WHEN current_setting('session_replication_role') = 'replica' THEN 'R' ELSE 'O' END)
FROM pg_trigger t WHERE NOT t.tgisinternal AND pg_table_is_visible(t.tgrelid) ORDER BY t.tgname
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
    columns: Mapping[str, str] = field(default_factory=dict)  # and these, by table
    # `/*NEW.name*/` in a file becomes the result of the function of that name for the row NEW, `/*name*/` for "".
    expressions: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    repair: str = ""  # the command that rebuilds the rows that triggers maintain
    # Called in the transaction that installs triggers that were lost; returns a sentence for the operator, or nothing.
    when_lost: Callable[[], str] = str

    def script(self, vendor: str) -> str:
        text = (self.folder / f"{vendor}.sql").read_text(encoding="utf-8")
        return _PLACEHOLDER.sub(lambda found: self.expressions[found[2]](found[1] or ""), text)

    def digest(self, vendor: str) -> str:
        """Return a digest of the file's statements, without comments."""
        return sha256(_COMMENT.sub("", self.script(vendor)).encode()).hexdigest()[:16]

    def installed(self, connection: BaseDatabaseWrapper) -> list[Installed]:
        return self.of_app(_installed(connection))

    def of_app(self, triggers: list[Installed]) -> list[Installed]:
        return [one for one in triggers if one.name.startswith(f"{self.app}_")]

    def differences(self, connection: BaseDatabaseWrapper, there: list[Installed] | None = None) -> Differences:
        digest, wanted = self.digest(connection.vendor), set(_TRIGGER.findall(self.script(connection.vendor)))
        there = self.installed(connection) if there is None else there
        return Differences(
            sorted(wanted - {one.name for one in there if one.is_on}),
            sorted({one.name for one in there} - wanted),
            sorted(one.name for one in there if one.name in wanted and one.digest != digest),
        )

    def missing(self, connection: BaseDatabaseWrapper, there: list[Installed]) -> list[str]:
        """Return the triggers that are missing or off, even if others are of another release.

        Its names may differ, so only one that is switched off is certain then.
        """
        digest = self.digest(connection.vendor)
        if there and all(one.digest != digest for one in there):
            return [one.name for one in there if not one.is_on]
        return self.differences(connection, there).missing

    def install(self, connection: BaseDatabaseWrapper) -> list[str]:
        """Install the file's triggers unless tables are missing; return sentences for the operator."""
        tables = {*self.tables, *(self.sqlite_tables if connection.vendor == "sqlite" else ())}
        if not tables <= set(connection.introspection.table_names()):
            return []
        if not all(_has_column(connection, table, column) for table, column in self.columns.items()):
            return []
        before, is_current = self.installed(connection), not any(self.differences(connection))
        if is_current and connection.vendor == "sqlite":
            return []  # the digest covers the whole file; on PostgreSQL functions may still differ
        # A change is one transaction, so that no writer meets both versions or neither. Otherwise PostgreSQL need not
        # lock all tables together.
        with nullcontext() if is_current else atomic(connection.alias), connection.cursor() as cursor:
            self._replace(connection, cursor, before)
            told = self.when_lost() if self.app in _lost else ""
        sentences = [told] if told else []
        if before and not is_current and self.repair:
            sentences.append(
                f"The triggers of {self.app} have changed, or come from a release that stored no digest of them. Rows "
                f"written by the old triggers may be outdated. Run: manage.py {self.repair}"
            )
        return sentences

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

    def before_migrate(self, using: str, **_: Any) -> None:
        # Now, since on SQLite a migration that rebuilds a table drops its triggers.
        if self.missing(connections[using], self.installed(connections[using])):
            _lost.add(self.app)

    def after_migrate(self, using: str, verbosity: int = 1, stdout: Any = None, **_: Any) -> None:
        for sentence in self.install(connections[using]):
            if verbosity:
                OutputWrapper(stdout or sys.stdout).write(sentence)
        _lost.discard(self.app)


def compare_triggers(connection: BaseDatabaseWrapper, *, is_newer: bool = False) -> Differences:
    """Compare all triggers, in one query. After newer code has migrated the database, only certain losses count."""
    triggers, differences = _installed(connection), Differences([], [], [])
    for files in registered:
        there = files.of_app(triggers)
        found = files.differences(connection, there)
        if is_newer:
            found = Differences(files.missing(connection, there), [], [])
        differences = Differences(*map(operator.add, differences, found))
    return differences


def _installed(connection: BaseDatabaseWrapper) -> list[Installed]:
    if connection.vendor == "sqlite":
        return [
            Installed(name, table, found[1] if (found := _DIGEST.search(definition)) else None, True)
            for name, table, definition in trigger_definitions(connection)
        ]
    with connection.cursor() as cursor:
        cursor.execute(_POSTGRESQL_TRIGGERS)
        return [Installed(*row) for row in cursor.fetchall()]


def _has_column(connection: BaseDatabaseWrapper, table: str, column: str) -> bool:
    with connection.cursor() as cursor:
        return column in {each.name for each in connection.introspection.get_table_description(cursor, table)}


def register(app: AppConfig, **files: Any) -> None:
    """Register the app's folder `sql` (see docs/architecture.md); `files` are fields of TriggerFiles."""
    triggers = TriggerFiles(app.label, Path(app.path) / "sql", **files)
    registered.append(triggers)
    pre_migrate.connect(triggers.before_migrate, sender=app, weak=False)
    post_migrate.connect(triggers.after_migrate, sender=app, weak=False)
