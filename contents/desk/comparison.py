"""Two versions of a content side by side: what was taken out and what was put in, within bounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cms_api.lib.differences import Budget, Kind, Part, compare, compare_words, words_of
from contents.desk.change_words import ChangeWords, Member
from contents.desk.readable import MOST, lines_of, paragraphs_of

_CONTEXT = 2  # paragraphs that stay the same, shown beside those that do not
_LONG, _ENDS = 400, 150  # characters that stay the same in a row, and how many of them are shown at either end
_MOST_SHOWN = 40_000  # characters of what differs, on one page
_WEIGHT = 60  # of the markup of a line or a stretch, in characters
_END = "\n"  # of a paragraph, as a word of its own
_END_SIGN = "¶"


class Span(NamedTuple):
    """A stretch of text; `tag` is `ins`, `del` or nothing."""

    tag: str
    text: str


class MemberRow(NamedTuple):
    """A member that differs, with its text before and after."""

    member: Member
    before: list[Span]
    after: list[Span]


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
class Comparison:
    """What differs between two versions."""

    members: list[MemberRow]
    lines: list[Line]
    body_differs: bool
    is_cut: bool  # not all that differs is shown

    @property
    def text_differs(self) -> bool:
        """Whether readers see other words, and not only another form."""
        return any(line.is_changed for line in self.lines)

    @property
    def differs(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.members) or self.body_differs


Version = tuple[Mapping[str, Any], str]  # members by attribute name, and the body
_TAGS = {Kind.SAME: "", Kind.GONE: "del", Kind.NEW: "ins"}


def compare_versions(words: ChangeWords, before: Version, after: Version, *, by_source: bool = False) -> Comparison:
    """What differs, the bodies by what readers see or by their source."""
    budget = Budget()
    told = words.differences(before[0], after[0])
    rows = [MemberRow(each.member, *_sides(each.before, each.after, budget)) for each in told]
    split = lines_of if by_source else paragraphs_of
    lines = list(_lines(split(before[1]), split(after[1]), budget)) if before[1] != after[1] else []
    short = list(_shortened(lines))
    shown = list(_shown(short))
    is_cut = len(shown) < len(short) or max(len(before[1]), len(after[1])) > MOST
    return Comparison(rows, shown, before[1] != after[1], is_cut)


def _sides(before: str, after: str, budget: Budget) -> tuple[list[Span], list[Span]]:
    parts = compare_words(words_of(before[:_MOST_SHOWN]), words_of(after[:_MOST_SHOWN]), budget)
    old = [_span(part) for part in parts if part.kind is not Kind.NEW]
    new = [_span(part) for part in parts if part.kind is not Kind.GONE]
    return _fitting(old), _fitting(new)


def _fitting(spans: list[Span]) -> list[Span]:
    """The spans up to some thousand characters; a member that is longer than that is no text for people."""
    left = _MOST_SHOWN // 8
    found: list[Span] = []
    for span in spans:
        if left <= 0:
            return [*found, Span("", "…")]
        found.append(Span(span.tag, span.text[:left]))
        left -= len(span.text)
    return found


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
    if part.kind is Kind.SAME and len(text) > _LONG:
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


def _shown(lines: list[Line]) -> Iterator[Line]:
    left = _MOST_SHOWN
    for line in lines:
        if left <= 0:
            return
        spans = []
        for span in line.spans:
            spans.append(Span(span.tag, span.text[: max(left, 0)]))
            left -= len(span.text) + _WEIGHT
        left -= _WEIGHT
        yield Line([span for span in spans if span.text], line.skipped)
