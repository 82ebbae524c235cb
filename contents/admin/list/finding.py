"""Finds the numbers of a page of the list of contents, at a cost that hardly grows with the site.

One of three ways leads to a page (contents.admin.list.sources):

- what the lists of contents know is a range of an index, with an exact total, at any depth;
- where one filter leaves few contents, these are read and sorted, with an exact total;
- otherwise many match: the order of the list is walked until the page is full. The total is "more than".

Orders without an index sort everything that matches, within CMS_STATEMENT_SECONDS.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from cms_api.admin import paging
from cms_api.lib.statement_limit import statement_limit
from contents.admin.list.page_statements import (
    along_contents,
    along_lists,
    of_dated,
    of_few,
    of_numbers,
)
from contents.admin.list.params import Asked
from contents.admin.list.sources import (
    ROW,
    Place,
    Source,
    at_level,
    between,
    conditions_of,
    flags_of,
    in_any,
    owners_of,
    place_condition,
    sources_of,
)
from contents.conditions import Condition, concatenate, fetch
from contents.flags import FLAGS, ListKind
from contents.lists.page import listed_page
from contents.lists.ranges import DEFAULT_ORDER, Order, counted, order_by_date
from contents.lists.request import ListRequest
from contents.search import query

FEW = 20_000  # contents that are read and sorted rather than walked to
_AS_ON_SITE = ("-is_top", "-channel_id", "-taxis", "-id")


@dataclass(frozen=True)
class Found:
    """The numbers of a page in their order, and how many match."""

    numbers: Sequence[int]
    total: int
    is_exact: bool = True  # else there are more than `total`
    is_estimate: bool = False  # about `total`
    reach: int = 0  # rows from the first one on to which pages lead


class Search:
    """What is asked for, in what order; pages are read from it."""

    def __init__(self, asked: Asked, place: Place, ordering: Sequence[str]) -> None:
        self._asked, self.place = asked, place
        self._ordering = tuple(ordering)
        self._owners = owners_of(asked, place)
        self._flags = flags_of(asked)
        self._estimate: int | None = None
        self._filters = conditions_of(asked, place, self._owners)
        if self.is_by_hits:
            # What nobody has read is left out of what is read most, as it is of the index.
            self._filters["hits"] = Condition(f"{ROW}.hits > 0")

    @property
    def conditions(self) -> list[Condition]:
        """What a row of contents_content must be."""
        return [Condition(f"{ROW}.trashed_at IS NULL"), *place_condition(self.place), *self._filters.values()]

    def page(self, offset: int, limit: int) -> Found:
        """The page. Raises TooSlow."""
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            return self._page(offset, limit)

    def _page(self, offset: int, limit: int) -> Found:
        if self._asked.unread:
            return Found((), 0)
        if self._is_listed and self._order_of_lists is not None:
            total = self._total_of_lists()
            return Found(self._read_list(offset, limit), total, reach=total)
        few = self._few()
        page = self._take(few, offset, limit) if few is not None else None
        return page or self._walk(offset, limit)

    # ---- what lists know

    @property
    def _is_listed(self) -> bool:
        """Whether lists and their flags answer all that is asked."""
        asked = self._asked
        dates = any(asked.added) or any(asked.edited)
        others = (asked.levels, asked.author, dates, asked.words, self.is_by_hits)
        return len(self._owners) == 1 and not any(others)

    @property
    def is_by_hits(self) -> bool:
        """Whether the order is that of hits, in which contents without any have no place."""
        return self._ordering[0] in {"hits", "-hits"}

    @property
    def _order_of_lists(self) -> Order | None:
        if self._ordering[0] in {"-add_date", "add_date"}:
            return order_by_date(descending=self._ordering[0] == "-add_date")
        return DEFAULT_ORDER if self._ordering == _AS_ON_SITE else None

    def _total_of_lists(self) -> int:
        total: int = self._rows(counted(in_any(self._owners[0]), self._flags))[0][0]
        return total

    def _read_list(self, offset: int, limit: int) -> list[int]:
        (owners,) = self._owners
        order = self._order_of_lists or DEFAULT_ORDER
        if len(owners) == 1 and owners[0].kind is ListKind.CHANNEL:
            flags = {name: self._flags.get(column) for name, column in FLAGS.items()}
            request = ListRequest(owners[0].owner_id, skip=offset, per_page=limit, **flags)  # type: ignore[arg-type]
            return self._numbers(listed_page(request, order))
        return self._numbers(along_lists(owners, self._flags, order, offset, limit, within=self._dates))

    @property
    def _dates(self) -> list[Condition]:
        return between("l.add_date", self._asked.added)

    # ---- few

    def _few(self) -> Source | None:
        """The smallest set that holds all that is asked for, if it is small."""
        if self._asked.words and connection.vendor == "postgresql":
            # It reads all of a common word before the first row.
            self._estimate = query.estimate(self._asked.words)
        sources = list(sources_of(self._asked, self.place, self._owners, FEW, self._estimate))
        if not sources:
            return None
        if self._estimate is None and self._filters.keys() == {"words"}:
            # They are all of what is asked for, and to count them would be to read them twice.
            return next(source for source in sources if "words" in source.answers)
        counts = concatenate(", ", [Condition(f"({source.count.sql})", source.count.params) for source in sources])
        (row,) = self._rows(Condition(f"SELECT {counts.sql}", counts.params))
        count, smallest = min(zip(row, range(len(row)), strict=True))
        return sources[smallest] if count <= FEW else None

    def _take(self, source: Source, offset: int, limit: int) -> Found | None:
        """The page; None where the set is larger than it was thought to be and another way leads there."""
        others = [condition for name, condition in self._filters.items() if name not in source.answers]
        if source.dated is not None and not others and self.place.is_named and self._is_by_edit:
            return self._of_counted(of_dated(source.dated, FEW + 1, self._ordering, offset, limit), offset)
        bounded = Condition(f"SELECT id FROM ({source.numbers.sql}) found LIMIT {FEW + 1}", source.numbers.params)
        numbers = set(self._numbers(bounded))
        if len(numbers) > FEW:
            return None
        if not others:
            page = self._numbers(of_numbers(numbers, self._ordering, offset, limit))
            return Found(page, len(numbers), reach=min(len(numbers), paging.MOST))
        return self._of_counted(of_few(numbers, others, self._ordering, offset, limit), offset)

    def _of_counted(self, statement: Condition, offset: int) -> Found | None:
        """The page of rows that each have the number of all with them; None where that is above FEW."""
        rows = self._rows(statement)
        if not rows and offset:
            return Found((), offset, reach=offset)
        total = rows[0][1] if rows else 0
        if total > FEW:
            return None
        return Found([row[0] for row in rows], total, reach=min(total, paging.MOST))

    @property
    def _is_by_edit(self) -> bool:
        return self._ordering[0].lstrip("-") == "last_edit_date"

    # ---- many

    def _walk(self, offset: int, limit: int) -> Found:
        """The page in the order of an index, with a row more that tells whether there is a next page."""
        column = self._ordering[0].lstrip("-")
        if self._order_of_lists is not None and self._owners:
            statement = self._along_lists(offset, limit + 1)
        elif column in {"last_edit_date", "hits"} and self.place.is_named:
            statement = along_contents(self._ranges(), self.conditions, self._ordering, offset, limit + 1)
        else:
            statement = along_contents([Condition("1 = 1")], self.conditions, self._ordering, offset, limit + 1)
        return self._counted(self._numbers(statement), offset, limit)

    def _ranges(self) -> list[Condition]:
        sites = [f"{ROW}.site_id = {site_id}" for site_id in self.place.sites]
        if not self._asked.levels:
            return [Condition(site) for site in sites]
        levels = [at_level(level) for level in self._asked.levels]
        return [Condition(f"{site} AND {level}") for site in sites for level in levels]

    def _along_lists(self, offset: int, limit: int) -> Condition:
        order = self._order_of_lists or DEFAULT_ORDER
        # The list that is a channel, where one is asked for: its order is that of pages.
        return along_lists(
            self._owners[0], self._flags, order, offset, limit, within=self._dates, conditions=self.conditions
        )

    def _counted(self, numbers: list[int], offset: int, limit: int) -> Found:
        page = numbers[:limit]
        has_more = len(numbers) > limit
        if self._is_listed:
            total = self._total_of_lists()
            return Found(page, total, reach=min(total, paging.MOST))
        if not numbers and offset:
            return Found(page, offset, is_exact=False, reach=offset)
        known = offset + len(page)
        if has_more and self._is_one_filter():
            if self._estimate is not None and self._estimate > FEW:
                return Found(
                    page, int(float(f"{self._estimate:.2g}")), is_exact=False, is_estimate=True, reach=paging.MOST
                )
            return Found(page, max(FEW, known) + 1, is_exact=False, reach=paging.MOST)
        return Found(page, known + has_more, is_exact=not has_more, reach=min(known + has_more, paging.MOST))

    def _is_one_filter(self) -> bool:
        """Whether a single set was looked at, which has more than FEW contents."""
        asked = self._asked
        named = (self._owners[0][0].owner_id not in self.place.sites) if self._owners and self._owners[0] else False
        filters = [asked.levels, asked.author, any(asked.added), any(asked.edited), asked.words, named, asked.flags]
        return sum(map(bool, filters)) == 1 and self.place.is_named

    def _numbers(self, statement: Condition) -> list[int]:
        return [row[0] for row in self._rows(statement)]

    def _rows(self, statement: Condition) -> list[tuple[Any, ...]]:
        return fetch(statement.sql, statement.params)
