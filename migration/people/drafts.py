"""Rows of accounts that are new, or have changed since the last migration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Account
from core.lib.folding import fold
from migration import records
from migration.context import Context
from migration.people.rows import clear_name, digests_of
from migration.records import Migrated
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import number

OURS = "ours"  # instead of a digest: the account was here before, and stays unchanged


@dataclass(frozen=True)
class AccountKind:
    table: str
    model: type[Account]
    plural: str
    password_date: str  # column of the row
    read: Callable[[Row, Context, str], dict[str, Any]]  # members that need not be unique, by our columns
    create: Callable[[Sequence[Any]], None]
    change: Callable[[Sequence[tuple[Any, dict[str, Any]]], Context], None]

    @property
    def password_table(self) -> str:
        """Return the name of password digests in records."""
        return f"{self.table}.password"


@dataclass
class Draft:
    """A row that may become an account, or change one."""

    row: Row
    source_id: int
    place: str
    digest: str
    password_digest: str
    known: Migrated | None
    known_password: Migrated | None
    encoded: str | None = None  # the hashed password; None if it cannot be recovered

    @property
    def has_other_members(self) -> bool:
        return self.known is None or self.known.digest != self.digest

    @property
    def has_other_password(self) -> bool:
        return self.known_password is None or self.known_password.digest != self.password_digest

    @property
    def name(self) -> str:
        return clear_name(self.row)


def read_drafts(rows: list[Row], kind: AccountKind, ours: dict[str, int], context: Context) -> list[Draft]:
    """Return the rows that need work, and count the others; `ours` are accounts by folded name."""
    numbers = [number(row.get("id")) for row in rows]
    known, passwords = records.find(kind.table, numbers), records.find(kind.password_table, numbers)
    drafts = []
    for row, source_id in zip(rows, numbers, strict=True):
        before, place = known.get(source_id), f"{kind.table} {source_id}"
        draft = Draft(row, source_id, place, *digests_of(row), before, passwords.get(source_id))
        own = ours.get(fold(draft.name)) if before is None else None
        if own:
            told = "An account here has the same name; it stays as it is, with its own password and rank."
            context.report.find(told, place, draft.name)
            context.store(kind.table, [(source_id, own, OURS)])
        elif _needs_work(draft, context):
            drafts.append(draft)
            continue
        context.report.add(kind.plural, Outcome.UNCHANGED)
    return drafts


def _needs_work(draft: Draft, context: Context) -> bool:
    if draft.known and draft.known.digest == OURS:
        return False
    return draft.has_other_members or (context.options.with_passwords and draft.has_other_password)
