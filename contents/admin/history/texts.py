"""Differences between texts by line and word, within the bounds of a page."""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from django.utils.translation import gettext as _

from core.lib.differences import Budget, DifferenceKind, Part, compare, compare_words, words_of

_MAX = 300_000  # characters of a text that are compared, to keep pages small; longer ones are rare
_CONTEXT = 2  # unchanged paragraphs shown around changes
_LONG, _ENDS = 400, 150  # long unchanged text is cut to this much at either end
_SIDE_MAX = 40_000  # characters compared for values side by side
_WEIGHT = 60  # bytes of markup per line or span
_END = "\n"  # end of a paragraph, as a word
_TAGS = {DifferenceKind.SAME: "", DifferenceKind.GONE: "del", DifferenceKind.NEW: "ins"}
_CUT = "…"


class Span(NamedTuple):
    tag: str
    text: str


@dataclass
class Line:
    """A paragraph or source line, or the number of `skipped` unchanged ones."""

    spans: list[Span] = field(default_factory=list)
    skipped: int = 0

    @property
    def is_changed(self) -> bool:
        return any(span.tag for span in self.spans)


@dataclass(frozen=True)
class TextComparison:
    lines: list[Line]
    is_cut: bool  # some differences are not shown

    @property
    def differs(self) -> bool:
        return any(line.is_changed for line in self.lines)


# ---- room on a page: names, values and bodies may be long and many


def weight_of(text: str) -> int:
    """Bytes of the text in a page; escaped characters take up to six, Chinese three."""
    return len(html.escape(text).encode())


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT


@dataclass
class TextBudget:
    """The bytes left on a page or in a part of it."""

    left: int

    def spend(self, weight: int) -> None:
        self.left = max(self.left - weight, 0)

    def fit(self, text: str) -> str:
        """Cut the text to the bytes left, and use them up."""
        text = text[: self.left]  # each character takes at least one byte
        if weight_of(text) > self.left:
            text = text[: sum(weight <= self.left for weight in accumulate(map(weight_of, text)))]
        self.spend(weight_of(text))
        return text


# ---- comparison


def compare_texts(
    before: str, after: str, split: Callable[[str], Sequence[str]], budget: Budget, room: TextBudget
) -> TextComparison:
    """Compare the texts as split by `split`, using up the room for shown text."""
    lines = list(_lines(split(before), split(after), budget)) if before != after else []
    shown = []
    for line in _shortened(lines):
        room.spend(_WEIGHT)
        if not room.left:
            break
        spans = []
        for span in line.spans:
            room.spend(_WEIGHT)
            spans.append(Span(span.tag, room.fit(span.text)))
        shown.append(Line([span for span in spans if span.text], line.skipped))
    return TextComparison(shown, not room.left or max(len(before), len(after)) > _MAX)


def compare_values(
    before: str, after: str, budget: Budget, room: TextBudget, most: int
) -> tuple[list[Span], list[Span], bool]:
    """The spans of both values, each within `most` bytes, and whether they are complete."""
    parts = compare_words(words_of(before[:_SIDE_MAX]), words_of(after[:_SIDE_MAX]), budget)
    most = min(most, room.left)
    old, old_fits = _fit_spans([_span(part) for part in parts if part.kind is not DifferenceKind.NEW], TextBudget(most))
    new, new_fits = _fit_spans(
        [_span(part) for part in parts if part.kind is not DifferenceKind.GONE], TextBudget(most)
    )
    room.spend(sum(weight_of(span.text) for span in (*old, *new)))
    # Long unchanged parts are cut as well.
    return old, new, old_fits and new_fits and max(len(before), len(after)) <= _LONG


def _fit_spans(spans: Sequence[Span], room: TextBudget) -> tuple[list[Span], bool]:
    found: list[Span] = []
    for span in spans:
        text = room.fit(span.text)
        if text:
            found.append(Span(span.tag, text))
        if len(text) < len(span.text):
            return [*found, Span("", _CUT)], False
        room.spend(_WEIGHT if span.tag else 0)
    return found, True


def _lines(before: Sequence[str], after: Sequence[str], budget: Budget) -> Iterator[Line]:
    parts = compare(before, after, budget)
    for place, part in enumerate(parts):
        if part.kind is DifferenceKind.SAME:
            yield from (Line([_span(Part(DifferenceKind.SAME, (text,)))]) for text in part.items)
        elif (
            part.kind is DifferenceKind.GONE and place + 1 < len(parts) and parts[place + 1].kind is DifferenceKind.NEW
        ):
            yield from _rewritten(part.items, parts[place + 1].items, budget)
        elif part.kind is DifferenceKind.GONE or place == 0 or parts[place - 1].kind is DifferenceKind.SAME:
            yield from (Line([Span(_TAGS[part.kind], text)]) for text in part.items)


def _rewritten(before: Sequence[str], after: Sequence[str], budget: Budget) -> Iterator[Line]:
    old, new = ([word for line in lines for word in (*words_of(line), _END)] for lines in (before, after))
    line = Line()
    for part in compare_words(old, new, budget):
        pieces = part.text.split(_END)
        for place, text in enumerate(pieces):
            if text:
                line.spans.append(_span(Part(part.kind, (text,))))
            if place < len(pieces) - 1:
                # Only the line end was added or removed.
                if part.kind is not DifferenceKind.SAME and any(not span.tag for span in line.spans):
                    line.spans.append(Span(_TAGS[part.kind], "¶"))
                yield line
                line = Line()


def _span(part: Part) -> Span:
    text = part.text
    if part.kind is DifferenceKind.SAME and len(text) > _LONG:
        text = f"{text[:_ENDS]} … {text[-_ENDS:]}"
    return Span(_TAGS[part.kind], text)


def _shortened(lines: list[Line]) -> Iterator[Line]:
    near = [False] * len(lines)
    for place, line in enumerate(lines):
        if line.is_changed:
            first, last = max(0, place - _CONTEXT), min(len(lines), place + _CONTEXT + 1)
            near[first:last] = [True] * (last - first)
    skipped = 0
    for line, is_near in zip(lines, near, strict=True):
        if is_near and skipped:
            yield Line(skipped=skipped)
            skipped = 0
        skipped += not is_near
        if is_near:
            yield line
    if skipped:
        yield Line(skipped=skipped)


# ---- splitting into lines; the result is shown as text, never as markup

_BLOCKS = (
    "address|article|aside|blockquote|br|caption|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|"
    "nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BLOCK = re.compile(_BLOCKS)
_FILMS = frozenset({"video", "audio", "source", "iframe"})
_UNREAD = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "template")}
_OPENING = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]*)|[!?/])")
_ATTRIBUTES = re.compile(r"""(?:[^>"']|"[^"]*"|'[^']*')*>""")
_LONGEST = 1000  # longest attributes where a quoted ">" is recognized
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]{1,200})""", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
# Editors store bodies without line ends; blocks then start lines.
_BLOCK_ENDS = re.compile(rf"(?<=>)(?=</?(?:{_BLOCKS})\b)", re.IGNORECASE)


def plain_lines(text: str) -> list[str]:
    return text[:_MAX].splitlines()


def source_lines(body: str) -> list[str]:
    """Split the source into lines, and at block tags."""
    return [part for line in plain_lines(body) for part in _BLOCK_ENDS.split(line)]


def paragraphs_of(body: str) -> list[str]:
    """Text of the body by paragraph, list item and cell; pictures and films as their addresses."""
    lines = "".join(_pieces(body[:_MAX])).split("\n")
    texts = (_BLANKS.sub(" ", html.unescape(line)).strip(" ") for line in lines)
    return [text for text in texts if text]


def _pieces(body: str) -> Iterator[str]:
    # A single pass: tree-building parsers take seconds on hostile bodies.
    place = 0
    while opening := _OPENING.search(body, place):
        yield _BLANKS.sub(" ", body[place : opening.start()])
        start, is_end, name = opening.end(), bool(opening[2]), (opening[3] or "").lower()
        if opening[1]:
            place = _after(body, "-->", start)
            continue
        quoted = _ATTRIBUTES.match(body, start, start + _LONGEST)
        place = quoted.end() if quoted else _after(body, ">", start)
        if name in _UNREAD and not is_end:
            closing = _UNREAD[name].search(body, place)
            place = closing.start() if closing else len(body)
        elif _BLOCK.fullmatch(name):
            yield "\n"
        elif not is_end and (name == "img" or name in _FILMS) and (source := _SRC.search(body[start:place])):
            what = _("picture") if name == "img" else _("video or frame")
            yield f" [{html.escape(what)}: {source[1]}] "
    yield _BLANKS.sub(" ", body[place:])


def _after(body: str, text: str, place: int) -> int:
    found = body.find(text, place)
    return len(body) if found < 0 else found + len(text)
