"""Reading one content, and saying what is missing when it is not there."""

from typing import NoReturn

from django.db import connection

from channels_app.models import Channel
from cms_api.rest.errors import NotFound
from contents.navigation import add_addresses
from contents.records import Record, record_maker, select_list
from sites.models import Site


def read_content(site_id: int, channel_id: int, content_id: int) -> Record:
    """The content of this very channel and site. Raises NotFound naming what does not exist."""
    record = _read("c.id = %s AND c.site_id = %s AND c.channel_id = %s", (content_id, site_id, channel_id))
    if record is None:
        refuse_missing(site_id, channel_id, content_id)
    return record


def read_anywhere(site_id: int, content_id: int, *, other_sites: bool = False) -> Record | None:
    """The content of any channel of the site, None where there is none.

    With `other_sites` also an approved one of another site, to which a reference may lead.
    """
    where = "c.id = %s AND (c.site_id = %s OR c.is_checked)" if other_sites else "c.id = %s AND c.site_id = %s"
    return _read(where, (content_id, site_id))


def _read(where: str, params: tuple[int, ...]) -> Record | None:
    with connection.cursor() as cursor:
        cursor.execute(_statement(where), params)
        row = cursor.fetchone()
    if row is None:
        return None
    number, web_url, *values = row
    record = record_maker(connection)(values, web_url)
    add_addresses([record], number, web_url)
    return record


def _statement(where: str) -> str:
    key = (connection.vendor, where)
    if key not in _statements:
        _statements[key] = (
            f"SELECT v.number, s.web_url, {select_list(connection)} FROM contents_content c "
            "JOIN cms_sites_site s ON s.id = c.site_id "
            "LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
            "LEFT JOIN contents_contentbody b ON b.content_id = c.id "
            f"WHERE {where} AND c.trashed_at IS NULL"
        )
    return _statements[key]


_statements: dict[tuple[str, str], str] = {}


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
