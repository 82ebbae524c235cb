"""Inserts a content: one statement on PostgreSQL, one short transaction on SQLite."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models.base import ModelState

from contents.models import Content

# Every column except id (from the database) and taxis (computed).
_FIELDS = tuple(field for field in Content._meta.concrete_fields if field.name not in {"id", "taxis"})
_NAMES = tuple(field.attname for field in _FIELDS)
_DATES = frozenset(field.attname for field in _FIELDS if field.get_internal_type() == "DateTimeField")
_COLUMNS = ", ".join(_NAMES)
_MARKS = ", ".join(["%s"] * len(_NAMES))

# The channel, if it is in the site and takes contents (isContentAddable).
_PLACE = (
    "SELECT h.id AS channel_id, v.number, s.web_url FROM channels_app_channel h "
    "JOIN cms_sites_site s ON s.id = h.site_id LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
    "WHERE h.id = %s AND h.site_id = %s AND h.trashed_at IS NULL AND {takes_contents}"
)
_PLACE_ON_POSTGRESQL = _PLACE.format(
    takes_contents="h.settings -> 'isContentAddable' IS DISTINCT FROM 'false' AND (SELECT held FROM lock) IS NOT NULL"
)
_PLACE_ON_SQLITE = _PLACE.format(takes_contents="json_type(h.settings, '$.isContentAddable') IS NOT 'false'")

# The row in contents_lasttaxis is a lock: concurrent inserts into a channel are numbered in turn.
# MAX(taxis), from an index, covers contents that an import or move brought in.
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
# Lock order: the site's tree (hold_contents) before the numbering row, as in changes; the join forces it to be taken.
_HELD = "SELECT pg_advisory_xact_lock_shared(7341, (%s %% 2147483647)::int) AS held"
_AT_ONCE = (
    f"WITH lock AS MATERIALIZED ({_HELD}), place AS ({_PLACE_ON_POSTGRESQL}), number AS ({{number}}), "
    f"made AS ({_INSERT} SELECT {_MARKS}, {{taxis}} FROM number RETURNING id, taxis), "
    f"body AS ({_INSERT_BODY} SELECT id, %s FROM made) "
    "SELECT made.id, made.taxis, place.number, place.web_url FROM made, place"
)
_AT_ONCE_NEXT = _AT_ONCE.format(number=_NEXT_TAXIS.format(place="place"), taxis="taxis")
_AT_ONCE_GIVEN = _AT_ONCE.format(number=_GIVEN_TAXIS.format(place="place"), taxis="%s")


def insert_content(values: dict[str, Any], body: str) -> Content | None:
    """Store a content and its body; None, storing nothing, if the channel refuses. `taxis` is optional in `values`."""
    insert = _insert_at_once if connection.vendor == "postgresql" else _insert_in_steps
    if (made := insert(values, body)) is None:
        return None
    content_id, taxis, tree_number, web_url = made
    # Built as in unpickling: __init__ would take longer than everything else.
    content = Content.__new__(Content)
    content._state = ModelState()
    content._state.adding, content._state.db = False, DEFAULT_DB_ALIAS
    vars(content).update(values, id=content_id, taxis=taxis, text=body, tree_number=tree_number, web_url=web_url)
    return content


def _insert_at_once(values: dict[str, Any], body: str) -> tuple[Any, ...] | None:
    place = (values["site_id"], values["channel_id"], values["site_id"])
    row, given = [values[name] for name in _NAMES], values.get("taxis")
    if given is None:
        sql, params = _AT_ONCE_NEXT, [*place, *row, body]
    else:
        sql, params = _AT_ONCE_GIVEN, [*place, given, *row, given, body]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        made: tuple[Any, ...] | None = cursor.fetchone()
    return made


def _insert_in_steps(values: dict[str, Any], body: str) -> tuple[Any, ...] | None:
    adapt = connection.ops.adapt_datetimefield_value
    row = [adapt(values[name]) if name in _DATES else values[name] for name in _NAMES]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_PLACE_ON_SQLITE, (values["channel_id"], values["site_id"]))
        if (place := cursor.fetchone()) is None:
            return None
        if (taxis := values.get("taxis")) is None:
            taxis = next_taxis(values["channel_id"])
        else:
            raise_taxis(values["channel_id"], taxis)
        cursor.execute(f"{_INSERT} VALUES ({_MARKS}, %s) RETURNING id", [*row, taxis])
        (content_id,) = cursor.fetchone()
        cursor.execute(f"{_INSERT_BODY} VALUES (%s, %s)", (content_id, body))
    return content_id, taxis, *place[1:]


def raise_taxis(channel_id: int, taxis: int) -> None:
    """Raise the channel's counter to at least this taxis."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN_TAXIS.format(place=_CHANNEL), (taxis, channel_id))


def next_taxis(channel_id: int) -> int:
    """The next taxis of the channel; concurrent callers wait until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_TAXIS.format(place=_CHANNEL), (channel_id,))
        taxis: int = cursor.fetchone()[0]
    return taxis


def next_taxes(channel_id: int, count: int) -> range:
    """Reserve `count` consecutive numbers from `next_taxis` on."""
    first = next_taxis(channel_id)
    raise_taxis(channel_id, first + count - 1)
    return range(first, first + count)
