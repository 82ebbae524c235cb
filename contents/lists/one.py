"""Reading one content, and saying what is missing when it is not there."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

from django.db import connection

from channels_app.models import Channel
from cms_api.lib.errors import InvalidInput, NotFound
from contents.conditions import among
from contents.lists.selection import ContentRows, Selection
from contents.models import Content
from contents.navigation.addresses import add_addresses, read_rows
from contents.rules.writer import Rules
from contents.wire.columns import STORED
from contents.wire.records import Record, make_record, record_maker, select_list
from sites.models import Site


def read_content(site_id: int, channel_id: int, content_id: int) -> Record:
    """The content of this very channel and site. Raises NotFound naming what does not exist."""
    record = _read("c.id = %s AND c.site_id = %s AND c.channel_id = %s", (content_id, site_id, channel_id))
    if record is None:
        refuse_missing(site_id, channel_id, content_id)
    return record


def record_of(content: Content) -> Record:
    """The record of a content that has just been locked or added, without a statement."""
    values = vars(content) | {"content": content.text}
    row = [
        value.isoformat(" ", "seconds") if isinstance(value, datetime) else value
        for value in (values[column.name] for column in STORED)
    ]
    record = make_record(row, content.web_url)
    add_addresses([record], content.tree_number, content.web_url)
    return record


def read_fields(site_id: int, channel_id: int, content_id: int, names: Sequence[str]) -> ContentRows:
    """The same with these members alone, in any letter case; nothing else is read.

    Raises InvalidInput for a name that no content of the site has, if the content exists.
    """
    try:
        selection = Selection.of(Rules(connection, site_id), names)
    except InvalidInput:
        read_content(site_id, channel_id, content_id)
        raise
    where = "c.id = %s AND c.site_id = %s AND c.channel_id = %s AND c.trashed_at IS NULL"
    columns = f"{selection.select}, c.version"
    rows = read_rows(columns, where, (content_id, site_id, channel_id), with_body=selection.reads_body)
    if not rows:
        refuse_missing(site_id, channel_id, content_id)
    number, web_url = rows[0][:2]
    return ContentRows(selection, rows, number, web_url, before=2)


def read_anywhere(site_id: int, content_id: int) -> Record | None:
    """The content of any channel of the site, None if there is none."""
    return _read("c.id = %s AND c.site_id = %s", (content_id, site_id))


def read_present(site_id: int, ids: Sequence[int]) -> dict[int, Record]:
    """The contents of the site among these, by their numbers."""
    chosen = among("c.id", ids)
    records = _read_all(f"{chosen.sql} AND c.site_id = %s", (*chosen.params, site_id))
    return {record["id"]: record for record in records}


def read_contents(site_id: int, places: Sequence[tuple[int, int]]) -> list[Record]:
    """The contents of the site at these places, each a channel and a number, in their order; others are left out."""
    found = read_present(site_id, [content_id for _, content_id in places]) if places else {}
    return [record for channel_id, pk in places if (record := found.get(pk)) and record["channelId"] == channel_id]


def _read(where: str, params: Sequence[Any]) -> Record | None:
    return next(iter(_read_all(where, params)), None)


def _read_all(where: str, params: Sequence[Any]) -> list[Record]:
    """The present contents, all of one site."""
    rows = read_rows(select_list(connection), f"{where} AND c.trashed_at IS NULL", params)
    if not rows:
        return []
    make, (number, web_url) = record_maker(connection), rows[0][:2]
    records = [make(row[2:], web_url) for row in rows]
    add_addresses(records, number, web_url)
    return records


def refuse_missing(site_id: int, channel_id: int, content_id: int) -> NoReturn:
    """Raises NotFound for the first of site, channel and content that does not exist."""
    require_channel(site_id, channel_id)
    message = f"Content {content_id} was not found in channel {channel_id} of site {site_id}."
    raise NotFound("content_not_found", message)


def require_channel(site_id: int, channel_id: int) -> None:
    """Raises NotFound naming which of site and channel does not exist."""
    if Channel.objects.in_site(site_id).filter(pk=channel_id).exists():
        return
    if not Site.objects.filter(pk=site_id).exists():
        raise NotFound("site_not_found", f"Site {site_id} was not found.")
    raise NotFound("channel_not_found", f"Channel {channel_id} was not found in site {site_id}.")
