"""Compares the trigger-maintained tables with their sources, and rebuilds them.

For use after triggers were disabled or half a backup was restored. The database compares whole sets in its own memory:
one or two minutes for a million contents.
"""

from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction

from contents.flags import BITS, OWN, ListKind
from contents.models import ListedContent
from core.lib.folding import blanks

_KINDS = {ListKind.CHANNEL: "channel", ListKind.GROUP: "content group", ListKind.TAG: "tag"}
# (kind of list, table, its name column, the content's column of joined names)
_NAMED = (
    (ListKind.GROUP, "contents_contentgroup", "group_name", "group_name_collection"),
    (ListKind.TAG, "contents_contenttag", "tag_name", "tags"),
)
_PLACE = ("content_id", "kind", "owner_id")
_KEYS = [column for field in ListedContent._meta.concrete_fields if (column := field.column) and column not in _PLACE]


def _keys(row: str = "") -> str:
    return ", ".join(f"{row}.{key}" if row else key for key in _KEYS)


def _flags(row: str = "") -> str:
    dot = f"{row}." if row else ""
    is_own = f"{dot}kind = {ListKind.CHANNEL.value} AND {dot}channel_id = {dot}owner_id"
    bits = {**{f"{dot}{column}": bit for column, bit in BITS.items()}, is_own: OWN}
    return "(" + " + ".join(f"{bit} * CAST({condition} AS int)" for condition, bit in bits.items()) + ")"


def _blanks(_row: str = "") -> str:
    return f"'{blanks()}'"


EXPRESSIONS = {"keys": _keys, "flags": _flags, "blanks": _blanks}  # for the templates in contents/sql
_LISTED = ", ".join([*_PLACE, _keys()])

_ANCESTORS = """
WITH RECURSIVE above (channel_id, ancestor_id) AS (
    SELECT id, id FROM channels_app_channel
    UNION SELECT a.channel_id, h.parent_id FROM above a JOIN channels_app_channel h ON h.id = a.ancestor_id
    WHERE h.parent_id IS NOT NULL
)
""".strip()
_STORED_ANCESTORS = "SELECT channel_id, ancestor_id FROM channels_app_channelancestor"
_COMPARE_ANCESTORS = f"""
{_ANCESTORS}, tree AS (SELECT channel_id, ancestor_id FROM above), stored AS ({_STORED_ANCESTORS})
SELECT channel_id, ancestor_id, 1 FROM (SELECT * FROM tree EXCEPT SELECT * FROM stored) missing
UNION ALL
SELECT channel_id, ancestor_id, 0 FROM (SELECT * FROM stored EXCEPT SELECT * FROM tree) surplus
ORDER BY 1, 2
""".strip()
_COMPARE_COUNTS = f"""
SELECT kind, owner_id, flags, SUM(stored), SUM(actual) FROM (
    SELECT kind, owner_id, flags, contents AS stored, 0 AS actual FROM contents_listedcount
    UNION ALL SELECT kind, owner_id, {_flags()}, 0, 1 FROM contents_listedcontent
) counted GROUP BY kind, owner_id, flags HAVING SUM(stored) <> SUM(actual) ORDER BY 1, 2, 3
""".strip()


def differences() -> Iterator[str]:
    for channel_id, ancestor_id, is_missing in _rows(_COMPARE_ANCESTORS):
        if is_missing:
            yield f"Channel {channel_id} is not linked to channel {ancestor_id}."
        else:
            yield f"Channel {channel_id} is linked to channel {ancestor_id}, which is not above it."
    for kind, table, column, joined in _NAMED:
        for site_id, name in _rows(_missing_names(table, column, joined)):
            yield f"Site {site_id} has no {_KINDS[kind]} {name}, which contents use."
    differing = {(1, 1): "is missing from", (0, 0): "does not belong in", (0, 1): "has outdated keys in"}
    for content_id, kind, owner_id, at_least, at_most in _rows(_compare_listed()):
        whose = f"the list of {_KINDS[ListKind(kind)]} {owner_id}"
        yield f"Content {content_id} {differing[at_least, at_most]} {whose}."
    for kind, owner_id, flags, stored, actual in _rows(_COMPARE_COUNTS):
        names = " ".join(column[3:] for column, bit in BITS.items() if flags & bit) or "no flag"
        whose = f"The list of {_KINDS[ListKind(kind)]} {owner_id}"
        own = " of the channel itself" if flags & OWN else ""
        yield f"{whose} counts {stored} contents{own} with {names} set; it has {actual}."


def _rows(sql: str) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        yield from cursor


@transaction.atomic
def rebuild() -> None:
    """Rebuild the derived tables; writers of contents and channels wait."""
    with connection.cursor() as cursor:
        for statement in _rebuilding():
            cursor.execute(statement)


def _rebuilding() -> Iterator[str]:
    if connection.vendor == "postgresql":
        yield "LOCK TABLE channels_app_channel, contents_content IN SHARE ROW EXCLUSIVE MODE"
    # Emptied before and after, since changing ancestors writes lists by a trigger.
    yield "DELETE FROM contents_listedcontent"
    tree = f"{_ANCESTORS} SELECT channel_id, ancestor_id FROM above"
    yield f"DELETE FROM channels_app_channelancestor WHERE (channel_id, ancestor_id) NOT IN ({tree})"
    yield f"INSERT INTO channels_app_channelancestor (channel_id, ancestor_id) {tree} EXCEPT {_STORED_ANCESTORS}"
    yield "DELETE FROM contents_listedcontent"
    yield "DELETE FROM contents_listedcount"
    for _, table, column, joined in _NAMED:
        others, values = (", taxis, description", ", 0, ''") if column == "group_name" else ("", "")
        missing = f"SELECT site_id, name{values} FROM ({_missing_names(table, column, joined)}) missing"
        yield f"INSERT INTO {table} (site_id, {column}{others}) {missing}"
    # The trigger on the lists writes the counts.
    yield f"INSERT INTO contents_listedcontent ({_LISTED}) {_expected()}"
    # Cached pages show the former lists.
    number = "random() * 9007199254740991" if connection.vendor == "postgresql" else "random() % 9007199254740991"
    yield f"UPDATE channels_app_treeversion SET number = CAST(abs({number}) AS bigint)"


def _missing_names(table: str, column: str, joined: str) -> str:
    names, name = _split(joined)
    return (
        f"SELECT c.site_id, {name} AS name FROM contents_content c, {names} "
        f"WHERE c.trashed_at IS NULL AND trim({name}, {_blanks()}) <> '' "
        f"EXCEPT SELECT site_id, {column} FROM {table} ORDER BY 1, 2"
    )


def _compare_listed() -> str:
    # A row with different sort keys is both missing and surplus.
    return (
        f"WITH expected AS ({_expected()}), stored AS (SELECT {_LISTED} FROM contents_listedcontent) "
        "SELECT content_id, kind, owner_id, MIN(missing), MAX(missing) FROM ("
        "SELECT content_id, kind, owner_id, 1 AS missing "
        "FROM (SELECT * FROM expected EXCEPT SELECT * FROM stored) one UNION ALL "
        "SELECT content_id, kind, owner_id, 0 FROM (SELECT * FROM stored EXCEPT SELECT * FROM expected) other"
        ") differing GROUP BY content_id, kind, owner_id ORDER BY 1, 2, 3"
    )


def _expected() -> str:
    keys = _keys("c")
    selects = [
        f"SELECT c.id AS content_id, {ListKind.CHANNEL.value} AS kind, a.ancestor_id AS owner_id, {keys} "
        "FROM contents_content c JOIN channels_app_channelancestor a ON a.channel_id = c.channel_id "
        "WHERE c.trashed_at IS NULL"
    ]
    for kind, table, column, joined in _NAMED:
        names, name = _split(joined)
        # SQLite does not change this join order; without statistics it would read the names for each content.
        selects.append(
            f"SELECT DISTINCT c.id, {kind.value}, n.id, {keys} FROM contents_content c CROSS JOIN {names} "
            f"CROSS JOIN {table} n WHERE n.site_id = c.site_id AND n.{column} = {name} AND c.trashed_at IS NULL"
        )
    return " UNION ALL ".join(selects)


def _split(joined: str) -> tuple[str, str]:
    if connection.vendor == "postgresql":
        return f"unnest(contents_names(c.{joined})) AS item (name)", "item.name"
    return f"""json_each('[' || replace(json_quote(c.{joined}), ',', '","') || ']') item""", "trim(item.value)"
