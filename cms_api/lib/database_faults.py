"""Distinguishes faults of the database and its disk from mistakes of the program, and words them for the operator."""

import errno
import re
import sqlite3
from contextlib import suppress
from enum import Enum

import psycopg
from django.db import Error

from cms_api.lib.missing_migrations import missing_migrations

_DEPTH = 5  # causes that are looked through
_MOST_WORDS = 300  # characters


class Fault(Enum):
    """What is wrong with the database. The value is the stable word for programs."""

    UNAVAILABLE = "database_unavailable"
    BUSY = "database_busy"
    FULL = "storage_full"
    DAMAGED = "database_damaged"
    NOT_MIGRATED = "database_not_migrated"


_SENTENCES = {
    Fault.UNAVAILABLE: "The database does not answer, or cannot be written to.",
    Fault.BUSY: "The database is busy with other changes.",
    Fault.FULL: "There is no room left on the disk.",
    Fault.DAMAGED: "The database file is damaged, or is no database.",
    Fault.NOT_MIGRATED: "The database has not been migrated to this release; run manage.py migrate.",
}

# By state, else by class of states: PostgreSQL's appendix A.
_STATES = {
    "53100": Fault.FULL,  # disk_full
    "53300": Fault.UNAVAILABLE,  # too_many_connections
    "40003": Fault.UNAVAILABLE,  # statement_completion_unknown
    "55P03": Fault.BUSY,  # lock_not_available
    "57014": Fault.BUSY,  # query_canceled: by a limit of the server's; ours are caught where they are set
    "25006": Fault.UNAVAILABLE,  # read_only_sql_transaction: the server follows another, as in a change of servers
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
    sqlite3.SQLITE_IOERR: Fault.FULL,  # what a full disk is told as where a file could not grow
    sqlite3.SQLITE_CANTOPEN: Fault.UNAVAILABLE,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
    sqlite3.SQLITE_READONLY: Fault.UNAVAILABLE,  # as a disk becomes that fails
}
# SQLite has no code of its own for them.
_MISSING = re.compile(r"no such (table|column): |table \w+ has no column named ")
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_PRIMARY_CODE = 0xFF  # the bits of SQLite's extended codes that say the kind


def fault_of(error: BaseException | None) -> Fault | None:
    """Return the fault of the database or disk that caused the error; None if something else did."""
    for _ in range(_DEPTH):
        if error is None:
            return None
        if isinstance(error, sqlite3.Error):
            # Errors of Python's module itself have no code.
            code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
            return Fault.NOT_MIGRATED if _MISSING.match(str(error)) else _SQLITE.get(code)
        if isinstance(error, psycopg.Error):
            if error.sqlstate:
                return _STATES.get(error.sqlstate) or _CLASSES.get(error.sqlstate[:2])
            # Without a state the server has not said it: there was none to talk to, or the pool had no connection.
            return Fault.UNAVAILABLE if isinstance(error, psycopg.OperationalError) else None
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return Fault.FULL
        error = error.__cause__
    return None


def confirmed_fault_of(error: BaseException | None) -> Fault | None:
    """As `fault_of`, but None for a missing table or column if no migration is missing: then our statement is wrong."""
    fault = fault_of(error)
    if fault is Fault.NOT_MIGRATED:
        with suppress(Error):
            return fault if missing_migrations() else None
    return fault


def sentence_of(error: BaseException) -> str:
    """The fault for people, without the words of the database; empty if it is none."""
    fault = confirmed_fault_of(error)
    return _SENTENCES[fault] if fault else ""


def mark_doubt(error: Error) -> None:
    """Note that the statement was to commit, or to be committed by itself."""
    error.may_be_stored = True  # type: ignore[attr-defined]


def may_be_stored(error: BaseException | None) -> bool:
    """Whether the connection was lost in the middle of such a statement, so that nobody knows what became of it."""
    # After a commit that failed Django connects anew, and that error hides the first.
    for _ in range(_DEPTH):
        if error is None:
            return False
        if getattr(error, "may_be_stored", False) and fault_of(error) is Fault.UNAVAILABLE:
            return True
        error = error.__context__
    return False


def told(error: BaseException) -> str:
    """The words of the database on one line, for the log."""
    while error.__cause__ is not None:
        error = error.__cause__
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:_MOST_WORDS]
