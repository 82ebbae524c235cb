"""Tables of a SiteServer database in plain Python, from which `writers` makes backup folders and databases."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

# A date that only MySQL stores; the other writers write the year 1, as .NET does.
ZERO_DATE = "0000-00-00 00:00:00"


class Table(NamedTuple):
    """Columns by name in the original's letter case, with their kinds, and rows, which can be read more than once.

    Kinds: `i` integer, `d` date (a text such as 2019-03-01 10:20:30), `t` long text, `s50` text of at most 50
    characters, `f` flag of v6 (a text such as True), `b` flag, `n` decimal number with two places (a text).

    Rows are dicts; columns that are missing in one are NULL.
    """

    columns: dict[str, str]
    make_rows: Callable[[], Iterator[dict]]

    @property
    def rows(self):
        return self.make_rows()


def columns_of(text):
    """Return the columns of a text such as "Id i, Title s255"."""
    return dict(column.split() for column in text.split(", "))


def listed(columns, rows):
    """Return a table with the rows of a list."""
    return Table(columns, lambda: iter(rows))
