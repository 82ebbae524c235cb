"""GET lists: whole, or in pages when the client asks for pages (design §4.11)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request

from cms_api.rest.conditional import compare
from cms_api.rest.errors import JSON
from cms_api.rest.fields import read_integer
from cms_api.rest.json import dump
from cms_api.rest.names import refuse_two_spellings

DEFAULT_TOP = 20
_NAMES = {"top", "skip"}
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list that is asked for."""

    top: int
    skip: int

    @classmethod
    def of(cls, request: Request) -> "Window | None":
        """The window of the query; None when it has neither `top` nor `skip`. Raises InvalidInput."""
        refuse_two_spellings(name for name in request.query_params if name.casefold() in _NAMES)
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
        """What to skip for `first`, `prev`, `next` and `last`, as far as there are such pages."""
        skips: dict[str, int] = {}
        if self.skip > 0:
            # Before a page past the end comes the last one that has records.
            past_end = self.skip >= count
            skips["first"] = 0
            skips["prev"] = self._last(count, 0) if past_end else max(self.skip - self.top, 0)
        if self.skip + self.top < count:
            skips["next"] = self.skip + self.top
            # Where `next` leads in the end, also from a page that begins in the middle of another.
            skips["last"] = self._last(count, self.skip)
        return skips

    def _last(self, count: int, start: int) -> int:
        return start + max(count - start - 1, 0) // self.top * self.top


def page_members(request: Request, window: Window, count: int) -> dict[str, Any]:
    """What a page has beside `value`: `count`, and links to the other pages that there are."""
    skips = window.neighbours(count)
    return {"count": count} | {name: _link(request, window.top, skip) for name, skip in skips.items()}


def _link(request: Request, top: int, skip: int) -> str:
    # The middleware has taken an API key out of the query, so no link can repeat it.
    query = request.query_params.copy()
    for name in list(query):
        if name.casefold() in _NAMES:
            del query[name]
    query["top"], query["skip"] = str(top), str(skip)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


class PagedList:
    """The answer to a GET list, in the order of ids; its memory is bounded whatever the list's length.

    A view returns `PagedList(request, User.objects.values_list("pk", …), show).answer()`: the rows are
    tuples that begin with the id, and `show` makes the record of one.
    """

    # Rows read and held at once: twice as many are no faster, half as many cost a tenth more, and those of
    # users take 9 MB.
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
        """`value`, and with a window `count` and links. Raises InvalidInput for a bad `top` or `skip`."""
        window = Window.of(self._request)
        members = {} if window is None else self._members(window)
        left, skip = (None, 0) if window is None else (window.top, window.skip)
        # Read before the answer begins, so that a failing database is a 503 and not half a list.
        first = list(self._rows[skip : skip + self._size(left)])
        parts = self._write(first, left, members)
        if len(first) < self._size(None):
            # Addresses in records begin with the host under which the client knows the service.
            compare(self._request, self._request.build_absolute_uri(self._request.path), first, members)
            return HttpResponse(b"".join(parts), JSON)
        return StreamingHttpResponse(parts, JSON)

    def _members(self, window: Window) -> dict[str, Any]:
        return page_members(self._request, window, self._rows.count())

    def _size(self, left: int | None) -> int:
        return self.chunk if left is None else min(left, self.chunk)

    def _write(self, rows: list[Row], left: int | None, members: dict[str, Any]) -> Iterator[bytes]:
        """The JSON text, a chunk of rows at a time.

        Each chunk is a statement of its own that goes on after the last id: a client that reads
        slowly keeps no cursor and no snapshot open.
        """
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
