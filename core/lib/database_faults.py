import errno
import re
import sqlite3
from contextlib import suppress
from enum import Enum

import psycopg
from django.db import Error

from core.lib.missing_migrations import missing_migrations

_DEPTH = 5  # causes that are examined


class Fault(Enum):
    """A fault of the database or its disk; the value is the stable code for programs."""

    UNAVAILABLE = "database_unavailable"
    BUSY = "database_busy"
    FULL = "storage_full"
    DAMAGED = "database_damaged"
    NOT_MIGRATED = "database_not_migrated"


class NotMigrated(Error):
    """Migrations or triggers of this code are missing."""


_SENTENCES = {
    Fault.UNAVAILABLE: "The database does not respond, or is read-only.",
    Fault.BUSY: "The database is busy with other changes.",
    Fault.FULL: "The disk is full.",
    Fault.DAMAGED: "The database file is damaged, or is not a database.",
    Fault.NOT_MIGRATED: "The database has not been migrated to this release; run manage.py migrate.",
}

# By SQLSTATE, else by its class (PostgreSQL, appendix A).
_STATES = {
    "53100": Fault.FULL,  # disk_full
    "53300": Fault.UNAVAILABLE,  # too_many_connections
    "40003": Fault.UNAVAILABLE,  # statement_completion_unknown
    "55P03": Fault.BUSY,  # lock_not_available
    "57014": Fault.BUSY,  # query_canceled: by a limit of the server; our own limits are handled where they are set
    "25006": Fault.UNAVAILABLE,  # read_only_sql_transaction: the server is a standby, as during a failover
    "42P01": Fault.NOT_MIGRATED,  # undefined_table
    "42703": Fault.NOT_MIGRATED,  # undefined_column
    "XX001": Fault.DAMAGED,  # data_corrupted
    "XX002": Fault.DAMAGED,  # index_corrupted
    "25P03": Fault.UNAVAILABLE,  # idle_in_transaction_session_timeout
}
_CLASSES = {
    "08": Fault.UNAVAILABLE,  # connection exceptions
    "40": Fault.BUSY,  # deadlocks, and conflicts with other transactions
    "53": Fault.BUSY,  # insufficient resources
    "57": Fault.UNAVAILABLE,  # the server is going down or coming up
    "58": Fault.UNAVAILABLE,  # system errors
}
_SQLITE = {
    sqlite3.SQLITE_BUSY: Fault.BUSY,
    sqlite3.SQLITE_LOCKED: Fault.BUSY,
    sqlite3.SQLITE_PROTOCOL: Fault.BUSY,
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_IOERR: Fault.FULL,  # reported if a full disk prevents a file from growing
    sqlite3.SQLITE_CANTOPEN: Fault.UNAVAILABLE,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
    sqlite3.SQLITE_READONLY: Fault.UNAVAILABLE,  # a failing disk becomes read-only
}


def fault_of(error: BaseException | None) -> Fault | None:
    """Return the fault of the database or disk that caused the error; None if something else did."""
    for _ in range(_DEPTH):
        if error is None:
            return None
        if isinstance(error, NotMigrated):
            return Fault.NOT_MIGRATED
        if isinstance(error, sqlite3.Error):
            # Errors of Python's module itself have no code. The low bits of extended codes give the kind.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            is_missing = re.match(r"no such (table|column): |table \w+ has no column named ", str(error))
            return Fault.NOT_MIGRATED if is_missing else _SQLITE.get(code)
        if isinstance(error, psycopg.Error):
            if error.sqlstate:
                return _STATES.get(error.sqlstate) or _CLASSES.get(error.sqlstate[:2])
            # Without a SQLSTATE the server was not reached, or the pool had no connection.
            return Fault.UNAVAILABLE if isinstance(error, psycopg.OperationalError) else None
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            return Fault.FULL
        error = error.__cause__
    return None


def confirmed_fault_of(error: BaseException | None) -> Fault | None:
    """Like `fault_of`, but None for a missing table or column if no migration is missing: then our SQL is wrong."""
    fault = fault_of(error)
    if fault is Fault.NOT_MIGRATED and not isinstance(error, NotMigrated):
        with suppress(Error):
            return fault if missing_migrations() else None
    return fault


def sentence_of(error: BaseException) -> str:
    """Describe the fault for people, without the database's own words; empty if there is none."""
    fault = confirmed_fault_of(error)
    return _SENTENCES[fault] if fault else ""


def mark_doubt(error: Error) -> None:
    """Mark the error of a statement that was a commit or would have committed by itself."""
    error.may_be_stored = True  # type: ignore[attr-defined]


def may_be_stored(error: BaseException | None) -> bool:
    """Return whether the connection broke during such a statement, so that its outcome is unknown."""
    # After a failed commit Django reconnects, and the error of that hides the first.
    for _ in range(_DEPTH):
        if error is None:
            return False
        if getattr(error, "may_be_stored", False) and fault_of(error) is Fault.UNAVAILABLE:
            return True
        error = error.__context__
    return False


def told(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:300]
