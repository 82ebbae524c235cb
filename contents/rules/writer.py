"""Where and Order rules as SQL: names from the table of columns, values always bound."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.date_text import date_text
from cms_api.rest import fields
from cms_api.rest.rules import AllOf, Expression, Negation, OrderRule, Rule
from contents.conditions import Condition, custom_text, join, negate
from contents.models import CustomField
from contents.navigation.sql import literal, navigation_sql
from contents.rules import sqlite_functions
from contents.rules.sqlite_functions import longest_run, small
from contents.wire.columns import BY_FOLDED_WIRE, Column, unknown_column

# What the SQL of columns and rules stands over.
TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)
MAX_PATTERN = 255  # characters of a Like pattern, or of a part
# Letters of a text times those of the longest run of a pattern that SQLite's own LIKE, which nobody can interrupt, goes
# through in a tenth of a millisecond. It has many rows between two looks at the clock.
_LIKE_STEPS = 50_000
# The columns of one site, one of them, the value as it was sent, and how a refusal calls that value.
Build = Callable[["Rules", Column, str, str], Condition]
_ESCAPE = "!"
_OF_SEVERAL = {"=": "In", "!=": "NotIn"}


def rules_of(expressions: Iterable[Expression]) -> Iterator[Rule]:
    for one in expressions:
        if isinstance(one, Rule):
            yield one
        else:
            yield from rules_of((one.part,) if isinstance(one, Negation) else one.parts)


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column as sorting and comparing see it, in a direction."""

    column: Column
    sql: str
    descending: bool

    def __str__(self) -> str:
        return self.over(self.sql)

    def over(self, sql: str) -> str:
        """The key of an ORDER BY, for an expression that has the column's value."""
        # Null lies before every value.
        nulls = (" NULLS LAST" if self.descending else " NULLS FIRST") if self.column.is_nullable else ""
        return f"{sql} {'DESC' if self.descending else 'ASC'}{nulls}"


class Rules:
    """Turns the rules of one request into SQL for one connection; a custom field is looked up once."""

    def __init__(self, connection: BaseDatabaseWrapper, site_id: int) -> None:
        self._connection, self._site_id = connection, site_id
        self._custom: dict[str, Column | None] = {}
        self.is_postgresql = connection.vendor == "postgresql"

    def condition(self, expression: Expression) -> Condition:
        """The expression over TABLES, values bound. Raises InvalidInput naming what is wrong with a rule."""
        if isinstance(expression, Rule):
            return self._rule(expression)
        if isinstance(expression, Negation):
            return negate(self.condition(expression.part))
        return join(map(self.condition, expression.parts), " AND " if isinstance(expression, AllOf) else " OR ")

    def _rule(self, rule: Rule) -> Condition:
        column, word, value = self.column(rule.column, rule.name), rule.operator, rule.value
        if rule.as_json and column.is_custom and word in _OF_SEVERAL:
            # A number with an exponent or .0, which may be stored so or as an integer.
            word, value = _OF_SEVERAL[word], f"{value},{rule.as_json}"
        return OPERATORS[word.casefold()].build(self, column, value, rule.value_name or column.wire)

    def order(self, rule: OrderRule) -> SortKey:
        return self.sort_key(self.column(rule.column, rule.name), descending=rule.desc)

    def sort_key(self, column: Column, *, descending: bool) -> SortKey:
        """The column in a direction; texts sort by code point, and null before every value."""
        return SortKey(column, self.comparable(column), descending)

    def column(self, wire: str, name: str) -> Column:
        """A field of Content or a custom field of the site, in any letter case. Raises InvalidInput."""
        column = self.find(wire)
        if column is not None and column.wire == "navigationUrl":
            return replace(column, sql=self._navigation_sql)
        if column is not None and column.wire == "settingsXml" and not self.is_postgresql:
            # The plus keeps SQLite from putting what the column is compared with into the JSON of a custom field.
            return replace(column, sql=f"+{column.sql}")
        if column is None:
            raise unknown_column(name, wire)
        return column

    def find(self, name: str) -> Column | None:
        """The column of a name in any letter case, if there is one."""
        folded = name.strip().casefold()
        if (column := BY_FOLDED_WIRE.get(folded)) is not None:
            return column
        if folded not in self._custom:
            self.look_up([name])
        return self._custom.get(folded)

    def look_up(
        self, names: Iterable[str], expressions: Iterable[Expression] = (), orders: Iterable[OrderRule] = ()
    ) -> None:
        """Read what may be custom fields in these names and rules, in one statement."""
        rules: Iterable[Rule | OrderRule] = (*rules_of(expressions), *orders)
        found = [*names, *[rule.column for rule in rules]]
        sought = {name.strip().casefold() for name in found} - BY_FOLDED_WIRE.keys() - self._custom.keys()
        if not sought:
            return
        self._custom |= dict.fromkeys(sought)
        # A name with NUL a database may refuse to look for.
        given = sorted(name for name in sought if name and "\0" not in name)
        rows = CustomField.objects.filter(site_id=self._site_id, folded_name__in=given)
        for folded, name in rows.values_list("folded_name", "name") if given else ():
            sql = custom_text(literal(name), is_postgresql=self.is_postgresql)
            self._custom[folded] = Column(name, name, sql, fields.read_text)

    def text_of(self, column: Column) -> str:
        """SQL of the column's text form."""
        if column.is_boolean:
            return f"(CASE WHEN {column.sql} THEN 'True' ELSE 'False' END)"
        if column.is_date:
            return date_text(column.sql, self._connection)
        return column.sql if column.is_text else f"CAST({column.sql} AS text)"

    def comparable(self, column: Column) -> str:
        """SQL of the column for comparing and sorting."""
        # Code points, as SQLite compares and Python sorts, whatever the database's language.
        return f'{column.sql} COLLATE "C"' if column.is_text and self.is_postgresql else column.sql

    def value(self, column: Column, text: str, name: str) -> Any:
        """The value of a rule as the database compares it. Raises InvalidInput."""
        value = column.read(text, name)
        if not column.is_date:
            return value
        # "Never" lies before every date.
        return self._connection.ops.adapt_datetimefield_value(value or datetime(1, 1, 1))

    # ----

    @cached_property
    def _navigation_sql(self) -> str:
        return navigation_sql(self, self._site_id)


# ---- operators


def _compare(operator: str) -> Build:
    """A comparison of the column's own kind of value."""

    def build(rules: Rules, column: Column, text: str, name: str) -> Condition:
        return Condition(f"{rules.comparable(column)} {operator} %s", (rules.value(column, text, name),))

    return build


def _among(rules: Rules, column: Column, text: str, name: str) -> Condition:
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


def _between(rules: Rules, column: Column, text: str, name: str) -> Condition:
    """From the first of two values to the second, both included."""
    ends = [part.strip() for part in text.split(",", 2)]
    if len(ends) != 2 or not all(ends):
        raise fields.invalid(name, "two values with a comma between them")
    first, last = (rules.value(column, end, name) for end in ends)
    return Condition(f"{rules.comparable(column)} BETWEEN %s AND %s", (first, last))


def _is_null(rules: Rules, column: Column, text: str, name: str) -> Condition:
    """Whether the member has no value: null, or an empty text."""
    empty = f"{column.sql} = ''" if column.is_text else f"{column.sql} IS NULL"
    return Condition(empty if fields.read_boolean(text, name) else f"NOT ({empty})")


def _like(rules: Rules, column: Column, text: str, name: str) -> Condition:
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

    def build(rules: Rules, column: Column, text: str, name: str) -> Condition:
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


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its word, and how it becomes SQL."""

    word: str
    build: Build
    default: str | None = None  # the value of a rule that has none; None: the rule needs one
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
OPERATORS["<>"] = OPERATORS["!="]  # as SQL has it, too
