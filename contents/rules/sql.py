"""Where and Order rules as SQL; values are always bound."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import orjson
from django.db import connection

from contents.models import CustomField
from contents.navigation.sql import navigation_sql
from contents.rules import sqlite_functions
from contents.rules.sqlite_functions import longest_run, small
from contents.sql_fragments import SqlFragment, custom_text, join, negate
from contents.wire.columns import BY_FOLDED_WIRE, BY_NAME, Column, unknown_column
from core.rest import fields
from core.rest.rules import AllOf, Expression, Negation, OrderRule, Rule

# The tables that the SQL of columns and rules refers to.
TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)
MAX_IN_VALUES = 1000
MAX_PATTERN = 255  # characters of a Like pattern or a part
# SQLite's own LIKE, which cannot be interrupted, processes this many letters of text times letters of the longest run
# in about 0.1 ms; many rows pass between two looks at the clock.
_LIKE_STEPS = 50_000
# (column, value as sent, name of the value in errors)
Build = Callable[[Column, str, str], SqlFragment]
_ESCAPE = "!"
_OF_SEVERAL = {"=": "In", "!=": "NotIn"}


def rules_of(expressions: Iterable[Expression]) -> Iterator[Rule]:
    for one in expressions:
        if isinstance(one, Rule):
            yield one
        else:
            yield from rules_of((one.part,) if isinstance(one, Negation) else one.parts)


class SortKey(NamedTuple):
    """A column to sort by: texts by code point, null before every value."""

    column: Column
    descending: bool

    def __str__(self) -> str:
        return self.over(self.column.comparable)

    def over(self, sql: str) -> str:
        nulls = (" NULLS LAST" if self.descending else " NULLS FIRST") if self.column.is_nullable else ""
        return f"{sql} {'DESC' if self.descending else 'ASC'}{nulls}"


class Rules:
    """Turns the rules of a request into SQL; each custom field is looked up once."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._custom: dict[str, Column | None] = {}

    def condition(self, expression: Expression) -> SqlFragment:
        """The expression as SQL over TABLES. Raises InvalidInput for an invalid rule."""
        if isinstance(expression, Negation):
            return negate(self.condition(expression.part))
        if not isinstance(expression, Rule):
            return join(map(self.condition, expression.parts), " AND " if isinstance(expression, AllOf) else " OR ")
        rule, column = expression, self.column(expression.column, expression.name)
        word, value = rule.operator, rule.value
        if rule.as_json and column.is_custom and word in _OF_SEVERAL:
            # A number with an exponent or .0 may be stored that way or as an integer.
            word, value = _OF_SEVERAL[word], f"{value},{rule.as_json}"
        return OPERATORS[word.casefold()].build(column, value, rule.value_name or column.wire)

    def order(self, rule: OrderRule) -> SortKey:
        return SortKey(self.column(rule.column, rule.name), rule.desc)

    def column(self, wire: str, name: str) -> Column:
        """A member or custom field of the site, in any letter case. Raises InvalidInput."""
        column = self.find(wire)
        if column is None:
            raise unknown_column(name, wire)
        if column.wire == "navigationUrl":
            return self._navigation_url
        if column.wire == "settingsXml" and connection.vendor == "sqlite":
            # The unary plus prevents SQLite from pushing the comparison into the JSON of custom fields.
            return replace(column, sql=f"+{column.sql}")
        return column

    @cached_property
    def _navigation_url(self) -> Column:
        return replace(BY_NAME["navigation_url"], sql=navigation_sql(self._site_id, self.find))

    def find(self, name: str) -> Column | None:
        """The column of the name in any letter case; None if the site has none."""
        folded = name.strip().casefold()
        if (column := BY_FOLDED_WIRE.get(folded)) is not None:
            return column
        if folded not in self._custom:
            self.look_up([name])
        return self._custom.get(folded)

    def look_up(
        self, names: Iterable[str], expressions: Iterable[Expression] = (), orders: Iterable[OrderRule] = ()
    ) -> None:
        """Look up all possible custom fields of the names and rules in one statement."""
        found = [*names, *[rule.column for rule in rules_of(expressions)], *[rule.column for rule in orders]]
        sought = {name.strip().casefold() for name in found} - BY_FOLDED_WIRE.keys() - self._custom.keys()
        self._custom |= dict.fromkeys(sought)
        # A database may reject names with NUL.
        if not (given := sorted(name for name in sought if name and "\0" not in name)):
            return
        rows = CustomField.objects.filter(site_id=self._site_id, folded_name__in=given)
        for folded, name in rows.values_list("folded_name", "name"):
            self._custom[folded] = Column(name, name, custom_text(name), fields.read_text)


# ---- operators


def _compare(operator: str) -> Build:
    return lambda column, text, name: SqlFragment(f"{column.comparable} {operator} %s", (column.value(text, name),))


def _among(column: Column, text: str, name: str) -> SqlFragment:
    texts = [part for part in map(str.strip, text.split(",")) if part]
    if len(texts) > MAX_IN_VALUES:
        raise fields.invalid(name, f"a list of at most {MAX_IN_VALUES} values")
    if not texts:
        return SqlFragment("1 = 0")
    values = [column.value(part, name) for part in texts]
    # A single parameter, since engines limit their number.
    if connection.vendor == "postgresql":
        return SqlFragment(f"{column.sql} = ANY(%s)", (values,))
    return SqlFragment(f"{column.sql} IN (SELECT value FROM json_each(%s))", (orjson.dumps(values).decode(),))


def _between(column: Column, text: str, name: str) -> SqlFragment:
    ends = [part.strip() for part in text.split(",", 2)]
    if len(ends) != 2 or not all(ends):
        raise fields.invalid(name, "two values separated by a comma")
    first, last = (column.value(end, name) for end in ends)
    return SqlFragment(f"{column.comparable} BETWEEN %s AND %s", (first, last))


def _is_null(column: Column, text: str, name: str) -> SqlFragment:
    empty = f"{column.sql} = ''" if column.is_text else f"{column.sql} IS NULL"
    return SqlFragment(empty if fields.read_boolean(text, name) else f"NOT ({empty})")


def _like(column: Column, text: str, name: str) -> SqlFragment:
    if len(text) > MAX_PATTERN:
        raise fields.invalid(name, f"a pattern of at most {MAX_PATTERN} characters")
    value = column.text
    if connection.vendor == "postgresql":
        # No escape character: patterns have only % and _.
        return SqlFragment(f"{value} ILIKE %s ESCAPE ''", (text,))
    own = f"{sqlite_functions.LIKE}({value}, %s)"
    # SQLite's LIKE ignores letter case for ASCII only.
    if not all(letter.isascii() or letter.lower() == letter.upper() for letter in text):
        return SqlFragment(own, (small(text),))
    longest = _LIKE_STEPS // max(1, longest_run(text))
    # For short texts SQLite's LIKE is several times as fast.
    return SqlFragment(
        f"CASE WHEN length({value}) <= {longest} THEN {value} LIKE %s ELSE {own} END", (text, small(text))
    )


def _part(before: str, after: str, function: str) -> Build:
    """Match the value literally within the text, including `%` and `_`, ignoring letter case."""

    def build(column: Column, text: str, name: str) -> SqlFragment:
        if not 0 < len(text) <= MAX_PATTERN:
            raise fields.invalid(name, f"a text of 1 to {MAX_PATTERN} characters")
        if connection.vendor == "sqlite":
            return SqlFragment(f"{function}({column.text}, %s)", (small(text),))
        escaped = "".join(_ESCAPE + letter if letter in f"%_{_ESCAPE}" else letter for letter in text)
        return SqlFragment(f"{column.text} ILIKE %s ESCAPE '{_ESCAPE}'", (before + escaped + after,))

    return build


def _not(build: Build) -> Build:
    return lambda column, text, name: negate(build(column, text, name))


@dataclass(frozen=True, slots=True)
class Operator:
    word: str
    build: Build
    default: str | None = None  # value of a rule without one; None: a value is required
    needs_wildcard: bool = False


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
OPERATORS["<>"] = OPERATORS["!="]  # the SQL spelling
