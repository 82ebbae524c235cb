"""Stores a new content: one statement on PostgreSQL, one short transaction on SQLite."""

from typing import Any, NamedTuple

from django.db import connection, transaction

from contents.models import Content

# Every column but the id, which the database gives, and taxis, which a statement takes.
_FIELDS = tuple(field for field in Content._meta.concrete_fields if field.name not in {"id", "taxis"})
_NAMES = tuple(field.attname for field in _FIELDS)
_DATES = frozenset(field.attname for field in _FIELDS if field.get_internal_type() == "DateTimeField")
_COLUMNS = ", ".join(_NAMES)
_MARKS = ", ".join(["%s"] * len(_NAMES))

# The channel of the site, if it takes contents (channel settings, isContentAddable).
_PLACE = (
    "SELECT h.id AS channel_id, v.number, s.web_url FROM channels_app_channel h "
    "JOIN cms_sites_site s ON s.id = h.site_id LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
    "WHERE h.id = %s AND h.site_id = %s AND h.trashed_at IS NULL AND {takes_contents}"
)
_PLACE_ON_POSTGRESQL = _PLACE.format(
    takes_contents="h.settings -> 'isContentAddable' IS DISTINCT FROM 'false' AND (SELECT held FROM lock) IS NOT NULL"
)
_PLACE_ON_SQLITE = _PLACE.format(takes_contents="json_type(h.settings, '$.isContentAddable') IS NOT 'false'")

# The row of contents_lasttaxis is a lock: parallel creations in a channel are numbered in turn.
# What an import or a move brought into the channel counts too; an index gives the highest.
_NEXT_TAXIS = (
    "INSERT INTO contents_lasttaxis AS last (channel_id, taxis) SELECT place.channel_id, "
    "COALESCE((SELECT MAX(c.taxis) FROM contents_content c WHERE c.channel_id = place.channel_id), 0) + 1 "
    "FROM {place} WHERE TRUE ON CONFLICT (channel_id) DO UPDATE SET taxis = "
    "CASE WHEN excluded.taxis > last.taxis THEN excluded.taxis ELSE last.taxis + 1 END RETURNING taxis"
)
_GIVEN_TAXIS = (
    "INSERT INTO contents_lasttaxis AS last (channel_id, taxis) SELECT place.channel_id, CAST(%s AS bigint) "
    "FROM {place} WHERE TRUE ON CONFLICT (channel_id) DO UPDATE SET taxis = "
    "CASE WHEN last.taxis > excluded.taxis THEN last.taxis ELSE excluded.taxis END RETURNING taxis"
)
_CHANNEL = "(SELECT CAST(%s AS bigint) AS channel_id) place"
_INSERT = f"INSERT INTO contents_content ({_COLUMNS}, taxis)"
_INSERT_BODY = "INSERT INTO contents_contentbody (content_id, text)"
# The lock of the site's tree (channels_app.services.hold_contents) comes before the row that numbers contents, as it
# does where contents are changed; the join makes sure that it is taken.
_HELD = "SELECT pg_advisory_xact_lock_shared(7341, (%s %% 2147483647)::int) AS held"
_AT_ONCE = (
    f"WITH lock AS MATERIALIZED ({_HELD}), place AS ({_PLACE_ON_POSTGRESQL}), number AS ({{number}}), "
    f"made AS ({_INSERT} SELECT {_MARKS}, {{taxis}} FROM number RETURNING id, taxis), "
    f"body AS ({_INSERT_BODY} SELECT id, %s FROM made) "
    "SELECT made.id, made.taxis, place.number, place.web_url FROM made, place"
)
_AT_ONCE_NEXT = _AT_ONCE.format(number=_NEXT_TAXIS.format(place="place"), taxis="taxis")
_AT_ONCE_GIVEN = _AT_ONCE.format(number=_GIVEN_TAXIS.format(place="place"), taxis="%s")


class Stored(NamedTuple):
    """What the database gave a new content; number (TreeVersion) and web address of its site."""

    content_id: int
    taxis: int
    number: int | None
    web_url: str


def insert_content(values: dict[str, Any], body: str) -> Stored | None:
    """Store a content and its body; None, and nothing stored, when its channel does not take it.

    `values` hold every column by attribute name, `taxis` excepted: without it the content gets the
    number after the highest one of its channel.
    """
    insert = _insert_at_once if connection.vendor == "postgresql" else _insert_in_steps
    return insert(values, body)


def note_taxis(channel_id: int, taxis: int) -> None:
    """Let later contents of the channel be numbered after this one."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN_TAXIS.format(place=_CHANNEL), (taxis, channel_id))


def next_taxis(channel_id: int) -> int:
    """The number after the highest one of the channel; whoever takes the next one waits until the transaction ends."""
    return _take_taxis(channel_id, None)


def next_taxes(channel_id: int, count: int) -> range:
    """As many numbers as are asked for, of which the first is `next_taxis`."""
    first = next_taxis(channel_id)
    note_taxis(channel_id, first + count - 1)
    return range(first, first + count)


def _insert_at_once(values: dict[str, Any], body: str) -> Stored | None:
    place = (values["site_id"], values["channel_id"], values["site_id"])
    row, given = [values[name] for name in _NAMES], values.get("taxis")
    if given is None:
        sql, params = _AT_ONCE_NEXT, [*place, *row, body]
    else:
        sql, params = _AT_ONCE_GIVEN, [*place, given, *row, given, body]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        made = cursor.fetchone()
    return made and Stored(*made)


def _insert_in_steps(values: dict[str, Any], body: str) -> Stored | None:
    adapt = connection.ops.adapt_datetimefield_value
    row = [adapt(values[name]) if name in _DATES else values[name] for name in _NAMES]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_PLACE_ON_SQLITE, (values["channel_id"], values["site_id"]))
        place = cursor.fetchone()
        if place is None:
            return None
        taxis = _take_taxis(values["channel_id"], values.get("taxis"))
        cursor.execute(f"{_INSERT} VALUES ({_MARKS}, %s) RETURNING id", [*row, taxis])
        (content_id,) = cursor.fetchone()
        cursor.execute(f"{_INSERT_BODY} VALUES (%s, %s)", (content_id, body))
    return Stored(content_id, taxis, *place[1:])


def _take_taxis(channel_id: int, given: int | None) -> int:
    if given is not None:
        note_taxis(channel_id, given)
        return given
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_TAXIS.format(place=_CHANNEL), (channel_id,))
        taxis: int = cursor.fetchone()[0]
    return taxis
