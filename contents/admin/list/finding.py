"""Finds a page of the admin's list of contents at a cost that hardly grows with the site.

Three ways (contents.admin.list.sources): an index range of ListedContent, with an exact total at any depth; if a
filter leaves few contents, reading and sorting these, with an exact total; otherwise walking the list's order until
the page is full, with "more than" as total. Orders without an index sort all matches within CMS_STATEMENT_SECONDS.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import connection

from contents.admin.list.last_edits import DATE, IS_LATER, IS_NOT_LATER, LATER_DRAFTS, last_edit
from contents.admin.list.params import ListParams
from contents.admin.list.sources import (
    ROW,
    SearchedSites,
    Source,
    at_level,
    between,
    conditions_of,
    flags_of,
    found_by_words,
    in_any,
    owned,
    owners_of,
    place_condition,
    sources_of,
)
from contents.flags import FLAGS, ListKind
from contents.lists.page import listed_page
from contents.lists.ranges import DEFAULT_ORDER, LISTED, Order, counted, order_by_date, page_of, ranges_of
from contents.lists.request import ListRequest
from contents.sql_fragments import SqlFragment, among, concatenate, fetch, join
from core.admin import paging
from core.lib.statement_limit import statement_limit
from search.spelling import correct
from search.words import read_words

FEW = 20_000  # up to this many contents are read and sorted
_AS_ON_SITE = ("-is_top", "-channel_id", "-taxis", "-id")


@dataclass(frozen=True)
class Found:
    """Ids of a page in order, and the number of matches."""

    numbers: Sequence[int]
    total: int
    is_exact: bool = True  # otherwise more than `total`
    is_estimate: bool = False  # `total` is approximate
    reach: int = 0  # number of rows that pages can reach

    @property
    def has_unreached(self) -> bool:
        return self.total > self.reach or not self.is_exact


class Search:
    """Reads pages of matching contents; the ordering is in Django's notation."""

    def __init__(self, asked: ListParams, place: SearchedSites, ordering: Sequence[str]) -> None:
        self.asked, self.place = asked, place
        self._ordering = tuple(ordering)
        self._owners = owners_of(asked, place)
        self._flags = flags_of(asked)
        self._estimate: int | None = None
        self._found = found_by_words(asked, place)
        self._filters = conditions_of(asked, place, self._owners, self._found)
        self.is_by_hits = ordering[0] in {"hits", "-hits"}
        self._is_by_edit = ordering[0].lstrip("-") == DATE
        if self.is_by_hits:
            # The index has only contents with hits.
            self._filters["hits"] = SqlFragment(f"{ROW}.hits > 0")
        self._list_order: Order | None = None
        if ordering[0] in {"-add_date", "add_date"}:
            self._list_order = order_by_date(descending=ordering[0] == "-add_date")
        elif self._ordering == _AS_ON_SITE:
            self._list_order = DEFAULT_ORDER

    @property
    def conditions(self) -> list[SqlFragment]:
        return [SqlFragment(f"{ROW}.trashed_at IS NULL"), *place_condition(self.place), *self._filters.values()]

    def page(self, offset: int, limit: int) -> Found:
        """Read the page. Raises TooSlow."""
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            return self._page(offset, limit)

    def correction(self) -> str | None:
        """Return the query, which finds nothing, with corrected words; None if that finds nothing either."""
        if self.asked.unread or not self._found:
            return None

        def first_of(query: str) -> int | None:
            asked = replace(self.asked, words=read_words(query, has_places=True), query=query)
            return next(iter(Search(asked, self.place, self._ordering).page(0, 1).numbers), None)

        return correct(self._found, self.asked.query, first_of, has_places=True)

    def _page(self, offset: int, limit: int) -> Found:
        if self.asked.unread:
            return Found((), 0)
        if self._is_listed and self._list_order is not None:
            total = self._total_of_lists()
            return Found(self._read_list(offset, limit, self._list_order), total, reach=total)
        few = self._few()
        page = self._take(few, offset, limit) if few is not None else None
        return page or self._walk(offset, limit)

    def _numbers(self, statement: SqlFragment) -> list[int]:
        return [row[0] for row in fetch(statement.sql, statement.params)]

    def _order_by(self, table: str = ROW, edited: str = "") -> str:
        keys = [(key.lstrip("-"), "DESC" if key.startswith("-") else "ASC") for key in self._ordering]
        columns = [(edited if edited and name == DATE else f"{table}.{name}", direction) for name, direction in keys]
        return ", ".join(f"{column} {direction}" for column, direction in columns)

    # ---- from ListedContent

    @property
    def _is_listed(self) -> bool:
        asked = self.asked
        dates = any(asked.added) or any(asked.edited)
        others = (asked.levels, asked.author, dates, asked.words, self.is_by_hits)
        return len(self._owners) == 1 and not any(others)

    def _total_of_lists(self) -> int:
        (total,) = self._numbers(counted(in_any(self._owners[0]), self._flags))
        return total

    def _read_list(self, offset: int, limit: int, order: Order) -> list[int]:
        (owners,) = self._owners
        if len(owners.numbers) == 1 and owners.kind is ListKind.CHANNEL:
            flags = {name: self._flags.get(column) for name, column in FLAGS.items()}
            request = ListRequest(owners.numbers[0], skip=offset, per_page=limit, **flags)  # type: ignore[arg-type]
            return self._numbers(listed_page(request, order))
        return self._numbers(self._along_lists(order, offset, limit))

    def _along_lists(
        self, order: Order, offset: int, limit: int, conditions: Sequence[SqlFragment] = ()
    ) -> SqlFragment:
        dates = between("l.add_date", self.asked.added)
        more = concatenate("", [SqlFragment(f" AND {one.sql}", one.params) for one in (*dates, *conditions)])
        source = f"{LISTED} JOIN {ROW} ON {ROW}.id = l.content_id" if conditions else LISTED
        # The first owners are the channel's, if one is chosen; its order is the same as on the site's pages.
        ranges = ranges_of(owned(self._owners[0]), self._flags, more=more)
        return page_of(ranges, order, limit, offset, source=source)

    # ---- few

    def _few(self) -> Source | None:
        if self._found and connection.vendor == "postgresql":
            # PostgreSQL reads all matches of a common word before the first row.
            self._estimate = self._found.estimate()
        sources = list(sources_of(self.asked, self.place, self._owners, FEW, self._found, self._estimate))
        if not sources:
            return None
        if self._found and self._estimate is None and self._filters.keys() == {"words"}:
            # The words are the only filter; counting would read everything twice.
            return next(source for source in sources if "words" in source.answers)
        counts = concatenate(", ", [SqlFragment(f"({source.count.sql})", source.count.params) for source in sources])
        (row,) = fetch(f"SELECT {counts.sql}", counts.params)
        count, smallest = min(zip(row, range(len(row)), strict=True))
        return sources[smallest] if count <= FEW else None

    def _take(self, source: Source, offset: int, limit: int) -> Found | None:
        others = [condition for name, condition in self._filters.items() if name not in source.answers]
        if source.dated is not None and not others and self.place.is_named and self._is_by_edit:
            sql = (
                f"WITH found AS MATERIALIZED (SELECT * FROM ({source.dated.sql}) dated LIMIT {FEW + 1}) "
                f"SELECT id, (SELECT COUNT(*) FROM found) FROM found "
                f"ORDER BY {self._order_by('found', last_edit('found'))}"
            )
            params = source.dated.params
        else:
            bounded = SqlFragment(f"SELECT id FROM ({source.numbers.sql}) found LIMIT {FEW + 1}", source.numbers.params)
            numbers = set(self._numbers(bounded))
            if len(numbers) > FEW:
                return None
            # With the ids as values, the planner knows their number and looks them up.
            chosen = join([among(f"{ROW}.id", sorted(numbers)), *others])
            count = "COUNT(*) OVER ()" if others else len(numbers)
            sql = f"SELECT {ROW}.id, {count} FROM {ROW} WHERE {chosen.sql} ORDER BY {self._order_by(ROW, last_edit())}"
            params = chosen.params
        rows = fetch(f"{sql} LIMIT %s OFFSET %s", (*params, limit, offset))
        if not rows and offset:
            return Found((), offset, reach=offset)
        total = rows[0][1] if rows else 0
        if total > FEW:
            return None
        return Found([row[0] for row in rows], total, reach=min(total, paging.MAX))

    # ---- many

    def _walk(self, offset: int, limit: int) -> Found:
        if self._list_order is not None and self._owners:
            statement = self._along_lists(self._list_order, offset, limit + 1, self.conditions)
        else:
            statement = self._along_contents(offset, limit + 1)
        return self._counted(self._numbers(statement), offset, limit)

    def _along_contents(self, offset: int, limit: int) -> SqlFragment:
        ranges, drafts = [""], [""] if self._is_by_edit else []
        if self.place.is_named and (self._is_by_edit or self.is_by_hits):
            ranges = [f"{ROW}.site_id = {site_id} AND " for site_id in self.place.sites]
            drafts = [f"draft.site_id = {site_id} AND " for site_id in self.place.sites if self._is_by_edit]
            if self.asked.levels:
                levels = [at_level(level) for level in self.asked.levels]
                ranges = [f"{site}{level} AND " for site in ranges for level in levels]
        if self._is_by_edit:
            ranges = [f"{one}{IS_NOT_LATER} AND " for one in ranges]
        narrowed = join(self.conditions)
        parts = [
            SqlFragment(
                f"SELECT * FROM (SELECT {self._keys(edited)} FROM {rows} WHERE {one}{narrowed.sql} "
                f"ORDER BY {self._order_by(edited=edited)} LIMIT %s) first",
                (*narrowed.params, offset + limit),
            )
            for rows, edited, one in (
                *((ROW, "", one) for one in ranges),
                *((LATER_DRAFTS, "draft.edited_at", f"{one}{IS_LATER} AND ") for one in drafts),
            )
        ]
        union = concatenate(" UNION ALL ", parts)
        sql = f"SELECT id FROM ({union.sql}) found ORDER BY {self._order_by('found')} LIMIT %s OFFSET %s"
        return SqlFragment(sql, (*union.params, limit, offset))

    def _keys(self, edited: str) -> str:
        keys = dict.fromkeys(["id", *(key.lstrip("-") for key in self._ordering)])
        return ", ".join(f"{edited} AS {key}" if edited and key == DATE else f"{ROW}.{key}" for key in keys)

    def _counted(self, numbers: list[int], offset: int, limit: int) -> Found:
        page = numbers[:limit]
        has_more = len(numbers) > limit
        if self._is_listed:
            total = self._total_of_lists()
            return Found(page, total, reach=min(total, paging.MAX))
        if not numbers and offset:
            return Found(page, offset, is_exact=False, reach=offset)
        known = offset + len(page)
        if has_more and self._is_one_filter():
            if self._estimate is not None and self._estimate > FEW:
                about = int(float(f"{self._estimate:.2g}"))
                return Found(page, about, is_exact=False, is_estimate=True, reach=paging.MAX)
            return Found(page, max(FEW, known) + 1, is_exact=False, reach=paging.MAX)
        return Found(page, known + has_more, is_exact=not has_more, reach=min(known + has_more, paging.MAX))

    def _is_one_filter(self) -> bool:
        asked, first = self.asked, self._owners[0].numbers[:1] if self._owners else ()
        named = any(number not in self.place.sites for number in first)
        filters = [asked.levels, asked.author, any(asked.added), any(asked.edited), asked.words, named, asked.flags]
        return sum(map(bool, filters)) == 1 and self.place.is_named and "places" not in self._filters
