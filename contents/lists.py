"""The list of contents: one statement reads site, total and page.

Two ways lead to a page. What ListedContent knows is a few ranges of an index, whatever the size of the
site (contents.listed). Anything else goes over Content itself, within a time limit (contents.searched).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection

from cms_api.lib.statement_limit import TooSlow, statement_limit
from cms_api.rest.errors import BadRequest
from contents import listed, searched
from contents.conditions import Condition, join
from contents.list_request import ListRequest
from contents.navigation import add_addresses
from contents.records import WIDTH, Record, record_maker, select_list
from contents.rules import Rules


@dataclass(slots=True)
class Page:
    """One page of contents and the number of all that match."""

    total: int
    records: list[Record] = field(default_factory=list)


def read_page(request: ListRequest) -> Page | None:
    """The page; None when the site, or the channel in it, does not exist.

    Raises BadRequest for a rule that cannot be followed or takes longer than CMS_STATEMENT_SECONDS.
    """
    rows = _read_bounded(request) if _is_bounded(request) else _read_limited(request)
    if not rows:
        return None
    number, web_url, total = rows[0][:3]
    make = record_maker(connection)
    records = [make(row[3 : 3 + WIDTH], web_url) for row in rows if row[3] is not None]
    add_addresses(records, number, web_url)
    return Page(total, records)


def compose(request: ListRequest) -> Condition:
    """The statement; its rows are number and web address of the site, total, and the columns of a record or nulls."""
    rules = Rules(connection, request.site_id)
    page, order = _page(request, rules)
    total, site = _total(request, rules), _site(request)
    sql = (
        f"WITH page AS ({page.sql}) SELECT v.number, s.web_url, ({total.sql}), {select_list(connection)} "
        "FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
        "LEFT JOIN page ON TRUE LEFT JOIN contents_content c ON c.id = page.id "
        f"LEFT JOIN contents_contentbody b ON b.content_id = c.id WHERE {site.sql} ORDER BY {order}"
    )
    return Condition(sql, page.params + total.params + site.params)


def _is_bounded(request: ListRequest) -> bool:
    return listed.find_order(request) is not None and listed.is_counted(request)


def _read_bounded(request: ListRequest) -> list[Sequence[Any]]:
    statement = compose(request)
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.params)
        rows: list[Sequence[Any]] = cursor.fetchall()
    return rows


def _read_limited(request: ListRequest) -> list[Sequence[Any]]:
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            return _read_bounded(request)
    except TooSlow as error:
        message = (
            f"The rules take longer than {settings.CMS_STATEMENT_SECONDS:g} seconds to follow. "
            "Narrow the list by channel, group, tag or flag, or use fewer rules."
        )
        raise BadRequest("query_too_slow", message) from error


def _page(request: ListRequest, rules: Rules) -> tuple[Condition, str]:
    """The ids of the page, and the order of the wide rows."""
    order = listed.find_order(request)
    if order is not None:
        return listed.read(request, order), ", ".join(f"page.{key}" for key in order)
    keys = searched.sort_keys(request, rules)
    return searched.read(request, rules, keys), ", ".join(keys)


def _total(request: ListRequest, rules: Rules) -> Condition:
    if listed.is_counted(request):
        return listed.count(request)
    if listed.find_order(request) is not None:
        return listed.scan_count(request)
    return searched.count(request, rules)


def _site(request: ListRequest) -> Condition:
    conditions = [Condition("s.id = %s", (request.site_id,))]
    if request.channel_id is not None:
        exists = (
            "EXISTS (SELECT 1 FROM channels_app_channel h "
            "WHERE h.id = %s AND h.site_id = s.id AND h.trashed_at IS NULL)"
        )
        conditions.append(Condition(exists, (request.channel_id,)))
    return join(conditions)
