"""What differs between two texts, by paragraphs or lines and in them by words, within bounds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cms_api.lib.differences import Budget, Kind, Part, compare, compare_words, words_of
from contents.admin.history.byte_budget import CUT, Room
from contents.admin.history.html_to_text import MOST

_CONTEXT = 2  # paragraphs that stay the same, shown beside those that do not
LONG, _ENDS = 400, 150  # characters that stay the same in a row, and how many of them are shown at either end
_SIDE_MOST = 40_000  # characters of a value that are compared beside another
_WEIGHT = 60  # of the markup of a line or a stretch, in bytes
_END = "\n"  # of a paragraph, as a word of its own
_END_SIGN = "¶"


class Span(NamedTuple):
    """A stretch of text; `tag` is `ins`, `del` or nothing."""

    tag: str
    text: str


@dataclass
class Line:
    """A paragraph or a line of the source; of `skipped` ones that stay the same nothing is shown."""

    spans: list[Span] = field(default_factory=list)
    skipped: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether anything in it was taken out or put in."""
        return any(span.tag for span in self.spans)


@dataclass(frozen=True)
class TextComparison:
    """What differs between two texts."""

    lines: list[Line]
    is_cut: bool  # not all that differs is shown

    @property
    def differs(self) -> bool:
        """Whether readers see other words, and not only another form."""
        return any(line.is_changed for line in self.lines)


_TAGS = {Kind.SAME: "", Kind.GONE: "del", Kind.NEW: "ins"}


def compare_texts(
    before: str, after: str, split: Callable[[str], Sequence[str]], budget: Budget, room: Room
) -> TextComparison:
    """What differs, of the texts as `split` parts them. Takes the room for what is shown."""
    lines = list(_lines(split(before), split(after), budget)) if before != after else []
    short = list(_shortened(lines))
    shown = list(_shown(short, room))
    is_cut = not room.left or max(len(before), len(after)) > MOST
    return TextComparison(shown, is_cut)


def compare_values(before: str, after: str, budget: Budget) -> tuple[list[Span], list[Span]]:
    """The stretches of two values that stand side by side."""
    parts = compare_words(words_of(before[:_SIDE_MOST]), words_of(after[:_SIDE_MOST]), budget)
    old = [_span(part) for part in parts if part.kind is not Kind.NEW]
    new = [_span(part) for part in parts if part.kind is not Kind.GONE]
    return old, new


def fit_spans(spans: Sequence[Span], room: Room) -> tuple[list[Span], bool]:
    """As many of the stretches as fit, and whether they all do."""
    found: list[Span] = []
    for span in spans:
        text = room.fit(span.text)
        if text:
            found.append(Span(span.tag, text))
        if len(text) < len(span.text):
            return [*found, Span("", CUT)], False
        room.spend(_WEIGHT if span.tag else 0)
    return found, True


def _lines(before: Sequence[str], after: Sequence[str], budget: Budget) -> Iterator[Line]:
    parts = compare(before, after, budget)
    for place, part in enumerate(parts):
        if part.kind is Kind.SAME:
            yield from (Line([_span(Part(Kind.SAME, (text,)))]) for text in part.items)
        elif part.kind is Kind.GONE and place + 1 < len(parts) and parts[place + 1].kind is Kind.NEW:
            yield from _rewritten(part.items, parts[place + 1].items, budget)
        elif part.kind is Kind.GONE or place == 0 or parts[place - 1].kind is Kind.SAME:
            yield from (Line([Span(_TAGS[part.kind], text)]) for text in part.items)


def _rewritten(before: Sequence[str], after: Sequence[str], budget: Budget) -> Iterator[Line]:
    line = Line()
    for part in compare_words(_with_ends(before), _with_ends(after), budget):
        pieces = part.text.split(_END)
        for place, text in enumerate(pieces):
            if text:
                line.spans.append(_span(Part(part.kind, (text,))))
            if place < len(pieces) - 1:
                yield _ended(line, part.kind)
                line = Line()


def _ended(line: Line, kind: Kind) -> Line:
    """The line; where only its end was put in or taken out, that is told."""
    if kind is not Kind.SAME and any(not span.tag for span in line.spans):
        line.spans.append(Span(_TAGS[kind], _END_SIGN))
    return line


def _with_ends(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in (*words_of(line), _END)]


def _span(part: Part) -> Span:
    text = part.text
    if part.kind is Kind.SAME and len(text) > LONG:
        text = f"{text[:_ENDS]} … {text[-_ENDS:]}"
    return Span(_TAGS[part.kind], text)


def _shortened(lines: list[Line]) -> Iterator[Line]:
    """The lines that changed with some around them; others are counted."""
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


def _shown(lines: list[Line], room: Room) -> Iterator[Line]:
    """The lines as far as they fit."""
    for line in lines:
        room.spend(_WEIGHT)
        if not room.left:
            return
        spans = []
        for span in line.spans:
            room.spend(_WEIGHT)
            spans.append(Span(span.tag, room.fit(span.text)))
        yield Line([span for span in spans if span.text], line.skipped)
