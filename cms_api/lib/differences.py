"""What differs between two texts, by words, within a bounded number of steps whatever the texts are.

The algorithm is that of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986), which is quick where little
differs. A budget of steps is shared by all that is compared for one page: once it is spent, what is left counts as
replaced wholly.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

# Han and kana, which are written without blanks: each character is a word.
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+|\s+|.", re.DOTALL)
# Between two changes so little in common reads as noise.
_NOISE = re.compile(r"[\W_]*|.", re.DOTALL)
_STEPS = 1_000_000  # of one page: a fraction of a second


class Kind(Enum):
    """Whether a part stands in both texts, only in the one before, or only in the one after."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


class Part(NamedTuple):
    """Items that follow one another and share a fate."""

    kind: Kind
    items: tuple[str, ...]

    @property
    def text(self) -> str:
        """The items in one."""
        return "".join(self.items)


@dataclass
class Budget:
    """How many steps may still be taken."""

    steps: int = _STEPS


def words_of(text: str) -> list[str]:
    """The text in words, blanks, marks and single ideographs, which together are the text."""
    return _WORDS.findall(text)


def compare_words(before: Sequence[str], after: Sequence[str], budget: Budget) -> list[Part]:
    """The parts of two texts in words, without bits in common that only scatter what changed."""
    return list(_joined(_without_noise(compare(before, after, budget))))


def compare(before: Sequence[str], after: Sequence[str], budget: Budget) -> list[Part]:
    """The parts in order: of a change first what is gone, then what is new."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    parts = [
        Part(Kind.SAME, tuple(before[:start])),
        *_changed(old, new, budget),
        Part(Kind.SAME, tuple(before[len(before) - end :])),
    ]
    return list(_joined(parts))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _changed(old: Sequence[str], new: Sequence[str], budget: Budget) -> list[Part]:
    wholly = [Part(Kind.GONE, tuple(old)), Part(Kind.NEW, tuple(new))]
    if not old or not new:
        return wholly
    trace = _search(old, new, budget)
    return wholly if trace is None else _walk_back(old, new, trace)


def _search(old: Sequence[str], new: Sequence[str], budget: Budget) -> list[list[int]] | None:
    """How far each diagonal was reached with each number of changes; None once the budget is spent."""
    reached, trace = [0, 0, 0], []
    for changes in range(len(old) + len(new) + 1):
        # Entries of `reached` are the diagonals -changes-1 … changes+1.
        budget.steps -= changes + 1
        if budget.steps < 0:
            return None
        trace.append(reached)
        nearer = [0, *reached, 0]
        middle = changes + 2
        for diagonal in range(-changes, changes + 1, 2):
            left, right = reached[diagonal + changes], reached[diagonal + changes + 2]
            is_down = diagonal == -changes or (diagonal != changes and left < right)
            x = right if is_down else left + 1
            met = x
            x = _slide(old, new, x, x - diagonal)
            budget.steps -= x - met
            nearer[diagonal + middle] = x
            if x >= len(old) and x - diagonal >= len(new):
                return trace
        reached = nearer
    raise AssertionError("Any two texts differ by so many changes at most.")


def _slide(old: Sequence[str], new: Sequence[str], x: int, y: int) -> int:
    while x < len(old) and y < len(new) and old[x] == new[y]:
        x, y = x + 1, y + 1
    return x


def _walk_back(old: Sequence[str], new: Sequence[str], trace: list[list[int]]) -> list[Part]:
    parts, x, y = [], len(old), len(new)
    for changes in range(len(trace) - 1, -1, -1):
        diagonal, reached = x - y, trace[changes]
        left, right = reached[diagonal + changes], reached[diagonal + changes + 2]
        is_down = diagonal == -changes or (diagonal != changes and left < right)
        before_x = right if is_down else left
        before_y = before_x - (diagonal + 1 if is_down else diagonal - 1)
        start = before_x if is_down else before_x + 1
        parts.append(Part(Kind.SAME, tuple(old[start if changes else 0 : x])))
        if changes:
            change = Part(Kind.NEW, (new[before_y],)) if is_down else Part(Kind.GONE, (old[before_x],))
            parts.append(change)
        x, y = before_x, before_y
    return parts[::-1]


def _without_noise(parts: Sequence[Part]) -> Iterator[Part]:
    for place, part in enumerate(parts):
        is_between = 0 < place < len(parts) - 1
        if part.kind is Kind.SAME and is_between and _NOISE.fullmatch(part.text) and "\n" not in part.text:
            yield Part(Kind.GONE, part.items)
            yield Part(Kind.NEW, part.items)
        else:
            yield part


def _joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Neighbours of one kind in one; between two that are the same, what is gone before what is new."""
    waiting: dict[Kind, list[str]] = {Kind.SAME: [], Kind.GONE: [], Kind.NEW: []}
    for part in parts:
        others = [kind for kind in Kind if (kind is Kind.SAME) != (part.kind is Kind.SAME)]
        if part.items and any(waiting[kind] for kind in others):
            yield from _emptied(waiting)
        waiting[part.kind] += part.items
    yield from _emptied(waiting)


def _emptied(waiting: dict[Kind, list[str]]) -> Iterator[Part]:
    for kind, items in waiting.items():
        if items:
            yield Part(kind, tuple(items))
            waiting[kind] = []
