"""docs/reference/codes.md: the words of `code` in errors."""

from cms_api.openapi.error_codes import ERROR_CODES, rows, words_of
from tests.reference.markdown import page, table

_STATUSES = {
    400: "the request is wrong",
    401: "the key or token is",
    404: "the path leads to nothing",
    405: "the verb is wrong",
    408: "the request took too long to come",
    412: "the record is not what `If-Match` names",
    413: "the body is too large",
    414: "the address is too long",
    422: "the `Idempotency-Key` was used for another request",
    429: "too much at once; `Retry-After` says when again",
    431: "the headers are too large",
    500: "a fault of the service",
    503: "something that the service needs does not answer, or more is asked than it can do; `Retry-After` as above",
}
_HEAD = """Every error of the API is `{"message": "…", "code": "…"}`: `message` is a sentence for people, which may
become clearer from one version to the next, `code` one of the words below, for programs. A word never changes its
meaning and is never taken away while `/api/v1` lasts; new ones may come, so treat a word that you do not know by the
status of the answer. Success is 200 alone; 304 has neither body nor word ([what the API
promises](../compatibility.md))."""


def codes_page():
    """The text of the page."""
    statuses = sorted({status for code in ERROR_CODES.values() for status in code.statuses})
    by_status = ((str(each), _STATUSES[each], _linked(words_of(each))) for each in statuses)
    by_word = ((f'<span id="{word}"></span>`{word}`', *rest) for word, *rest in rows())
    return page(
        "Codes",
        _HEAD,
        "## By status",
        table(("Status", "Meaning", "Words"), by_status),
        "## By word",
        table(("Word", "Status", "Meaning", "What to do"), by_word),
    )


def _linked(words):
    return ", ".join(f"[`{word}`](#{word})" for word in words)
