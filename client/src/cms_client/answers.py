"""Functions that parse HTTP responses into results."""

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from cms_client.errors import NotFound, item_failure, object_of, refusal_of, unexpected
from cms_client.records import Change, Content, FoundPage, Login, Page, Picture, Row, Rows, Upload, Uses

T = TypeVar("T")


def body_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the JSON object in the body. Raises UnexpectedAnswer if there is none."""
    body = object_of(answer)
    if body is None:
        kind = answer.headers.get("Content-Type", "something") or "something"
        raise unexpected(answer, f"The server answered {kind}, no JSON object: base_url may lead elsewhere.")
    return body


def value_of(answer: httpx.Response) -> Any:
    """Return the member `value` of the body. Raises UnexpectedAnswer if it is missing."""
    return member_of(answer, "value")


def member_of(answer: httpx.Response, name: str) -> Any:
    """Return a member of the body. Raises UnexpectedAnswer if it is missing."""
    body = body_of(answer)
    if name not in body:
        raise unexpected(answer, f"The answer has no member {name}: the server may be of another interface.")
    return body[name]


def list_of(answer: httpx.Response, name: str) -> list[Any]:
    """Return a member of the body. Raises UnexpectedAnswer if it is missing or not a list."""
    found = member_of(answer, name)
    if not isinstance(found, list):
        raise unexpected(answer, f"The member {name} of the answer is no list.")
    return found


def record_of(answer: httpx.Response) -> Any:
    """Return the record in `value`.

    Raises NotFound if it is empty, which is how SiteServer CMS reports a missing record, and UnexpectedAnswer if it is
    not an object.
    """
    record = value_of(answer)
    if not record:
        raise NotFound(refusal_of(answer, {}, "The server answered without a record: there is none."))
    if not isinstance(record, dict):
        raise unexpected(answer, "The member value of the answer is no record.")
    return record


def records_of(answer: httpx.Response) -> Any:
    """Return the list in `contents`. Raises UnexpectedAnswer if there is none."""
    return list_of(answer, "contents")


def batch_of(answer: httpx.Response) -> Any:
    """Return the list in `contents`, or one of records and exceptions from `results`."""
    if "results" not in body_of(answer):
        return records_of(answer)
    return [
        each["content"] if "content" in each else item_failure(answer, each["status"], each["error"])
        for each in list_of(answer, "results")
    ]


def content_page_of(answer: httpx.Response) -> Page[Content]:
    """Return a page of the response to `POST /contents`."""
    records, body = records_of(answer), body_of(answer)
    return Page(records, body.get("totalCount"), body.get("nextCursor"), "nextCursor" in body)


def change_page_of(answer: httpx.Response) -> Page[Change]:
    body = body_of(answer)
    return Page(list_of(answer, "changes"), None, member_of(answer, "nextCursor"), has_more=body.get("hasMore") is True)


def page_of(answer: httpx.Response) -> Page[Any]:
    """Return the records of a GET list; the response has a total only if the request limited the range."""
    body = body_of(answer)
    return Page(list_of(answer, "value"), body.get("count"), body.get("nextCursor"), "nextCursor" in body)


def found_page_of(answer: httpx.Response) -> FoundPage:
    """Return a page of a search with its facets or its corrected query."""
    page, body = page_of(answer), body_of(answer)
    return FoundPage(
        page.records,
        page.total,
        page.next_cursor,
        page.by_cursor,
        facets=body.get("facets") or {},
        is_total_exact=body.get("isCountExact") is not False,
        did_you_mean=body.get("didYouMean"),
    )


def uses_of(answer: httpx.Response) -> Uses:
    """Return the uses of a file, and whether the server has found all of them."""
    page, is_complete = page_of(answer), member_of(answer, "isComplete") is True
    return Uses(page.records, page.total, page.next_cursor, page.by_cursor, is_complete=is_complete)


def upload_of(answer: httpx.Response) -> Upload:
    return Upload(record_of(answer), body_of(answer).get("isExisting") is True)


def login_of(answer: httpx.Response) -> Login[Any]:
    """Return the account with its access token and expiry date."""
    return Login(record_of(answer), member_of(answer, "accessToken"), body_of(answer).get("expiresAt"))


def number_of(answer: httpx.Response) -> int:
    """Return the integer in `value`, which may be sent as a string. Raises UnexpectedAnswer if there is none."""
    text = value_of(answer)
    try:
        return int(text)
    except (TypeError, ValueError):
        raise unexpected(answer, "The answer is no number.") from None


def text_value_of(answer: httpx.Response) -> str:
    """Return `value` as a string, empty for null."""
    value = value_of(answer)
    return "" if value is None else str(value)


def rows_of(answer: httpx.Response) -> Rows:
    """Return the rows of a SQL statement."""
    rows = Rows(list_of(answer, "value"))
    rows.is_truncated = "X-SQL-Truncated" in answer.headers  # the header's value is the limit
    return rows


def row_of(answer: httpx.Response) -> Row | None:
    """Return the first row of a SQL statement; None if it has no rows."""
    row: Row | None = value_of(answer)
    return row


def pong_of(answer: httpx.Response) -> bool:
    """Return whether the plain-text body is `pong`."""
    return answer.text.strip() == "pong"


def picture_of(name: str) -> Callable[[httpx.Response], Picture]:
    """Return a reader for a captcha picture with its cookie; it raises UnexpectedAnswer if the cookie is missing."""
    cookie = f"SS-{quote(name, safe='')}"

    def read(answer: httpx.Response) -> Picture:
        for header in answer.headers.get_list("Set-Cookie"):
            if (value := _cookie_value(header, cookie)) is not None:
                return Picture(name, answer.content, f"{cookie}={value}")
        raise unexpected(answer, "The picture came without its cookie.")

    return read


def _cookie_value(header: str, name: str) -> str | None:
    """Return the cookie's value; None if the header sets another cookie, such as a proxy's with an invalid name."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.coded_value
