"""Texts without their markup, as search indexes them."""

import re
from html import unescape

_HIDDEN = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1\b)[^<]*)*|<!--[^-]*(?:-(?!->)[^-]*)*(?:-->)?", re.IGNORECASE)
_WITHIN_WORDS = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|u|var|wbr"
)
_TAG = re.compile(rf"</?(?:({_WITHIN_WORDS})\b|[a-z!?])[^<>]*>", re.IGNORECASE)


def plain_text(body: str) -> str:
    """Return the text between the tags; tags of blocks separate words."""
    if "<" not in body:
        return unescape(body) if "&" in body else body
    return unescape(_TAG.sub(lambda tag: "" if tag[1] else " ", _HIDDEN.sub(" ", body)))
