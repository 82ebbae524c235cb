"""docs/reference/codes.md: the words of `code` in errors."""

from cms_api.openapi.error_codes import ERROR_CODES, rows
from tests.reference.markdown import page, table

_STATUSES = {
    400: "the request is invalid",
    401: "the key or token is missing, invalid or lacks access",
    404: "the path or record does not exist",
    405: "the path does not support the method",
    408: "the request took too long to arrive",
    412: "the record has changed",
    413: "the body is too large",
    414: "the URL is too long",
    422: "the `Idempotency-Key` was used for another request",
    429: "too many requests; `Retry-After` gives the time to wait",
    431: "the headers are too large",
    500: "an internal error",
    503: "a dependency is unavailable, or the service is overloaded; `Retry-After` likewise",
}
_HEAD = """Every error of the API is `{"message": "…", "code": "…"}`. `message` is for people and may change; `code` is
for programs. A code keeps its meaning as long as `/api/v1` exists. New codes may be added: handle an unknown code by
the response status. Only 200 means success; 304 has neither body nor code ([compatibility](../compatibility.md))."""


def codes_page():
    """The text of the page."""
    statuses = sorted({status for code in ERROR_CODES.values() for status in code.statuses})
    by_status = ((str(each), _STATUSES[each]) for each in statuses)
    by_word = ((f'<span id="{word}"></span>`{word}`', *rest) for word, *rest in rows())
    return page(
        "Codes",
        _HEAD,
        "## By status",
        table(("Status", "Meaning"), by_status),
        "## By code",
        table(("Code", "Status", "Meaning", "What to do"), by_word),
    )
