from collections.abc import Mapping
from dataclasses import dataclass

from sql_sandbox.catalogue import ValueKind, View

# Checked before the text leaves the worker.
STATEMENT_CHARACTERS = 8192


@dataclass(frozen=True)
class Limits:
    seconds: float = 2.0
    rows: int = 1000
    bytes: int = 4 * 1024 * 1024  # of the rows as JSON


@dataclass(frozen=True)
class Compiled:
    """A statement in one engine's SQL, in the closed alphabet.

    It reads only relations named like the keys of `views`, with the catalogue's column names in lower case.
    Placeholders are `:p1` for SQLite, `%(p1)s` for PostgreSQL.
    """

    sql: str
    parameters: Mapping[str, str | int | float]
    views: Mapping[str, View]
    columns: tuple[tuple[str, ValueKind], ...]  # member of the response, camelCase and unique, with its kind
    # For an engine that divides memory among the parts of a statement.
    sorts: int = 1  # places that may sort, hash or store rows
    may_hash: bool = True  # hash tables of groups can be bounded
    longest_text: int = 16 * 1024 * 1024  # maximum bytes of a long text in a row; longer ones count as NULL


@dataclass(frozen=True)
class Answer:
    """The rows as a JSON list of objects, and the limit that cut them short: "", "rows" or "bytes"."""

    rows: bytes
    truncated: str = ""
