"""How answers are read."""

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from cms_client.errors import NotFound, object_of, refusal_of, unexpected
from cms_client.records import Content, Login, Page, Picture, Row, Rows

T = TypeVar("T")


def body_of(answer: httpx.Response) -> dict[str, Any]:
    """The JSON object of the body. Raises UnexpectedAnswer."""
    body = object_of(answer)
    if body is None:
        kind = answer.headers.get("Content-Type", "something") or "something"
        raise unexpected(answer, f"The server answered {kind}, no JSON object: base_url may lead elsewhere.")
    return body


def value_of(answer: httpx.Response) -> Any:
    """The member `value`. Raises UnexpectedAnswer where there is none."""
    return member_of(answer, "value")


def member_of(answer: httpx.Response, name: str) -> Any:
    """A member of the body. Raises UnexpectedAnswer where there is none."""
    body = body_of(answer)
    if name not in body:
        raise unexpected(answer, f"The answer has no member {name}: the server may be of another interface.")
    return body[name]


def list_of(answer: httpx.Response, name: str) -> list[Any]:
    """A member of the body that is a list. Raises UnexpectedAnswer."""
    found = member_of(answer, name)
    if not isinstance(found, list):
        raise unexpected(answer, f"The member {name} of the answer is no list.")
    return found


def record_of(answer: httpx.Response) -> Any:
    """The record in `value`. Raises NotFound for an empty one, as the original answers for what is missing.

    Raises UnexpectedAnswer for what is no record.
    """
    record = value_of(answer)
    if not record:
        raise NotFound(refusal_of(answer, {}, "The server answered without a record: there is none."))
    if not isinstance(record, dict):
        raise unexpected(answer, "The member value of the answer is no record.")
    return record


def records_of(answer: httpx.Response) -> Any:
    """The records in `contents`."""
    return list_of(answer, "contents")


def content_page_of(answer: httpx.Response) -> Page[Content]:
    """A page of `POST /contents`."""
    records, body = records_of(answer), body_of(answer)
    return Page(records, body.get("totalCount"), body.get("nextCursor"), "nextCursor" in body)


def page_of(answer: httpx.Response) -> Page[Any]:
    """A GET list, or the part that was asked for; only a part says how many there are in all."""
    return Page(list_of(answer, "value"), body_of(answer).get("count"))


def login_of(answer: httpx.Response) -> Login[Any]:
    """Who has signed in."""
    return Login(record_of(answer), member_of(answer, "accessToken"), body_of(answer).get("expiresAt"))


def number_of(answer: httpx.Response) -> int:
    """A number that travels as a text."""
    text = value_of(answer)
    try:
        return int(text)
    except (TypeError, ValueError):
        raise unexpected(answer, "The answer is no number.") from None


def text_value_of(answer: httpx.Response) -> str:
    """A value as a text; empty where there is none."""
    value = value_of(answer)
    return "" if value is None else str(value)


def rows_of(answer: httpx.Response) -> Rows:
    """The rows of a statement."""
    rows = Rows(list_of(answer, "value"))
    rows.is_truncated = "X-SQL-Truncated" in answer.headers  # which names the limit
    return rows


def row_of(answer: httpx.Response) -> Row | None:
    """The first row of a statement, None without one."""
    row: Row | None = value_of(answer)
    return row


def pong_of(answer: httpx.Response) -> bool:
    """Whether the bare text is the ping's."""
    return answer.text.strip() == "pong"


def picture_of(name: str) -> Callable[[httpx.Response], Picture]:
    """Reads a captcha's picture, with the cookie that belongs to it."""
    cookie = f"SS-{quote(name, safe='')}"

    def read(answer: httpx.Response) -> Picture:
        for header in answer.headers.get_list("Set-Cookie"):
            if (value := _cookie_value(header, cookie)) is not None:
                return Picture(name, answer.content, f"{cookie}={value}")
        raise unexpected(answer, "The picture came without its cookie.")

    return read


def _cookie_value(header: str, name: str) -> str | None:
    """What the header sets the cookie to; None where it is about another, such as a proxy's with any name at all."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.coded_value
