from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class ValueKind(Enum):
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
    """A virtual column: the source column of the row, or an expression for each engine over the row `s`.

    Catalogue text is trusted: it never comes from a client.
    """

    name: str  # SiteServer's spelling
    kind: ValueKind
    source: str = ""
    sqlite: str = ""
    postgresql: str = ""
    reads: tuple[tuple[str, str], ...] = ()  # (table, column) pairs that the SQLite expression reads
    is_long: bool = False  # a text of practically unlimited length
    in_star: bool = True  # shown by `*`
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    name: str  # SiteServer's spelling
    source: str  # the real table, whose rows it shows
    columns: tuple[Column, ...]
    site: str = ""  # source column with the site's id; "": no site, closed to keys that are limited to sites
    present: str = ""  # a condition over `s` that rows must meet
    reads: tuple[tuple[str, str], ...] = ()  # (table, column) pairs of that condition
    meaning: str = ""
    approved: "Table | None" = None  # the same table without rows and values that wait for approval; None: has none
    view: str = ""  # the view of PostgreSQL; "": named like the table

    @property
    def view_name(self) -> str:
        return self.view or self.name.lower()

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name.casefold() == name.casefold()), None)

    @cached_property
    def key(self) -> Column | None:
        """Return the column `Id`, which identifies the rows, if it is a plain column."""
        column = self.column("Id")
        return column if column and column.source else None


@dataclass(frozen=True)
class View:
    """The columns of a table, and the sites whose rows, that one statement reads."""

    table: Table
    columns: tuple[Column, ...]  # at least one
    site_ids: tuple[int, ...] | None = None  # None: all sites


@dataclass(frozen=True)
class Catalogue:
    """The tables open to one key, the further names of the contents table, and the key's sites."""

    tables: Mapping[str, Table]  # by casefolded name
    site_ids: tuple[int, ...] | None = None  # the sites that the key reaches; None: all
    # Casefolded, each with the sites that use it.
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
        """Return the catalogue; `contents` names the table that `contents_tables` are parts of."""
        by_name = {table.name.casefold(): table for table in tables}
        reached = None if site_ids is None else tuple(sorted(site_ids))
        if reached is not None:
            by_name = {name: table for name, table in by_name.items() if table.site}
        return cls(by_name, reached, dict(contents_tables or {}), by_name.get(contents.casefold()))

    def find(self, name: str) -> tuple[Table, tuple[int, ...] | None] | None:
        """Return the table of a name in any letter case and the sites whose rows are visible; None: unknown."""
        folded = name.casefold()
        if table := self.tables.get(folded):
            return table, self.site_ids
        if self.contents is None or folded not in self.contents_tables:
            return None
        sites = self.contents_tables[folded]
        reached = sites if self.site_ids is None else tuple(one for one in sites if one in self.site_ids)
        return (self.contents, reached) if reached else None
