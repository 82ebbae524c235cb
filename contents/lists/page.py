"""The list of contents: one statement reads site, total and page.

Two ways lead to a page. What ListedContent knows is a few ranges of an index, whatever the size of the
site (contents.lists.indexed). Anything else goes over Content itself, within a time limit (contents.lists.scanned).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from cms_api.lib.statement_limit import TooSlow, statement_limit
from cms_api.rest.errors import BadRequest
from contents.lists import indexed, scanned
from contents.lists.content_rows import ContentRows
from contents.lists.cursor import write_cursor
from contents.lists.request import ListRequest
from contents.lists.selection import Selection
from contents.rules.conditions import Condition, join
from contents.rules.writer import Rules
from contents.wire.columns import Column
from contents.wire.records import Record

# A row begins with number of the tree, web address and total; the columns of the selection, the version of the content
# and the keys of the cursor follow.
_FIRST = 3
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of a list, and what its rows hold."""

    sql: str
    params: tuple[Any, ...]
    selection: Selection
    keys: Sequence[Column]  # of the cursor

    @property
    def place_of_version(self) -> int:
        """Where the version of the content stands in a row; null in the one row of an empty page."""
        return _FIRST + len(self.selection.columns)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of contents, and the number of all that match: None where nobody has counted."""

    total: int | None
    contents: ContentRows
    next_cursor: str | None
    has_cursor: bool

    @property
    def records(self) -> list[Record]:
        """The contents as they are answered."""
        return self.contents.records

    @property
    def parts(self) -> tuple[Any, ...]:
        """What decides every byte of the page."""
        return (self.total, self.has_cursor, self.next_cursor, *self.contents.parts)


def read_page(request: ListRequest) -> Page | None:
    """The page; None when the site, or the channel in it, does not exist.

    Raises BadRequest for a rule that cannot be followed or takes longer than CMS_STATEMENT_SECONDS.
    """
    statement = compose(request)
    rows = _read(statement) if _is_bounded(request) else _read_limited(statement)
    return _page_of(request, statement, rows) if rows else None


def _page_of(request: ListRequest, statement: Statement, rows: list[Row]) -> Page:
    number, web_url, total = rows[0][:_FIRST]
    version = statement.place_of_version
    found, next_cursor = [row for row in rows if row[version] is not None], None
    if request.cursor is not None and len(found) > request.limit:
        del found[request.limit :]
        next_cursor = write_cursor(request, statement.keys, found[-1][version + 1 :])
    return Page(
        total, ContentRows(statement.selection, found, number, web_url, _FIRST), next_cursor, request.cursor is not None
    )


def compose(request: ListRequest) -> Statement:
    """The statement of the list."""
    rules = Rules(connection, request.site_id)
    selection = Selection.of(request.site_id, request.fields)
    place = _place(request, rules)
    total, site = _total(request, rules), _site(request)
    keys = "".join(f", page.{name}" for name in place.key_names)
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if selection.reads_body or place.by_body else ""
    sql = (
        f"WITH page AS ({place.page.sql}) "
        f"SELECT v.number, s.web_url, ({total.sql}), {selection.select}, c.version{keys} "
        "FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
        "LEFT JOIN page ON TRUE LEFT JOIN contents_content c ON c.id = page.id "
        f"{body}WHERE {site.sql} ORDER BY {place.order}"
    )
    return Statement(sql, place.page.params + total.params + site.params, selection, place.keys)


def _is_bounded(request: ListRequest) -> bool:
    return indexed.find_order(request) is not None and indexed.is_counted(request) and indexed.is_indexed(request)


def _read(statement: Statement) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.params)
        rows: list[Row] = cursor.fetchall()
    return rows


def _read_limited(statement: Statement) -> list[Row]:
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            return _read(statement)
    except TooSlow as error:
        message = (
            f"The rules take longer than {settings.CMS_STATEMENT_SECONDS:g} seconds to follow. "
            "Narrow the list by channel, group, tag or flag, or use fewer rules."
        )
        raise BadRequest("query_too_slow", message) from error


@dataclass(frozen=True, slots=True)
class _Place:
    """The ids of the page, the order of the wide rows, and the keys of a cursor."""

    page: Condition
    order: str
    key_names: Sequence[str] = ()  # columns of the page, by which the next cursor goes
    keys: Sequence[Column] = ()
    by_body: bool = False  # whether the order needs the body


def _place(request: ListRequest, rules: Rules) -> _Place:
    order = indexed.find_order(request)
    if order is not None:
        names, columns = (
            (indexed.key_columns(order), indexed.wire_columns(order)) if request.cursor is not None else ((), ())
        )
        return _Place(indexed.read(request, order), ", ".join(f"page.{key}" for key in order), names, columns)
    keys = scanned.sort_keys(request, rules)
    if request.cursor is None:
        by_body = any(key.column.wire == "content" for key in keys)
        return _Place(scanned.read(request, rules, keys), ", ".join(map(str, keys)), by_body=by_body)
    keys = scanned.cursor_keys(request, keys)
    names = [f"key{place}" for place in range(len(keys))]
    wide = ", ".join(key.over(f"page.{name}") for key, name in zip(keys, names, strict=True))
    return _Place(scanned.read_after(request, rules, keys), wide, names, [key.column for key in keys])


def _total(request: ListRequest, rules: Rules) -> Condition:
    if not request.has_total:
        return Condition("NULL")
    if indexed.is_counted(request):
        return indexed.count(request)
    if indexed.find_order(request) is not None:
        return indexed.scan_count(request)
    return scanned.count(request, rules)


def _site(request: ListRequest) -> Condition:
    conditions = [Condition("s.id = %s", (request.site_id,))]
    if request.channel_id is not None:
        exists = (
            "EXISTS (SELECT 1 FROM channels_app_channel h "
            "WHERE h.id = %s AND h.site_id = s.id AND h.trashed_at IS NULL)"
        )
        conditions.append(Condition(exists, (request.channel_id,)))
    return join(conditions)
