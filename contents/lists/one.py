"""Reading one content, and saying what is missing when it is not there."""

from collections.abc import Sequence
from typing import NoReturn

from django.db import connection

from channels_app.models import Channel
from cms_api.rest.errors import BadRequest, NotFound
from contents.lists.content_rows import ContentRows
from contents.lists.selection import Selection
from contents.navigation.addresses import add_addresses
from contents.wire.records import Record, record_maker, select_list
from sites.models import Site


def read_content(site_id: int, channel_id: int, content_id: int) -> Record:
    """The content of this very channel and site. Raises NotFound naming what does not exist."""
    record = _read("c.id = %s AND c.site_id = %s AND c.channel_id = %s", (content_id, site_id, channel_id))
    if record is None:
        refuse_missing(site_id, channel_id, content_id)
    return record


def read_fields(site_id: int, channel_id: int, content_id: int, names: Sequence[str]) -> ContentRows:
    """The same with these members alone, in any letter case; nothing else is read.

    Raises BadRequest for a name that no content of the site has, if the content exists.
    """
    try:
        selection = Selection.of(site_id, names)
    except BadRequest:
        read_content(site_id, channel_id, content_id)
        raise
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if selection.reads_body else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT v.number, s.web_url, {selection.select}, c.version FROM contents_content c "
            "JOIN cms_sites_site s ON s.id = c.site_id "
            f"LEFT JOIN channels_app_treeversion v ON v.site_id = s.id {body}"
            "WHERE c.id = %s AND c.site_id = %s AND c.channel_id = %s AND c.trashed_at IS NULL",
            (content_id, site_id, channel_id),
        )
        rows = cursor.fetchall()
    if not rows:
        refuse_missing(site_id, channel_id, content_id)
    number, web_url = rows[0][:2]
    return ContentRows(selection, rows, number, web_url, before=2)


def read_anywhere(site_id: int, content_id: int) -> Record | None:
    """The content of any channel of the site, None if there is none."""
    return _read("c.id = %s AND c.site_id = %s", (content_id, site_id))


def read_contents(site_id: int, places: Sequence[tuple[int, int]]) -> list[Record]:
    """The contents of the site at these places, each a channel and a number, in their order; others are left out."""
    if not places:
        return []
    marks = ", ".join(["%s"] * len(places))
    numbers = [content_id for _channel_id, content_id in places]
    records = _read_all(f"c.site_id = %s AND c.id IN ({marks})", [site_id, *numbers])
    found = {(record["channelId"], record["id"]): record for record in records}
    return [found[place] for place in places if place in found]


def _read(where: str, params: Sequence[int]) -> Record | None:
    return next(iter(_read_all(where, params)), None)


def _read_all(where: str, params: Sequence[int]) -> list[Record]:
    """The present contents, all of one site."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_select()} WHERE {where} AND c.trashed_at IS NULL", params)
        rows = cursor.fetchall()
    if not rows:
        return []
    make, (number, web_url) = record_maker(connection), rows[0][:2]
    records = [make(row[2:], web_url) for row in rows]
    add_addresses(records, number, web_url)
    return records


def _select() -> str:
    if connection.vendor not in _selects:
        _selects[connection.vendor] = (
            f"SELECT v.number, s.web_url, {select_list(connection)} FROM contents_content c "
            "JOIN cms_sites_site s ON s.id = c.site_id "
            "LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
            "LEFT JOIN contents_contentbody b ON b.content_id = c.id"
        )
    return _selects[connection.vendor]


_selects: dict[str, str] = {}


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
