"""Pages of lists: by number, or by a cursor, which takes the same time at any place."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import orjson
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.lib.statement_limit import TooSlow, statement_limit
from core.rest.fields import INT64_MAX
from core.rest.names import raise_if_two_spellings
from core.rest.pagination import DEFAULT_TOP, Window, page_members

_MAX_OFFSET = 2**62
_DIGEST = 8  # bytes
_MAX_CURSOR = 200  # characters
Row = TypeVar("Row")


@dataclass(frozen=True)
class Listing(Generic[Row]):
    """Rows in the order of a text and a number, which are unique together."""

    rows: QuerySet[Any, Row]
    key: Callable[[Row], tuple[str, int]]
    # Return the rows after the key. Raises ValueError for a text that no key has.
    after: Callable[[QuerySet[Any, Row], str, int], QuerySet[Any, Row]]
    identity: Any  # as JSON: a cursor belongs to one list

    def read_page(self, request: Request) -> tuple[list[Row], dict[str, Any]]:
        """Return the rows of the page, and the further members of the response. Raises InvalidInput."""
        window, cursor = _window_of(request), _cursor_of(request)
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                if cursor is None:
                    skip = min(window.skip, _MAX_OFFSET)
                    page = list(self.rows[skip : skip + window.top])
                    return page, page_members(request, window, self.rows.count())
                found = list((self._after(cursor) if cursor else self.rows)[: window.top + 1])
        except TooSlow as error:
            message = (
                f"The list takes longer than {settings.CMS_STATEMENT_SECONDS:g} seconds. Use fewer words, or filters."
            )
            raise InvalidInput("query_too_slow", message) from error
        page = found[: window.top]
        return page, {"nextCursor": self._cursor(page[-1]) if len(found) > window.top else None}

    def _cursor(self, row: Row) -> str:
        return urlsafe_b64encode(self._digest + orjson.dumps(self.key(row))).decode().rstrip("=")

    def _after(self, text: str) -> QuerySet[Any, Row]:
        try:
            if len(text) > _MAX_CURSOR or not text.isascii():
                raise ValueError(text)
            decoded = urlsafe_b64decode(text + "=" * (-len(text) % 4))
            first, number = orjson.loads(decoded[_DIGEST:])
            if not isinstance(number, int) or not 0 < number <= INT64_MAX:
                raise ValueError(text)
            rows = self.after(self.rows, first, number)
        except (ValueError, TypeError) as error:
            message = "The cursor was not issued by the service."
            raise InvalidInput("invalid_cursor", message, member="cursor") from error
        if decoded[:_DIGEST] != self._digest:
            message = "The cursor belongs to another list: keep filters the same between pages."
            raise InvalidInput("invalid_cursor", message, member="cursor")
        return rows

    @property
    def _digest(self) -> bytes:
        return blake2b(orjson.dumps(self.identity), digest_size=_DIGEST).digest()


def _window_of(request: Request) -> Window:
    window = Window.of(request) or Window(DEFAULT_TOP, 0)
    if window.top > settings.CMS_MAX_PER_PAGE:
        message = f"top is {window.top}; at most {settings.CMS_MAX_PER_PAGE} entries are listed at once."
        raise InvalidInput("page_too_large", message, member="top")
    return window


def _cursor_of(request: Request) -> str | None:
    sent = {name: str(text) for name, text in request.query_params.items() if name.casefold() in {"cursor", "skip"}}
    raise_if_two_spellings(sent)
    cursor = next((text for name, text in sent.items() if name.casefold() == "cursor"), None)
    if cursor is not None and len(sent) > 1:
        raise InvalidInput("invalid_cursor", "The request has both skip and cursor; send one of them.", member="cursor")
    return cursor
