from collections.abc import Sequence
from typing import Any, NoReturn

from channels_app.models import Channel, channel_not_found
from contents.lists.fragments import OF_LISTS, OF_ONE, Fragment, read_fragments
from contents.lists.page import select
from contents.lists.ranges import Order
from contents.models import content_not_found
from contents.navigation.page_urls import make_records, read_rows
from contents.rules.sql import Rules
from contents.sql_fragments import NOTHING, SqlFragment, among
from contents.wire.records import Record, Selection, selection_of
from core.lib.errors import InvalidInput
from sites.models import require_site

_PLACE = "c.id = %s AND c.site_id = %s AND c.channel_id = %s AND c.trashed_at IS NULL"


def read_content(site_id: int, channel_id: int, content_id: int, names: Sequence[str] = ()) -> Fragment:
    """The content in this channel of the site, or some members of it.

    Raises NotFound for the first of them that is missing, and InvalidInput for unknown names.
    """
    place = (content_id, site_id, channel_id)
    try:
        selection = select(Rules(site_id), names) if names else selection_of()
    except InvalidInput:
        read_record(site_id, channel_id, content_id)
        raise
    found = read_fragments(_PLACE, place, OF_ONE, selection)
    if not found:
        raise_missing(site_id, channel_id, content_id)
    return found[content_id]


def read_record(site_id: int, channel_id: int, content_id: int) -> Record:
    """The content in this channel of the site. Raises NotFound for the first of them that is missing."""
    _, records = _read(_PLACE, (content_id, site_id, channel_id))
    if not records:
        raise_missing(site_id, channel_id, content_id)
    return records[0]


def read_anywhere(
    site_id: int, content_id: int, names: frozenset[str] | None = None
) -> tuple[int | None, Record | None]:
    """The TreeVersion's number and the content in any channel of the site, with at least the members `names`."""
    place = (content_id, site_id)
    number, records = _read("c.id = %s AND c.site_id = %s AND c.trashed_at IS NULL", place, selection_of(names))
    return number, next(iter(records), None)


def read_present(site_id: int, ids: Sequence[int]) -> dict[int, Fragment]:
    chosen = among("c.id", ids)
    where = f"{chosen.sql} AND c.site_id = %s AND c.trashed_at IS NULL"
    return read_fragments(where, (*chosen.params, site_id), OF_LISTS)


def read_by_id(site_id: int, ids: Sequence[int], selection: Selection) -> dict[int, Fragment]:
    """The selected members of contents of the site, also of those in the trash."""
    chosen = among("c.id", ids)
    return read_fragments(f"{chosen.sql} AND c.site_id = %s", (*chosen.params, site_id), OF_LISTS, selection)


def read_records(
    where: str, params: Sequence[Any], selection: Selection, *, page: SqlFragment = NOTHING, order: Order = ()
) -> list[Record]:
    """Records of contents of one site, with at least the selected members; `page` and `order` as in read_rows."""
    return _read(where, params, selection, page=page, order=order)[1]


def read_numbered(page: SqlFragment, selection: Selection, order: Order) -> list[tuple[int, Record]]:
    """Records of several lists of one site, each with its list: a column of the page, and the first of the order."""
    select = ", ".join([selection.select, "page.list"])
    rows = read_rows(select, "TRUE", (), with_body=selection.reads_body, page=page, order=order)
    records = make_records(rows, selection)
    return [(row[-1], record) for row, record in zip(rows, records, strict=True)]


def _read(
    where: str, params: Sequence[Any], selection: Selection | None = None, **page: Any
) -> tuple[int | None, list[Record]]:
    selection = selection or selection_of()
    rows = read_rows(selection.select, where, params, with_body=selection.reads_body, **page)
    return (rows[0][0] if rows else None), make_records(rows, selection)


def raise_missing(site_id: int, channel_id: int, content_id: int) -> NoReturn:
    """Raise NotFound for the first of site, channel and content that is missing."""
    require_channel(site_id, channel_id)
    raise content_not_found(site_id, content_id, channel_id)


def require_channel(site_id: int, channel_id: int) -> None:
    """Raise NotFound for the site or channel that is missing."""
    if Channel.objects.in_site(site_id).filter(pk=channel_id).exists():
        return
    require_site(site_id)
    raise channel_not_found(site_id, channel_id)
