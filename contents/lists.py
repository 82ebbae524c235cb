"""The list of contents: which index answers a request, and the one statement that reads a page.

Two ways lead to a page. What a list of a channel, a group or a tag asks for in a common order is one
range of an index over ListedContent, whatever the size of the site. Anything else goes over Content
itself, within a time limit. Totals come from ListedCount wherever no rule narrows the list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection

from cms_api.lib.statement_limit import TooSlow, statement_limit
from cms_api.rest.errors import BadRequest
from contents.columns import BY_NAME
from contents.models import ListKind
from contents.records import WIDTH, Record, record_maker, select_list
from contents.rules import Condition, Rules, join

DEFAULT_PER_PAGE = 20
_MAX_OFFSET = 2**62
# Names of the request's flags: the column, and the bit in ListedCount.flags.
_FLAGS = {
    "checked": ("is_checked", 1),
    "top": ("is_top", 2),
    "recommend": ("is_recommend", 4),
    "hot": ("is_hot", 8),
    "color": ("is_color", 16),
}
_DEFAULT_ORDER = ("is_top DESC", "channel_id DESC", "taxis DESC", "content_id DESC")
_TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What a list is asked for; read by serializers.ContentListSerializer."""

    site_id: int
    channel_id: int | None = None
    checked: bool | None = None
    top: bool | None = None
    recommend: bool | None = None
    color: bool | None = None
    hot: bool | None = None
    group_names: tuple[str, ...] = ()
    tag_names: tuple[str, ...] = ()
    wheres: tuple[dict[str, Any], ...] = ()
    orders: tuple[dict[str, Any], ...] = ()
    page: int = 1
    per_page: int = DEFAULT_PER_PAGE

    @property
    def limit(self) -> int:
        """Contents a page. Raises BadRequest above CMS_MAX_PER_PAGE."""
        if self.per_page > settings.CMS_MAX_PER_PAGE:
            most = settings.CMS_MAX_PER_PAGE
            message = f"perPage is {self.per_page}; at most {most} contents are listed at once."
            raise BadRequest("page_too_large", message, member="perPage")
        return self.per_page if self.per_page > 0 else DEFAULT_PER_PAGE

    @property
    def offset(self) -> int:
        """Contents before the page."""
        return min(max(self.page - 1, 0) * self.limit, _MAX_OFFSET)

    @property
    def flags(self) -> dict[str, bool]:
        """The flags that are asked for."""
        return {name: value for name in _FLAGS if (value := getattr(self, name)) is not None}


@dataclass(slots=True)
class Page:
    """One page of contents and the number of all that match."""

    total: int
    records: list[Record] = field(default_factory=list)


def read_page(request: ListRequest) -> Page | None:
    """The page; None when the site, or the channel in it, does not exist.

    Raises BadRequest for a rule that cannot be followed or takes longer than CMS_STATEMENT_SECONDS.
    """
    statement = _Statement(request)
    try:
        if statement.is_bounded:
            rows = _run(statement.build())
        else:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                rows = _run(statement.build())
    except TooSlow as error:
        message = (
            f"The rules take longer than {settings.CMS_STATEMENT_SECONDS:g} seconds to follow. "
            "Narrow the list by channel, group, tag or flag, or use fewer rules."
        )
        raise BadRequest("query_too_slow", message) from error
    if not rows:
        return None
    make = record_maker(connection)
    return Page(rows[0][1], [make(row[2 : 2 + WIDTH], row[0]) for row in rows if row[2] is not None])


def _run(statement: Condition) -> list[Sequence[Any]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.params)
        rows: list[Sequence[Any]] = cursor.fetchall()
        return rows


class _Statement:
    """Composes the statement of one request: site and channel, total, ids of the page, wide rows."""

    def __init__(self, request: ListRequest) -> None:
        self.request = request
        self._rules = Rules(connection, request.site_id)
        self._names = len(request.group_names) + len(request.tag_names)
        self._listed_order = self._find_listed_order()

    @property
    def is_bounded(self) -> bool:
        """Whether an index answers page and total, so that no time limit is needed."""
        return self._listed_order is not None and self._is_counted

    def build(self) -> Condition:
        """One statement; its rows are web address, total, and the columns of a record or nulls."""
        page, order = self._listed_page() if self._listed_order else self._searched_page()
        total = self._counted_total() if self._is_counted else self._searched_total()
        site = self._site()
        sql = (
            f"WITH page AS ({page.sql}) SELECT s.web_url, ({total.sql}), {select_list(connection)} "
            "FROM cms_sites_site s LEFT JOIN page ON TRUE LEFT JOIN contents_content c ON c.id = page.id "
            f"LEFT JOIN contents_contentbody b ON b.content_id = c.id WHERE {site.sql} ORDER BY {order}"
        )
        return Condition(sql, page.params + total.params + site.params)

    def _site(self) -> Condition:
        conditions = [Condition("s.id = %s", (self.request.site_id,))]
        if self.request.channel_id is not None:
            exists = (
                "EXISTS (SELECT 1 FROM channels_app_channel h "
                "WHERE h.id = %s AND h.site_id = s.id AND h.trashed_at IS NULL)"
            )
            conditions.append(Condition(exists, (self.request.channel_id,)))
        return join(conditions)

    # ---- what the lists know

    @property
    def _is_counted(self) -> bool:
        # A tag within a channel is counted among the tag's contents; anything more is searched.
        return (not self.request.wheres and self._names == 0) or self._is_one_name_of_site

    @property
    def _is_one_name_of_site(self) -> bool:
        return (
            self._names == 1
            and not self.request.wheres
            and self.request.channel_id in (None, self.request.site_id)
        )

    def _find_listed_order(self) -> tuple[str, ...] | None:
        request = self.request
        if request.wheres or self._names > 1 or (self._names == 1 and not self._is_one_name_of_site):
            return None
        if not request.orders:
            return _DEFAULT_ORDER
        first, *others = request.orders
        if others or first["column"].strip().casefold() != "adddate":
            return None
        direction = "DESC" if first["desc"] else "ASC"
        return (f"add_date {direction}", f"content_id {direction}")

    def _owner(self) -> Condition:
        """The list that is asked for, as conditions on its kind and owner."""
        request = self.request
        if request.tag_names or request.group_names:
            kind, table, column = (
                (ListKind.TAG, "contents_contenttag", "tag_name")
                if request.tag_names
                else (ListKind.GROUP, "contents_contentgroup", "group_name")
            )
            (name,) = request.tag_names or request.group_names
            owner = f"(SELECT id FROM {table} WHERE site_id = %s AND {column} = %s)"
            return Condition(f"kind = {kind.value} AND owner_id = {owner}", (request.site_id, name))
        # The home channel bears the site's number, so its list is the site's.
        channel_id = request.channel_id if request.channel_id is not None else request.site_id
        return Condition(f"kind = {ListKind.CHANNEL.value} AND owner_id = %s", (channel_id,))

    def _listed_page(self) -> tuple[Condition, str]:
        """The ids of the page out of one index range for each approval state."""
        owner, flags = self._owner(), self.request.flags
        states = [flags["checked"]] if "checked" in flags else [True, False]
        ranges = [self._range(owner, checked) for checked in states]
        order = ", ".join(self._listed_order or ())
        listed = " UNION ALL ".join(part.sql for part in ranges)
        sql = (
            "SELECT content_id AS id, is_top, channel_id, taxis, add_date, content_id "
            f"FROM ({listed}) listed ORDER BY {order} LIMIT %s OFFSET %s"
        )
        params = tuple(value for part in ranges for value in part.params)
        outer = ", ".join(f"page.{key}" for key in self._listed_order or ())
        return Condition(sql, (*params, self.request.limit, self.request.offset)), outer

    def _range(self, owner: Condition, checked: bool) -> Condition:
        conditions = [f"is_checked = {checked}".upper().replace("IS_CHECKED", "is_checked")]
        for name, value in self.request.flags.items():
            column = _FLAGS[name][0]
            if name == "top":
                conditions.append(f"{column} = {'TRUE' if value else 'FALSE'}")
            if name != "checked":
                # The bare column is what the partial indexes are declared with.
                conditions.append(column if value else f"NOT {column}")
        sql = (
            "SELECT content_id, is_top, channel_id, taxis, add_date FROM contents_listedcontent "
            f"WHERE {owner.sql} AND {' AND '.join(conditions)}"
        )
        return Condition(sql, owner.params)

    def _counted_total(self) -> Condition:
        owner = self._owner()
        mask = sum(_FLAGS[name][1] for name in self.request.flags)
        wanted = sum(_FLAGS[name][1] for name, value in self.request.flags.items() if value)
        sql = (
            "SELECT CAST(COALESCE(SUM(contents), 0) AS bigint) FROM contents_listedcount "
            f"WHERE {owner.sql} AND flags & {mask} = {wanted}"
        )
        return Condition(sql, owner.params)

    # ---- anything else

    def _searched_page(self) -> tuple[Condition, str]:
        order = ", ".join(self._sort_keys())
        found = self._found()
        sql = f"SELECT c.id FROM {_TABLES} WHERE {found.sql} ORDER BY {order} LIMIT %s OFFSET %s"
        return Condition(sql, (*found.params, self.request.limit, self.request.offset)), order

    def _searched_total(self) -> Condition:
        found = self._found()
        return Condition(f"SELECT COUNT(*) FROM {_TABLES} WHERE {found.sql}", found.params)

    def _sort_keys(self) -> list[str]:
        if not self.request.orders:
            return [f"c.{key}".replace("content_id", "id") for key in _DEFAULT_ORDER]
        keys = [self._rules.order(rule, f"orders[{place}]") for place, rule in enumerate(self.request.orders)]
        # The id ends every order, so that pages never overlap; in the last rule's direction, so
        # that an index can be walked.
        return [*keys, self._rules.sort_key(BY_NAME["id"], descending=self.request.orders[-1]["desc"])]

    def _found(self) -> Condition:
        request = self.request
        conditions = [Condition("c.site_id = %s AND c.trashed_at IS NULL", (request.site_id,))]
        if request.channel_id is not None and request.channel_id != request.site_id:
            below = (
                "c.channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"
            )
            conditions.append(Condition(below, (request.channel_id,)))
        for name, value in request.flags.items():
            column = f"c.{_FLAGS[name][0]}"
            conditions.append(Condition(column if value else f"NOT {column}"))
        conditions += self._named(ListKind.GROUP, "contents_contentgroup", "group_name", request.group_names)
        conditions += self._named(ListKind.TAG, "contents_contenttag", "tag_name", request.tag_names)
        conditions += (
            self._rules.where(rule, f"wheres[{place}]") for place, rule in enumerate(request.wheres)
        )
        return join(conditions)

    def _named(self, kind: ListKind, table: str, column: str, names: tuple[str, ...]) -> list[Condition]:
        if not names:
            return []
        marks = ", ".join(["%s"] * len(names))
        sql = (
            f"c.id IN (SELECT l.content_id FROM contents_listedcontent l JOIN {table} n ON n.id = l.owner_id "
            f"WHERE l.kind = {kind.value} AND n.site_id = %s AND n.{column} IN ({marks}))"
        )
        return [Condition(sql, (self.request.site_id, *names))]
