"""Compares the tables that triggers keep with what they are kept from, and writes them anew.

The triggers (channels_app/sql, contents/sql) hold whoever writes; this is for the day on which somebody
had them switched off, or restored half of a backup. The database compares whole sets: a minute or two for
a million contents, in its own memory and not in ours.
"""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection, transaction

from contents.flags import BITS, ListKind
from contents.models import ListedContent
from contents.search.sql import sqlite_words

_KINDS = {ListKind.CHANNEL: "channel", ListKind.GROUP: "content group", ListKind.TAG: "tag"}
# The kind of list, the table of its names, the column there, and the content's column of joined names.
_NAMED = (
    (ListKind.GROUP, "contents_contentgroup", "group_name", "group_name_collection"),
    (ListKind.TAG, "contents_contenttag", "tag_name", "tags"),
)
_PLACE = ("content_id", "kind", "owner_id")
_KEYS = [column for field in ListedContent._meta.concrete_fields if (column := field.column) and column not in _PLACE]


def _keys(row: str = "") -> str:
    """What a list knows of a content, as columns of the row."""
    return ", ".join(f"{row}.{key}" if row else key for key in _KEYS)


def _flags(row: str = "") -> str:
    """The flags of a row as the number in ListedCount."""
    dot = f"{row}." if row else ""
    return "(" + " + ".join(f"{bit} * CAST({dot}{column} AS int)" for column, bit in BITS.items()) + ")"


EXPRESSIONS = {"keys": _keys, "flags": _flags}  # for the files in contents/sql
_LISTED = ", ".join([*_PLACE, _keys()])

_ANCESTORS = """
WITH RECURSIVE above (channel_id, ancestor_id) AS (
    SELECT id, id FROM channels_app_channel
    UNION SELECT a.channel_id, h.parent_id FROM above a JOIN channels_app_channel h ON h.id = a.ancestor_id
    WHERE h.parent_id IS NOT NULL
)
""".strip()
_STORED_ANCESTORS = "SELECT channel_id, ancestor_id FROM channels_app_channelancestor"
_COUNTS = f"""
SELECT kind, owner_id, flags, SUM(stored), SUM(actual) FROM (
    SELECT kind, owner_id, flags, contents AS stored, 0 AS actual FROM contents_listedcount
    UNION ALL SELECT kind, owner_id, {_flags()}, 0, 1 FROM contents_listedcontent
) counted GROUP BY kind, owner_id, flags HAVING SUM(stored) <> SUM(actual) ORDER BY 1, 2, 3
""".strip()

# On PostgreSQL words stand in an index alone. It follows the contents by itself, but not the function that makes them.
_WORDS_DIGEST = "SELECT md5(prosrc) FROM pg_proc WHERE oid = 'contents_words'::regproc"
_COMPARE_INDEX = f"""
SELECT 1 WHERE ({_WORDS_DIGEST}) IS DISTINCT FROM obj_description('content_words'::regclass, 'pg_class')
""".strip()


def differences() -> Iterator[str]:
    """A sentence for each way in which the derived tables are not what they should be."""
    yield from _read(_compare_ancestors(), _tell_ancestor)
    for kind, table, column, joined in _NAMED:
        yield from _read(_missing_names(table, column, joined), _tell_name(_KINDS[kind]))
    yield from _read(_compare_listed(), _tell_listed)
    yield from _read(_COUNTS, _tell_count)
    if connection.vendor == "sqlite":
        yield from _read(_compare_words(), _tell_words)
    else:
        yield from _read(_COMPARE_INDEX, _tell_index)


@transaction.atomic
def rebuild() -> None:
    """Write the derived tables anew; whoever writes contents or channels meanwhile waits."""
    with connection.cursor() as cursor:
        for statement in _rebuilding():
            cursor.execute(statement)


def _rebuilding() -> Iterator[str]:
    if connection.vendor == "postgresql":
        yield "LOCK TABLE channels_app_channel, contents_content IN SHARE ROW EXCLUSIVE MODE"
    # A change of an ancestor writes lists by a trigger: they are emptied before it and after it.
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
    # The counts are written by the trigger on the lists.
    yield f"INSERT INTO contents_listedcontent ({_LISTED}) {_expected()}"
    if connection.vendor == "sqlite":
        yield "DELETE FROM contents_words"
        yield f"INSERT INTO contents_words (rowid, words) {_expected_words()}"
    elif any(_read(_COMPARE_INDEX, _tell_index)):
        yield "REINDEX INDEX content_words"
        yield f"DO $$ BEGIN EXECUTE format('COMMENT ON INDEX content_words IS %L', ({_WORDS_DIGEST})); END $$"


def _compare_ancestors() -> str:
    return (
        f"{_ANCESTORS}, tree AS (SELECT channel_id, ancestor_id FROM above), stored AS ({_STORED_ANCESTORS}) "
        "SELECT channel_id, ancestor_id, 1 FROM (SELECT * FROM tree EXCEPT SELECT * FROM stored) missing "
        "UNION ALL "
        "SELECT channel_id, ancestor_id, 0 FROM (SELECT * FROM stored EXCEPT SELECT * FROM tree) surplus "
        "ORDER BY 1, 2"
    )


def _missing_names(table: str, column: str, joined: str) -> str:
    names, name = _split(joined)
    return (
        f"SELECT c.site_id, {name} AS name FROM contents_content c, {names} "
        f"WHERE c.trashed_at IS NULL AND {name} <> '' EXCEPT SELECT site_id, {column} FROM {table} ORDER BY 1, 2"
    )


def _compare_listed() -> str:
    # A row with other sort keys is both missing and surplus.
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
    channels = (
        f"SELECT c.id AS content_id, {ListKind.CHANNEL.value} AS kind, a.ancestor_id AS owner_id, {keys} "
        "FROM contents_content c JOIN channels_app_channelancestor a ON a.channel_id = c.channel_id "
        "WHERE c.trashed_at IS NULL"
    )
    return " UNION ALL ".join([channels, *(_expected_named(keys, *named) for named in _NAMED)])


def _expected_named(keys: str, kind: ListKind, table: str, column: str, joined: str) -> str:
    names, name = _split(joined)
    return (
        # SQLite keeps this order; without statistics it would read the names for each content.
        f"SELECT DISTINCT c.id, {kind.value}, n.id, {keys} FROM contents_content c CROSS JOIN {names} "
        f"CROSS JOIN {table} n WHERE n.site_id = c.site_id AND n.{column} = {name} AND c.trashed_at IS NULL"
    )


def _expected_words() -> str:
    return f"SELECT c.id AS number, {sqlite_words('c')} AS words FROM contents_content c WHERE c.trashed_at IS NULL"


def _compare_words() -> str:
    stored = "SELECT rowid AS number, words FROM contents_words"
    expected = f"SELECT number, words FROM ({_expected_words()})"
    return (
        f"SELECT DISTINCT number FROM (SELECT * FROM ({expected} EXCEPT {stored}) "
        f"UNION ALL SELECT * FROM ({stored} EXCEPT {expected})) differing ORDER BY 1"
    )


def _split(joined: str) -> tuple[str, str]:
    """The names of a content's column as a table, and the expression of one name (see contents/sql)."""
    if connection.vendor == "postgresql":
        return f"unnest(contents_names(c.{joined})) AS item (name)", "item.name"
    return f"""json_each('[' || replace(json_quote(c.{joined}), ',', '","') || ']') item""", "trim(item.value)"


# ---- sentences


def _read(sql: str, tell: Callable[..., str]) -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        for row in cursor:
            yield tell(*row)


def _tell_ancestor(channel_id: int, ancestor_id: int, is_missing: int) -> str:
    what = "is not linked to" if is_missing else "is linked to something that is not above it,"
    return f"Channel {channel_id} {what} channel {ancestor_id}."


def _tell_name(kind: str) -> Callable[[int, str], str]:
    return lambda site_id, name: f"Site {site_id} has no {kind} {name}, which contents name."


def _tell_listed(content_id: int, kind: int, owner_id: int, at_least: int, at_most: int) -> str:
    what = {(1, 1): "is missing from", (0, 0): "does not belong in", (0, 1): "has outdated keys in"}
    return f"Content {content_id} {what[at_least, at_most]} the list of {_KINDS[ListKind(kind)]} {owner_id}."


def _tell_words(content_id: int) -> str:
    return f"The search knows content {content_id} by other words than its own."


def _tell_index(_: int) -> str:
    return "The index of words was built with another contents_words() than the present one."


def _tell_count(kind: int, owner_id: int, flags: int, stored: Any, actual: Any) -> str:
    names = " ".join(column[3:] for column, bit in BITS.items() if flags & bit) or "no flag"
    whose = f"The list of {_KINDS[ListKind(kind)]} {owner_id}"
    return f"{whose} counts {stored} contents with {names} set; it has {actual}."
