"""The words by which contents are found: of their texts, without markup."""

import re
from collections.abc import Collection, Iterable, Iterator
from html import unescape

import orjson

from contents.models import Content
from contents.wire.name_list import split_names
from search.sources import Entry
from search.words import Words, found_in, missing_in

# Shown in lists that were searched; the rest of an entry is the summary, the body, and custom fields.
SHOWN_TEXTS = ("title", "sub_title", "tags", "author")
_PIECE = 160  # characters
_BEFORE = 20  # of them before the first word that was found, at most: narrow columns cut the end
_MOST_READ = 50_000  # characters of a text, for a piece of it
_HIDDEN = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1\b)[^<]*)*|<!--[^-]*(?:-(?!->)[^-]*)*(?:-->)?", re.IGNORECASE)
_WITHIN_WORDS = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|u|var|wbr"
)
_TAG = re.compile(rf"</?(?:({_WITHIN_WORDS})\b|[a-z!?])[^<>]*>", re.IGNORECASE)


def entries(ids: Collection[int]) -> Iterator[Entry]:
    rows = Content.objects.live().filter(pk__in=ids)
    for number, site_id, is_public, summary, settings, body, *shown in rows.values_list(
        "pk", "site", "is_checked", "summary", "settings_xml", "body__text", *SHOWN_TEXTS
    ):
        texts = (*shown, plain_text(summary), plain_text(body or ""), *_custom_texts(settings))
        named = dict(zip(SHOWN_TEXTS, shown, strict=True))
        yield Entry(number, site_id, texts, tuple(split_names(named["tags"])), named["author"], is_public)


def excerpts(contents: Iterable[Content], words: Words) -> dict[int, str]:
    """Return a piece of the further texts for each of the contents whose shown texts do not have all words."""
    found = {}
    missing = {each.pk: missing_in((getattr(each, name) for name in SHOWN_TEXTS), words) for each in contents}
    for entry in entries([number for number, some in missing.items() if some]):
        pieces = (_piece(text[:_MOST_READ], missing[entry.subject_id]) for text in entry.texts[len(SHOWN_TEXTS) :])
        found[entry.subject_id] = next(filter(None, pieces), "")
    return found


def _piece(text: str, words: Words) -> str:
    text = " ".join(text.split())
    if not (places := found_in(text, words)):
        return ""
    start = max(0, places[0][0] - _BEFORE)
    start += text[start : places[0][0]].find(" ") + 1 if start else 0
    end = start + _PIECE
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def plain_text(body: str) -> str:
    """Return the text between the tags; tags of blocks separate words."""
    if "<" not in body:
        return unescape(body) if "&" in body else body
    return unescape(_TAG.sub(lambda tag: "" if tag[1] else " ", _HIDDEN.sub(" ", body)))


def _custom_texts(settings: str) -> Iterator[str]:
    for value in orjson.loads(settings).values():
        if isinstance(value, str) and not value.startswith(("@/", "http://", "https://")):
            yield plain_text(value)
