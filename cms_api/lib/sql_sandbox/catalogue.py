"""The shape of a catalogue: virtual tables, their columns, and where the values come from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """What values a column or an expression has."""

    INTEGER = "integer"  # 64 bits
    NUMBER = "number"  # double precision
    TEXT = "text"
    FLAG = "flag"  # the text True or False
    JSON = "json"  # a text that is a JSON object
    DATE = "date"  # a date with its time, to the second
    BOOLEAN = "boolean"  # a condition
    NULL = "null"  # NULL itself, which fits everywhere


@dataclass(frozen=True)
class Column:
    """A virtual column. Its value is the source column of the same row, or an expression for each engine.

    Expressions write `s` for the source table's row; `reads` names the (table, column) pairs that the SQLite
    expression reads, those of the source table included. Catalogue text is trusted: it is never a client's.
    """

    name: str  # the original's spelling
    kind: Kind
    source: str = ""
    sqlite: str = ""
    postgresql: str = ""
    reads: tuple[tuple[str, str], ...] = ()
    is_long: bool = False  # a text without a practical limit of length
    in_star: bool = True  # whether `*` shows it
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A virtual table over the rows of a real one."""

    name: str  # the original's spelling
    source: str  # the real table
    columns: tuple[Column, ...]
    site: str = ""  # the source column with the site's id; "": belongs to no site, closed to keys limited to sites
    present: str = ""  # a condition over `s` that rows must meet
    reads: tuple[tuple[str, str], ...] = ()  # (table, column) pairs of that condition
    meaning: str = ""

    def column(self, name: str) -> Column | None:
        """The column of the name in any letter case."""
        return self._by_name.get(name.casefold())

    @cached_property
    def key(self) -> Column | None:
        """The column `Id` that tells the rows apart, where the table has one that is a plain column."""
        column = self.column("Id")
        return column if column and column.source else None

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name.casefold(): column for column in self.columns}


@dataclass(frozen=True)
class View:
    """A part of the catalogue that one statement reads: some columns of a table, the rows of some sites."""

    table: Table
    columns: tuple[Column, ...]  # at least one
    site_ids: tuple[int, ...] | None = None  # None: of every site


@dataclass(frozen=True)
class Catalogue:
    """What one key may ask: the open tables, contents tables by the names that sites give them, and its sites."""

    tables: Mapping[str, Table]  # by casefolded name
    site_ids: tuple[int, ...] | None = None  # the sites that the key reaches; None: every site
    # Casefolded further names of the table of contents, each with the sites that use it.
    contents_tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    contents: Table | None = None

    @classmethod
    def of(
        cls,
        tables: Iterable[Table],
        site_ids: Iterable[int] | None = None,
        contents: str = "",
        contents_tables: Mapping[str, tuple[int, ...]] | None = None,
    ) -> "Catalogue":
        """The catalogue of these tables; `contents` is the name of the one that `contents_tables` are parts of."""
        by_name = {table.name.casefold(): table for table in tables}
        reached = None if site_ids is None else tuple(sorted(site_ids))
        if reached is not None:
            by_name = {name: table for name, table in by_name.items() if table.site}
        return cls(by_name, reached, dict(contents_tables or {}), by_name.get(contents.casefold()))

    def find(self, name: str) -> tuple[Table, tuple[int, ...] | None] | None:
        """The table of the name in any letter case, and the sites whose rows of it may be seen; None: unknown."""
        folded = name.casefold()
        if table := self.tables.get(folded):
            return table, self.site_ids
        if self.contents is None or folded not in self.contents_tables:
            return None
        sites = self.contents_tables[folded]
        reached = sites if self.site_ids is None else tuple(one for one in sites if one in self.site_ids)
        return (self.contents, reached) if reached else None
