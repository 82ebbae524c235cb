"""The operators of Where rules: the one table behind conditions, refusals and descriptions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from django.conf import settings

from cms_api.rest import fields
from cms_api.rest.errors import BadRequest
from contents.rules import sqlite_functions
from contents.rules.conditions import Condition, negate
from contents.rules.sqlite_functions import longest_run, small

if TYPE_CHECKING:
    from contents.rules.writer import Rules
    from contents.wire.columns import Column

MAX_PATTERN = 255  # characters of a Like pattern, or of a part
# Letters of a text times those of the longest run of a pattern that SQLite's own LIKE, which nobody can interrupt, goes
# through in a tenth of a millisecond. It has many rows between two looks at the clock.
_LIKE_STEPS = 50_000
# The rules of one request, the column, the value as it was sent, and how a refusal calls that value.
Build = Callable[["Rules", "Column", str, str], Condition]
_ESCAPE = "!"


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its word, and how it becomes SQL."""

    word: str
    build: Build
    default: str | None = None  # the value of a rule that has none; None: the rule needs one
    needs_wildcard: bool = False


def find_operator(word: str, name: str) -> Operator:
    """The operator of a word in any letter case; `=` where the word is blank. Raises BadRequest."""
    word = word.strip() or "="
    if (operator := OPERATORS.get(word.casefold())) is None:
        message = f"{name} has the unknown operator {word}; known are {', '.join(WORDS[:-1])} and {WORDS[-1]}."
        raise BadRequest("unknown_operator", message)
    return operator


# ---- conditions


def _compare(operator: str) -> Build:
    """A comparison of the column's own kind of value."""

    def build(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
        return Condition(f"{rules.comparable(column)} {operator} %s", (rules.value(column, text, name),))

    return build


def _among(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
    """One of the comma-separated values; none matches nothing."""
    texts = [part for part in map(str.strip, text.split(",")) if part]
    if len(texts) > settings.CMS_MAX_IN_VALUES:
        raise fields.invalid(name, f"a list of at most {settings.CMS_MAX_IN_VALUES} values")
    if not texts:
        return Condition("1 = 0")
    values = [rules.value(column, part, name) for part in texts]
    # One parameter for all of them: engines limit how many a statement has.
    if rules.is_postgresql:
        return Condition(f"{column.sql} = ANY(%s)", (values,))
    return Condition(f"{column.sql} IN (SELECT value FROM json_each(%s))", (orjson.dumps(values).decode(),))


def _between(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
    """From the first of two values to the second, both included."""
    ends = [part.strip() for part in text.split(",", 2)]
    if len(ends) != 2 or not all(ends):
        raise fields.invalid(name, "two values with a comma between them")
    first, last = (rules.value(column, end, name) for end in ends)
    return Condition(f"{rules.comparable(column)} BETWEEN %s AND %s", (first, last))


def _is_null(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
    """Whether the member has no value: null, or an empty text."""
    empty = f"{column.sql} = ''" if column.is_text else f"{column.sql} IS NULL"
    return Condition(empty if fields.read_boolean(text, name) else f"NOT ({empty})")


def _like(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
    """A pattern as in SQL, letter case ignored."""
    if len(text) > MAX_PATTERN:
        raise fields.invalid(name, f"a pattern of at most {MAX_PATTERN} characters")
    value = rules.text_of(column)
    if rules.is_postgresql:
        # No character escapes another: the interface knows % and _ only.
        return Condition(f"{value} ILIKE %s ESCAPE ''", (text,))
    own = f"{sqlite_functions.LIKE}({value}, %s)"
    if not _has_plain_case(text):
        return Condition(own, (small(text),))
    longest = _LIKE_STEPS // max(1, longest_run(text))
    # Several times as fast as ours with what most lists have.
    return Condition(f"CASE WHEN length({value}) <= {longest} THEN {value} LIKE %s ELSE {own} END", (text, small(text)))


def _has_plain_case(text: str) -> bool:
    # SQLite's LIKE knows the letter case of ASCII only.
    return all(letter.isascii() or letter.lower() == letter.upper() for letter in text)


def _part(before: str, after: str, function: str) -> Build:
    """The value itself somewhere in the text, `%` and `_` included, letter case ignored."""

    def build(rules: "Rules", column: "Column", text: str, name: str) -> Condition:
        if not 0 < len(text) <= MAX_PATTERN:
            raise fields.invalid(name, f"a text of 1 to {MAX_PATTERN} characters")
        value = rules.text_of(column)
        if not rules.is_postgresql:
            return Condition(f"{function}({value}, %s)", (small(text),))
        escaped = "".join(_ESCAPE + letter if letter in f"%_{_ESCAPE}" else letter for letter in text)
        return Condition(f"{value} ILIKE %s ESCAPE '{_ESCAPE}'", (before + escaped + after,))

    return build


def _not(build: Build) -> Build:
    return lambda rules, column, text, name: negate(build(rules, column, text, name))


# ---- the table

_TABLE = (
    Operator("=", _compare("=")),
    Operator("!=", _not(_compare("="))),
    Operator(">", _compare(">")),
    Operator(">=", _compare(">=")),
    Operator("<", _compare("<")),
    Operator("<=", _compare("<=")),
    Operator("Between", _between),
    Operator("In", _among),
    Operator("NotIn", _not(_among)),
    Operator("Like", _like, needs_wildcard=True),
    Operator("NotLike", _not(_like), needs_wildcard=True),
    Operator("StartsWith", _part("", "%", sqlite_functions.STARTS)),
    Operator("EndsWith", _part("%", "", sqlite_functions.ENDS)),
    Operator("Contains", _part("%", "%", sqlite_functions.HAS)),
    Operator("IsNull", _is_null, default="true"),
)
WORDS = tuple(operator.word for operator in _TABLE)
OPERATORS = {operator.word.casefold(): operator for operator in _TABLE}
OPERATORS["<>"] = OPERATORS["!="]  # as SQL has it, too
