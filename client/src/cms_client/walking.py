"""Iterating over lists page by page, without any input or output.

A plan is a generator: it yields an operation and is answered with its page, or yields a page whose records are meant
for the caller.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Generic, TypeVar

from cms_client.errors import BadRequest
from cms_client.exchange import Known
from cms_client.operations import Operation
from cms_client.records import Content, Page

T = TypeVar("T")
Progress = Callable[[int, int | None], object]
Plan = Generator[Operation[Page[T]] | Page[T], Page[T] | None, None]
Request = Mapping[str, Any]


class Walk(Generic[T]):
    """A plan as it is carried out, and how far it has come. Raises ValueError for pages of no records."""

    def __init__(self, plan: Callable[[Known], Plan[T]], progress: Progress | None, per_page: int) -> None:
        if per_page < 1:
            raise ValueError("per_page is 1 or more.")
        self.plan, self._progress, self._done = plan, progress, 0
        self._total: int | None = None

    def hand_out(self, page: Page[T]) -> Iterator[T]:
        """The records; each counts as done when the caller asks for the next one."""
        self._total = self._total if page.total is None else page.total
        for record in page.records:
            yield record
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)


def go_on(plan: Plan[T], page: Page[T] | None = None) -> Operation[Page[T]] | Page[T] | None:
    """The next step of the plan after the page that was asked for; None at its end."""
    try:
        return plan.send(page)
    except StopIteration:
        return None


def contents_plan(request: Request, ask: Callable[[Request], Operation[Page[Content]]], known: Known) -> Plan[Content]:
    """The contents by cursor where the server has them, else by numbered pages."""
    if known.has_cursors is not False:
        page = yield from _first_by_cursor(request, ask)
        known.has_cursors = known.has_cursors if page is None else page.by_cursor
        if page is not None and page.by_cursor:
            yield from _further_by_cursor(request, ask, page)
            return
    yield from _by_number(request, ask)


def _first_by_cursor(
    request: Request, ask: Callable[[Request], Operation[Page[Content]]]
) -> Generator[Operation[Page[Content]], Page[Content] | None, Page[Content] | None]:
    """The first page; None where the server has cursors but not for these orders."""
    try:
        return (yield ask({**request, "cursor": ""}))
    except BadRequest as error:
        if error.code != "invalid_cursor":
            raise
        return None


def _further_by_cursor(
    request: Request, ask: Callable[[Request], Operation[Page[Content]]], page: Page[Content] | None
) -> Plan[Content]:
    while page is not None:
        yield page
        if page.next_cursor is None:
            return
        # Counted once is enough.
        page = yield ask({**request, "cursor": page.next_cursor, "count": "none"})


def _by_number(request: Request, ask: Callable[[Request], Operation[Page[Content]]]) -> Plan[Content]:
    """Numbered pages in an order that ends with the id, so that they neither overlap nor leave gaps by themselves.

    What has been handed out is not handed out again, where something new has moved the pages meanwhile. A page with
    nothing else is no end: as much may have come in. Nor is a page that comes twice, but one that comes three times is
    of a server which knows no pages.
    """
    request = {**request, "orders": _with_id(request.get("orders") or ())}
    if request.get("fields"):
        request["fields"] = [*(name for name in request["fields"] if name.lower() != "id"), "id"]
    seen: set[int] = set()
    total = 0
    earlier: list[list[int]] = []
    for number in count(1):
        page = yield ask({**request, "page": number})
        if page is None:
            return
        new = [record for record in page.records if record.get("id") not in seen]
        seen.update(record.get("id") for record in new)
        # Some servers count 0 on later pages.
        total = page.total or 0 if number == 1 else total
        yield Page(new, total)
        ids = [record.get("id") for record in page.records]
        if not ids or earlier == [ids, ids] or (len(page) < request["perPage"] and len(seen) >= total):
            return
        earlier = [*earlier[-1:], ids]


def _with_id(orders: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    has_id = any(str(rule.get("column", "")).lower() == "id" for rule in orders)
    return list(orders) if has_id else [*orders, {"column": "id", "desc": False}]


def windows_plan(ask: Callable[[int, int], Operation[Page[T]]], size: int) -> Plan[T]:
    """A GET list by its windows: `ask` makes the operation that skips so many and takes so many.

    Each begins with the last record of the one before. One that does not tells that some of before have been deleted,
    or that others have come in before it: then it is moved back until it begins with what has been handed out. One
    with nothing new is no end: as much may have come in.
    """
    skip, top, seen = 0, size, set[object]()
    earlier: list[object] = []
    while True:
        page = yield ask(skip, top)
        if page is None:
            return
        ids = [_id_of(record) for record in page.records]
        if skip and not (ids and ids[0] in seen):
            skip, earlier = max(skip - size, 0), []
            continue
        new = [record for record in page.records if _id_of(record) not in seen]
        seen.update(ids)
        yield Page(new, page.total)
        is_last = len(page) < top if page.total is None else skip + len(page) >= page.total
        # Of a server that knows no windows, each answer is the same; of one that stands still, the last record alone.
        if is_last or ids == earlier or len(ids) <= min(skip, 1):
            return
        skip, top, earlier = skip + len(page) - 1, size + 1, ids


def _id_of(record: object) -> object:
    return record.get("id") if isinstance(record, Mapping) else None
