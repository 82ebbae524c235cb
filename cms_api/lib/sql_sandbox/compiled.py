"""What the compiler hands to an engine's reader."""

from collections.abc import Mapping
from dataclasses import dataclass

from cms_api.lib.sql_sandbox.catalogue import Kind, View


@dataclass(frozen=True)
class Needs:
    """How a statement uses memory, for an engine that divides it among the parts of a statement."""

    sorts: int = 1  # places that may sort, hash or keep rows
    may_hash: bool = True  # whether tables of groups can be bounded
    longest_text: int = 16 * 1024 * 1024  # bytes of a long text that one row can bear; a longer one counts as NULL


@dataclass(frozen=True)
class Compiled:
    """A statement in one engine's SQL, in the closed alphabet, and what it needs.

    It reads nothing but relations named like the keys of `views`, whose columns bear the catalogue's names in
    lower case; the reader puts them there. Placeholders are `:p1` for SQLite, `%(p1)s` for PostgreSQL.
    """

    sql: str
    parameters: Mapping[str, str | int | float]
    views: Mapping[str, View]
    columns: tuple[tuple[str, Kind], ...]  # member of the answer, camelCase and unique, with its kind
    needs: Needs = Needs()


@dataclass(frozen=True)
class Answer:
    """The rows as JSON: a list of objects, and by which limit it was cut short: "", "rows" or "bytes"."""

    rows: bytes
    truncated: str = ""
