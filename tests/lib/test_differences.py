"""What differs between two texts."""

import time

import pytest
from diff_match_patch import diff_match_patch

from core.lib.differences import Budget, DifferenceKind, compare, compare_words, words_of


def shown(before, after):
    """The parts as a text: [what is gone], {what is new}."""
    marks = {DifferenceKind.SAME: "{}", DifferenceKind.GONE: "[{}]", DifferenceKind.NEW: "{{{}}}"}
    parts = compare_words(words_of(before), words_of(after), Budget())
    return "".join(marks[part.kind].format(part.text) for part in parts)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("", "", ""),
        ("a", "", "[a]"),
        ("", "a", "{a}"),
        ("the big house", "the small house", "the [big]{small} house"),
        ("the house", "the small house", "the {small }house"),
        ("开放日九点开始", "开放日十点开始", "开放日[九]{十}点开始"),
        ("今天open九点", "今天closed九点", "今天[open]{closed}九点"),
        # Blanks alone in common are no reason to read two texts as one.
        ("red green blue", "one two three", "[red green blue]{one two three}"),
        ("a\nb", "a\nc", "a\n[b]{c}"),
    ],
)
def test_differences_are_told_by_words(before, after, told):
    assert shown(before, after) == told


TEXTS = ["", "a", "ab", "ba", "aab", "abcabba", "cbabac", "xaxbxcx", "abc" * 9, "cab" * 7]


@pytest.mark.parametrize("before", TEXTS)
@pytest.mark.parametrize("seconds", [-1, 60])
def test_the_parts_are_always_the_two_texts(before, seconds):
    for after in TEXTS:
        parts = compare(before, after, Budget(seconds))
        assert "".join(part.text for part in parts if part.kind is not DifferenceKind.NEW) == before
        assert "".join(part.text for part in parts if part.kind is not DifferenceKind.GONE) == after


def test_with_enough_time_as_little_as_possible_differs():
    parts = compare("abcabba", "cbabac", Budget())
    assert sum(len(part.items) for part in parts if part.kind is DifferenceKind.SAME) == 4


def test_a_spent_budget_tells_all_as_replaced():
    budget = Budget(seconds=-1)
    assert [part.kind for part in compare("xaby", "xbay", budget)] == [
        DifferenceKind.SAME,
        DifferenceKind.GONE,
        DifferenceKind.NEW,
        DifferenceKind.SAME,
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([str(number * 7919 % 9) for number in range(100_000)], [str(number * 7907 % 11) for number in range(100_000)]),
        ("a" * 300_000, "ab" * 150_000),
        (list(map(str, range(300_000))), list(map(str, reversed(range(300_000))))),
    ],
    ids=["irregular", "repetitive", "reversed"],
)
def test_texts_with_little_in_common_end_within_the_budget(before, after):
    start = time.process_time()
    parts = compare(before, after, Budget(seconds=0.1))
    assert DifferenceKind.GONE in {part.kind for part in parts}
    # Without a limit each would take minutes. The margin is for reading the texts on a slow machine.
    assert time.process_time() - start < 5


def test_texts_too_deep_for_the_library_count_as_replaced(monkeypatch):
    def tidy(self, parts):
        return tidy(self, parts)

    monkeypatch.setattr(diff_match_patch, "diff_cleanupMerge", tidy)
    assert [part.text for part in compare("xaby", "xbay", Budget())] == ["xaby", "xbay"]
