"""Checks that the database has this code's migrations and triggers, and remembers the result in the process."""

from dataclasses import dataclass
from math import inf
from time import monotonic

from django.db import connection

from core.lib.database_faults import NotMigrated
from core.lib.missing_migrations import compare_migrations
from core.lib.triggers import compare_triggers

problem = ""  # why changes are refused; empty until a look finds something missing
_PAUSE = 1.0  # seconds between two looks while something is missing
_looked_at = -inf


@dataclass(frozen=True, slots=True)
class Schema:
    problem: str = ""  # changes would go wrong
    warning: str = ""  # they may


def look() -> Schema:
    """Compare the database with this code, in two queries; this process refuses changes while something is missing."""
    global problem
    found = _compare()
    problem = found.problem
    return found


def raise_if_incomplete() -> None:
    """Look again, at most once a second, if something was missing. Raises NotMigrated if it still is."""
    global _looked_at
    if problem and monotonic() - _looked_at > _PAUSE:
        _looked_at = monotonic()
        look()
    if problem:
        raise NotMigrated(problem)


def _compare() -> Schema:
    missing, is_newer = compare_migrations()
    if missing:
        app, name = missing[0]
        told = f"{len(missing)} migrations of this code have not been applied; the first is {app}.{name}"
        return Schema(problem=f"{told}. Run manage.py migrate.")
    triggers = compare_triggers(connection, is_newer=is_newer)
    if triggers.missing:
        told = f"{len(triggers.missing)} triggers are missing or switched off; the first is {triggers.missing[0]}"
        return Schema(problem=f"{told}. Run manage.py migrate, then check_lists --repair.")
    if triggers.outdated:
        told = f"{len(triggers.outdated)} triggers are of another release; the first is {triggers.outdated[0]}"
        return Schema(warning=f"{told}. Unless a newer release is being installed, run manage.py migrate.")
    return Schema()
