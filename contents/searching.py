"""The words by which contents are found: of their texts, without markup."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import orjson

from contents.models import Content
from contents.wire.name_list import split_names
from core.rest.names import to_wire
from search.marking import marked
from search.plain_text import plain_text
from search.sources import Entry
from search.words import Words, found_in, missing_in

# Shown in lists that were searched; the rest of an entry is the summary, the body, and custom fields.
SHOWN_TEXTS = ("title", "sub_title", "tags", "author")
_PIECE = 160  # characters
_BEFORE = 20  # of them before the first word that was found, at most: narrow columns cut the end
_BEFORE_HIGHLIGHT = 80
MOST_HIGHLIGHTS = 5  # of a content
MOST_MARKED = 100  # contents of a page
_MOST_READ = 50_000  # characters of a text, for a piece of it


def entries(ids: Collection[int]) -> Iterator[Entry]:
    for row in _rows(ids):
        texts = row.texts
        tags = tuple(split_names(texts["tags"]))
        yield Entry(row.id, row.site_id, tuple(texts.values()), tags, texts["author"], row.is_public)


class _Row(NamedTuple):
    id: int
    site_id: int
    is_public: bool
    texts: dict[str, str]  # without markup, by member; the title is the first


def _rows(ids: Collection[int], *, is_public: bool = False) -> Iterator[_Row]:
    found = Content.objects.live().filter(pk__in=ids)
    found = found.filter(is_checked=True) if is_public else found
    columns = ("pk", "site", "is_checked", "settings_xml", *SHOWN_TEXTS, "summary", "body__text")
    for number, site_id, is_public, settings, *shown, summary, body in found.values_list(*columns):
        texts = dict(zip(map(to_wire, SHOWN_TEXTS), shown, strict=True))
        texts |= {"summary": plain_text(summary), "content": plain_text(body or ""), **_custom_texts(settings)}
        yield _Row(number, site_id, is_public, texts)


@dataclass(frozen=True, slots=True)
class Highlight:
    """A piece of a member's text, and the places (start, end) of the words in it, in characters."""

    member: str
    text: str
    places: list[tuple[int, int]]
    marked: str  # the same as HTML


def highlights(ids: Collection[int], words: Words, *, is_public: bool = False) -> dict[int, list[Highlight]]:
    """Return the texts of these contents that have any of the words, by id."""
    found = {}
    for row in _rows(ids if words else (), is_public=is_public):
        pieces = ((member, _piece(text[:_MOST_READ], words, _BEFORE_HIGHLIGHT)) for member, text in row.texts.items())
        pieced = (
            Highlight(member, piece, found_in(piece, words), marked(piece, words)) for member, piece in pieces if piece
        )
        found[row.id] = list(islice(pieced, MOST_HIGHLIGHTS))
    return found


def excerpts(contents: Iterable[Content], words: Words) -> dict[int, str]:
    """Return a piece of the further texts for each of the contents whose shown texts do not have all words."""
    found = {}
    missing = {each.pk: missing_in((getattr(each, name) for name in SHOWN_TEXTS), words) for each in contents}
    for row in _rows([number for number, some in missing.items() if some]):
        texts = list(row.texts.values())[len(SHOWN_TEXTS) :]
        pieces = (_piece(text[:_MOST_READ], missing[row.id]) for text in texts)
        found[row.id] = next(filter(None, pieces), "")
    return found


def _piece(text: str, words: Words, before: int = _BEFORE) -> str:
    text = " ".join(text.split())
    if not (places := found_in(text, words)):
        return ""
    start = max(0, places[0][0] - before)
    start += text[start : places[0][0]].find(" ") + 1 if start else 0
    end = start + _PIECE
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def _custom_texts(settings: str) -> dict[str, str]:
    return {
        name: plain_text(value)
        for name, value in orjson.loads(settings).items()
        if isinstance(value, str) and not value.startswith(("@/", "http://", "https://"))
    }
