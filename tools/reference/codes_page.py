"""docs/reference/codes.md: the words of `code` in errors."""

from tools.openapi.error_codes import rows
from tools.reference.markdown import page, table

_HEAD = """Every error of the API is `{"message": "…", "code": "…"}`. `message` is for people and may change; `code` is
for programs. A code never changes its meaning. Handle unknown codes by the response status. Only 200 means success;
304 has neither body nor code ([compatibility](../compatibility.md))."""


def codes_page():
    """The text of the page."""
    by_word = ((f'<span id="{word}"></span>`{word}`', *rest) for word, *rest in rows())
    return page(
        "Codes",
        _HEAD,
        table(("Code", "Status", "Meaning", "What to do"), by_word),
    )
