"""What an operation does with the long texts of a row, in copies of them.

PostgreSQL keeps each copy until the row is done, and nothing interrupts an operation: a copy also stands for the
6 ns per byte that other work may take in its place.
"""

import re
from collections.abc import Sequence
from itertools import accumulate

from cms_api.lib.sql_sandbox.compiling.bound import Constant, Expression, Operation

LONGEST_PART = 1 / 8  # of a long text, for what is searched in another or replaces a part of it
AGGREGATED = 4  # copies: the value so far, and that of the row
SORTED = 8  # rows that a sort compares when it merges what it has written to files

_COPIES = 2  # of most operations: the text as it is read, and the result
_LIKE = 3
_JSON = 6
_CASED = 7  # characters of four bytes each
_TRIMMED = 13  # a list of the text's characters
_TIMES = {
    **dict.fromkeys(("as text", "sorted", "coalesce", "is null", "is not null"), 0),
    **dict.fromkeys(("text as integer", "text as number", "text as date"), 0),  # of short texts only
    **dict.fromkeys(("length", "=", "<>", "<", "<=", ">", ">=", "between", "in", "nullif", "greatest", "least"), 1),
    **dict.fromkeys(("upper", "lower"), _CASED),
    **dict.fromkeys(("trim", "ltrim", "rtrim"), _TRIMMED),
    "json_value": _JSON,
}
_WILDCARD = 2  # for each further one of a pattern
_NEEDLE = 40  # for a text of a column that is searched for
# Beginnings of a word, each inside the next, that cost as much as a copy.
_LIKE_OVERLAP, _SEARCH_OVERLAP = 2, 8
_CHARACTERS = 1000  # of a literal that are as long as a column
_REPLACEMENT = 16  # how much longer another column makes a short text when it replaces a part of it


def copies(operation: Operation, shares: Sequence[float], growths: Sequence[float]) -> float:
    """The copies that an operation makes of long texts.

    `shares` are those of a long text that each argument has, `growths` the lengths of the arguments in columns.
    """
    lengths = [long_part(share) for share in shares]
    if not any(lengths):
        return 0
    if operation.name == "joined":
        # Each text is added to a copy of those before it.
        return sum(lengths) + sum(list(accumulate(lengths))[1:])
    return sum(lengths) * _times(operation, shares, growths)


def makes_text(operation: Operation) -> bool:
    """Whether the operation's text is another one than its argument's."""
    return _TIMES.get(operation.name, _COPIES) > 1


def long_part(share: float) -> float:
    """The share of a long text, none for a short one."""
    return share if share > LONGEST_PART else 0


def replaced(operation: Operation, shares: Sequence[float], growths: Sequence[float]) -> float:
    """How many times longer replace() makes a text at most."""
    old_text, new_text = (_constant_text(one) for one in operation.arguments[1:])
    if new_text is None:
        return max(1.0, (_REPLACEMENT if shares[0] <= LONGEST_PART else _CHARACTERS) * growths[2])
    return max(1.0, len(new_text) / max(1, len(old_text or "")))


def _times(operation: Operation, shares: Sequence[float], growths: Sequence[float]) -> float:
    if operation.name == "like":
        return _like(_constant_text(operation.arguments[1]) or "")
    if operation.name == "position":
        return 1 + _search(operation.arguments[0], growths[0])
    if operation.name == "replace":
        return 1 + _COPIES * replaced(operation, shares, growths) + _search(operation.arguments[1], growths[1])
    if operation.name == "split_part":
        # From the end the parts are counted first.
        return _COPIES + 2 * _search(operation.arguments[1], growths[1])
    return _TIMES.get(operation.name, _COPIES)


def _like(pattern: str) -> float:
    words = re.sub("!(.)", r"\1", pattern).strip("%").split("%")
    # What stands for any character overlaps with everything.
    overlaps = (len(word) if "_" in word else _overlap(word.lower()) for word in words)
    return max(_LIKE, (len(words) - 1) * _WILDCARD) + (max(overlaps) - 1) / _LIKE_OVERLAP


def _search(needle: Expression, growth: float) -> float:
    text = _constant_text(needle)
    if text is None:
        return min(_NEEDLE * max(1, growth), growth * _CHARACTERS / _SEARCH_OVERLAP)
    return max(_overlap(text), _overlap(text[::-1])) / _SEARCH_OVERLAP


def _overlap(word: str) -> int:
    """How many beginnings of the word may match at one place of some text, each with a start of its own.

    A search compares that many times for each character of the worst text: once for most words, and as often as
    the word is long for one that repeats a character.
    """
    borders, depths = [0] * (len(word) + 1), [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        border = borders[end - 1]
        while border and word[border] != word[end - 1]:
            border = borders[border]
        borders[end] = border + 1 if end > 1 and word[border] == word[end - 1] else 0
        depths[end] = depths[borders[end]] + 1
    return max(depths)


def _constant_text(expression: Expression) -> str | None:
    if not isinstance(expression, Constant):
        return None
    return expression.value if isinstance(expression.value, str) else ""
