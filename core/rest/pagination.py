"""GET lists: whole, or in pages if the client sends `top` or `skip`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request

from core.rest.conditional import compare
from core.rest.errors import JSON
from core.rest.fields import read_integer
from core.rest.json import dump
from core.rest.names import raise_if_two_spellings

DEFAULT_TOP = 20
_NAMES = {"top", "skip"}
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Window:
    top: int
    skip: int

    @classmethod
    def of(cls, request: Request) -> "Window | None":
        """Return the query's window; None without `top` and `skip`. Raises `InvalidInput`."""
        raise_if_two_spellings(name for name in request.query_params if name.casefold() in _NAMES)
        asked = {
            name.casefold(): read_integer(text, name)
            for name, text in request.query_params.items()
            if name.casefold() in _NAMES
        }
        if not asked:
            return None
        top = asked.get("top", DEFAULT_TOP)
        return cls(top if top > 0 else DEFAULT_TOP, max(asked.get("skip", 0), 0))

    def neighbours(self, count: int) -> dict[str, int]:
        """Return `skip` for the pages `first`, `prev`, `next` and `last` that exist."""
        skips: dict[str, int] = {}
        if self.skip > 0:
            # Before a page past the end comes the last page with records.
            last = max(count - 1, 0) // self.top * self.top
            skips = {"first": 0, "prev": last if self.skip >= count else max(self.skip - self.top, 0)}
        if self.skip + self.top < count:
            skips["next"] = self.skip + self.top
            # The last page in steps from this one, which may start in the middle of a regular page.
            skips["last"] = self.skip + (count - self.skip - 1) // self.top * self.top
        return skips


def page_members(request: Request, window: Window, count: int) -> dict[str, Any]:
    """Return a page's members other than `value`: `count` and links to the other pages."""
    members: dict[str, Any] = {"count": count}
    # The middleware has removed API keys from the query, so links cannot repeat them.
    query = request.query_params.copy()
    for name in list(query):
        if name.casefold() in _NAMES:
            del query[name]
    query["top"] = str(window.top)
    for name, skip in window.neighbours(count).items():
        query["skip"] = str(skip)
        members[name] = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
    return members


class PagedList:
    """The response to a GET list in bounded memory; rows are tuples that begin with the id, in its order."""

    # Rows held in memory: twice as many are no faster, half as many cost a tenth more; 2,000 users take 9 MB.
    chunk = 2000

    def __init__(
        self,
        request: Request,
        rows: QuerySet[Any, Row],
        show: Callable[[Row], dict[str, Any]],
        *,
        newest_first: bool = False,
    ) -> None:
        self._request, self._show = request, show
        self._rows = rows.order_by("-pk" if newest_first else "pk")
        self._after = "pk__lt" if newest_first else "pk__gt"

    def answer(self) -> HttpResponseBase:
        """Return `value` and, with a window, `count` and links. Raises `InvalidInput` for a bad `top` or `skip`."""
        window, members, left, skip = Window.of(self._request), {}, None, 0
        if window is not None:
            members, left, skip = page_members(self._request, window, self._rows.count()), window.top, window.skip
        # Read first, so that a failing database gives a 503 and not half a list.
        first = list(self._rows[skip : skip + self._size(left)])
        parts = self._write(first, left, members)
        if len(first) < self._size(None):
            # Addresses in records begin with the requested host.
            compare(self._request, self._request.build_absolute_uri(self._request.path), first, members)
            return HttpResponse(b"".join(parts), JSON)
        return StreamingHttpResponse(parts, JSON)

    def _size(self, left: int | None) -> int:
        return self.chunk if left is None else min(left, self.chunk)

    def _write(self, rows: list[Row], left: int | None, members: dict[str, Any]) -> Iterator[bytes]:
        """Yield JSON, a query per chunk that continues after the last id: a slow client holds no cursor open."""
        yield b'{"value":['
        comma = b""
        while rows:
            yield comma + dump(list(map(self._show, rows)))[1:-1]
            comma = b","
            left = None if left is None else left - len(rows)
            if left == 0 or len(rows) < self._size(None):
                break
            rows = list(self._rows.filter(**{self._after: rows[-1][0]})[: self._size(left)])
        yield b"]" + (b"," + dump(members)[1:] if members else b"}")
