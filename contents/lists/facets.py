"""How many of the contents that a search finds belong to each channel, tag, group and year."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from contents.flags import ListKind
from contents.lists.page import limited
from contents.lists.ranges import LISTED, NAMED
from contents.sql_fragments import SqlFragment, among, fetch
from search.ranking import MOST_COUNTED, Search

FACETS = ("channel", "tag", "group", "year")
MOST_VALUES = 50  # of a facet, the most frequent


def read_facets(search: Search, names: Iterable[str]) -> dict[str, Any]:
    """Return the facets of the newest matches, each as a list of values with counts, and how many these are."""
    with limited("The facets take longer than {} seconds", "words or facets"):
        ids = [*search.newer(), *search.newest_of(MOST_COUNTED)][:MOST_COUNTED]
        return {"counted": len(ids)} | {name: _count(name, ids) for name in names}


def _count(name: str, ids: list[int]) -> list[dict[str, Any]]:
    sql = _STATEMENTS[name](among("c.id", ids) if name in {"channel", "year"} else among("l.content_id", ids))
    rows = fetch(f"{sql.sql} GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT {MOST_VALUES}", sql.params)
    return [{"value": value, "name": str(label), "count": count} for value, label, count in rows]


def _channels(chosen: SqlFragment) -> SqlFragment:
    return SqlFragment(
        "SELECT c.channel_id, h.channel_name, COUNT(*) FROM contents_content c "
        f"JOIN channels_app_channel h ON h.id = c.channel_id WHERE {chosen.sql}",
        chosen.params,
    )


def _years(chosen: SqlFragment) -> SqlFragment:
    part = "EXTRACT(YEAR FROM c.add_date)" if connection.vendor == "postgresql" else "strftime('%Y', c.add_date)"
    year = f"CAST({part.replace('%', '%%')} AS integer)"
    return SqlFragment(f"SELECT {year}, {year}, COUNT(*) FROM contents_content c WHERE {chosen.sql}", chosen.params)


def _names(kind: ListKind, chosen: SqlFragment) -> SqlFragment:
    table, column = NAMED[kind]
    return SqlFragment(
        f"SELECT n.{column}, n.{column}, COUNT(*) FROM {LISTED} JOIN {table} n ON n.id = l.owner_id "
        f"WHERE l.kind = {kind.value} AND {chosen.sql}",
        chosen.params,
    )


_STATEMENTS = {
    "channel": _channels,
    "tag": lambda chosen: _names(ListKind.TAG, chosen),
    "group": lambda chosen: _names(ListKind.GROUP, chosen),
    "year": _years,
}
