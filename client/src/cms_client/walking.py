"""Page-by-page iteration over lists, without I/O.

A plan is a generator. It yields an operation and receives the resulting page, yields a page of records to pass to the
caller, or yields a pause.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import count
from time import monotonic
from typing import Any, Generic, TypeVar

from cms_client.errors import BadRequest
from cms_client.exchange import Known, Wait
from cms_client.operations import Operation
from cms_client.records import Change, Content, Page

T = TypeVar("T")
Progress = Callable[[int, int | None], object]
Plan = Generator[Operation[Page[T]] | Page[T] | Wait, Page[T] | None, None]
Request = Mapping[str, Any]


class Walk(Generic[T]):
    """A plan and its progress. Raises ValueError if `per_page` is less than 1."""

    def __init__(self, plan: Callable[[Known], Plan[T]], progress: Progress | None, per_page: int) -> None:
        if per_page < 1:
            raise ValueError("per_page is 1 or more.")
        self.plan, self._progress, self._done = plan, progress, 0
        self._total: int | None = None

    def hand_out(self, page: Page[T]) -> Iterator[T]:
        """Yield the records. A record counts as done once the caller requests the next one."""
        self._total = self._total if page.total is None else page.total
        for record in page.records:
            yield record
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)


def go_on(plan: Plan[T], page: Page[T] | None = None) -> Operation[Page[T]] | Page[T] | Wait | None:
    """Send the requested page to the plan and return its next step; None at the end."""
    try:
        return plan.send(page)
    except StopIteration:
        return None


def cursor_plan(ask: Callable[[str], Operation[Page[T]]]) -> Plan[T]:
    """Iterate over a GET list by cursor."""
    cursor: str | None = ""
    while cursor is not None:
        page = yield ask(cursor)
        if page is None:
            return
        yield page
        cursor = page.next_cursor


_PAUSE = 1.0  # seconds before the next request, if the server does not wait for changes


def changes_plan(ask: Callable[[str | None], Operation[Page[Change]]], after: str | None, wait: int) -> Plan[Change]:
    """Follow the changes after the cursor; without `wait` end after the last one."""
    while True:
        began = monotonic()
        page = yield ask(after)
        if page is None:
            return
        has_waited = after is None or bool(page.records) or monotonic() - began > _PAUSE
        yield page
        after = page.next_cursor
        if page.has_more:
            continue
        if not wait:
            return
        if not has_waited:
            yield Wait(_PAUSE)


def contents_plan(request: Request, ask: Callable[[Request], Operation[Page[Content]]], known: Known) -> Plan[Content]:
    """Iterate by cursor if the server supports cursors, otherwise by numbered pages."""
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
    """Request the first page; return None if the server does not support a cursor for these orders."""
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
        # The first page has the total; do not count again.
        page = yield ask({**request, "cursor": page.next_cursor, "count": "none"})


def _by_number(request: Request, ask: Callable[[Request], Operation[Page[Content]]]) -> Plan[Content]:
    """Iterate by numbered pages, with the id as the last sort key, so that pages do not overlap or leave gaps.

    Skips records that an earlier page contained, because new records can shift the pages. A page without new records
    does not end the iteration: a whole page of records may have been inserted. A page that is the same twice does not
    end it either, but the third time it does, because then the server ignores page numbers.
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
        # Some servers return a total of 0 on later pages.
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
    """Iterate over a GET list in windows; `ask(skip, top)` builds the operation for one window.

    Each window begins with the last record of the previous one. If it does not, records have been deleted or inserted
    before it, and the window moves back until it begins with a known record. A window without new records does not end
    the iteration: a whole window of records may have been inserted.
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
        # A server without windows repeats the same response; an unchanged list ends with its last record alone.
        if is_last or ids == earlier or len(ids) <= min(skip, 1):
            return
        skip, top, earlier = skip + len(page) - 1, size + 1, ids


def _id_of(record: object) -> object:
    return record.get("id") if isinstance(record, Mapping) else None
