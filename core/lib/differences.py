import re
import time
from collections.abc import Sequence
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from diff_match_patch import diff_match_patch

# Han and kana are written without blanks: each character is a word.
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+|\s+|.", re.DOTALL)
# Between two changes, so little common text reads as noise.
_NOISE = re.compile(r"(?:[^\w\n]|_)*|[^\n]")
_DIFFER = diff_match_patch()
# The library's own timeout would make it guess at halves; compare() passes a deadline instead.
_DIFFER.Diff_Timeout = 0


class DifferenceKind(Enum):
    SAME = diff_match_patch.DIFF_EQUAL
    GONE = diff_match_patch.DIFF_DELETE
    NEW = diff_match_patch.DIFF_INSERT


class Part(NamedTuple):
    kind: DifferenceKind
    items: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.items)


class Budget:
    """The time for all comparisons of one page; after it, texts count as replaced completely."""

    def __init__(self, seconds: float = 1) -> None:
        self.deadline = time.time() + seconds


def words_of(text: str) -> list[str]:
    return _WORDS.findall(text)


def compare(before: Sequence[str], after: Sequence[str], budget: Budget) -> list[Part]:
    """Return the parts in order; within a change, removed text comes before added text."""
    # The library compares strings, so each item becomes a character.
    numbers: dict[str, int] = {}
    old, new = ("".join(chr(numbers.setdefault(item, len(numbers))) for item in items) for items in (before, after))
    items = list(numbers)
    try:
        found = _DIFFER.diff_main(old, new, False, budget.deadline)
    except RecursionError:
        # The library tidies its result recursively, too deeply for some long texts that repeat one word.
        found = [(diff_match_patch.DIFF_DELETE, old), (diff_match_patch.DIFF_INSERT, new)]
    return [Part(DifferenceKind(kind), tuple(items[ord(sign)] for sign in signs)) for kind, signs in found]


def compare_words(before: Sequence[str], after: Sequence[str], budget: Budget) -> list[Part]:
    """Compare two texts by words, without short common parts that only scatter the changes."""
    parts = compare(before, after, budget)
    ends = (0, len(parts) - 1)
    stays = [
        part.kind is DifferenceKind.SAME and (place in ends or not _NOISE.fullmatch(part.text))
        for place, part in enumerate(parts)
    ]
    found = []
    for is_same, run in groupby(zip(stays, parts, strict=True), itemgetter(0)):
        group = [part for _, part in run]
        for kind in [DifferenceKind.SAME] if is_same else [DifferenceKind.GONE, DifferenceKind.NEW]:
            items = tuple(item for part in group if part.kind in (kind, DifferenceKind.SAME) for item in part.items)
            found += [Part(kind, items)] if items else []
    return found
