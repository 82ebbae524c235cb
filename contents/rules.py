"""Where and Order rules as SQL: names from the table of columns, values always bound."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.date_text import date_text
from cms_api.rest import fields
from cms_api.rest.errors import BadRequest
from contents.columns import BY_FOLDED_WIRE, Column
from contents.conditions import Condition
from contents.models import CustomField
from contents.navigation_sql import literal, navigation_sql

MAX_PATTERN = 255  # characters of a Like pattern; SQLite cannot be interrupted within one comparison


class Rules:
    """Turns the rules of one request into SQL for one connection."""

    def __init__(self, connection: BaseDatabaseWrapper, site_id: int) -> None:
        self._connection, self._site_id = connection, site_id

    def where(self, rule: dict[str, Any], name: str) -> Condition:
        """The condition of a Where rule. Raises BadRequest naming the rule and what is wrong."""
        column = self.column(rule["column"], name)
        operator, name_of_value = rule.get("operator", "").strip() or "=", f"{name}.value"
        if operator.casefold() not in _OPERATORS:
            known = "=, !=, >, >=, <, <=, In, NotIn, Like and NotLike"
            raise BadRequest("unknown_operator", f"{name} has the unknown operator {operator}; known are {known}.")
        if operator.casefold() in _LIKE and "%" not in rule["value"]:
            message = f"A Like rule needs a % in its value; {name_of_value} has none."
            raise BadRequest("pattern_without_wildcard", message)
        return self.condition(column, operator, rule["value"], name_of_value)

    def condition(self, column: Column, operator: str, text: str, name: str) -> Condition:
        """A known operator between the column and a value; a pattern needs no %, as in SQL. Raises BadRequest."""
        return _OPERATORS[operator.casefold()](self, column, text, name)

    def order(self, rule: dict[str, Any], name: str) -> str:
        """The sort key of an Order rule. Raises BadRequest."""
        return self.sort_key(self.column(rule["column"], name), descending=rule["desc"])

    def sort_key(self, column: Column, *, descending: bool) -> str:
        """The column in a direction; texts sort by code point, and null before every value."""
        nulls = ""
        if column.name == "last_hits_date":
            nulls = " NULLS LAST" if descending else " NULLS FIRST"
        return f"{self._comparable(column)} {'DESC' if descending else 'ASC'}{nulls}"

    def column(self, wire: str, name: str) -> Column:
        """A field of Content or a custom field of the site, in any letter case. Raises BadRequest."""
        column = self.find(wire.strip().casefold())
        if column is not None and column.name == "navigation_url":
            return replace(column, sql=self._navigation_sql)
        if column is None:
            message = f"{name} has the unknown column {wire}; no content of the site has such a member."
            raise BadRequest("unknown_column", message)
        return column

    def find(self, folded: str) -> Column | None:
        """The column of a name without letter case, if there is one."""
        return BY_FOLDED_WIRE.get(folded) or self._custom(folded)

    def text_of(self, column: Column) -> str:
        """SQL of the column's text form."""
        if column.is_boolean:
            return f"(CASE WHEN {column.sql} THEN 'True' ELSE 'False' END)"
        if column.is_date:
            return date_text(column.sql, self._connection)
        return column.sql if column.is_text else f"CAST({column.sql} AS text)"

    @property
    def is_postgresql(self) -> bool:
        """Whether the SQL is for PostgreSQL."""
        return self._connection.vendor == "postgresql"

    # ---- operators, called through the table below

    def compare(self, operator: str, column: Column, text: str, name: str) -> Condition:
        """A comparison of the column's own kind of value."""
        return Condition(f"{self._comparable(column)} {operator} %s", (self._value(column, text, name),))

    def among(self, column: Column, text: str, name: str) -> Condition:
        """One of the comma-separated values; none matches nothing."""
        texts = [part for part in map(str.strip, text.split(",")) if part]
        if len(texts) > settings.CMS_MAX_IN_VALUES:
            raise fields.invalid(name, f"a list of at most {settings.CMS_MAX_IN_VALUES} values")
        if not texts:
            return Condition("1 = 0")
        values = [self._value(column, part, name) for part in texts]
        # One parameter for all of them: engines limit how many a statement has.
        if self.is_postgresql:
            return Condition(f"{column.sql} = ANY(%s)", (values,))
        return Condition(f"{column.sql} IN (SELECT value FROM json_each(%s))", (orjson.dumps(values).decode(),))

    def like(self, column: Column, text: str, name: str) -> Condition:
        """A pattern as in SQL, letter case ignored."""
        if len(text) > MAX_PATTERN:
            raise fields.invalid(name, f"a pattern of at most {MAX_PATTERN} characters")
        value = self.text_of(column)
        if self.is_postgresql:
            # No character escapes another: the interface knows % and _ only.
            return Condition(f"{value} ILIKE %s ESCAPE ''", (text,))
        if all(letter.isascii() or letter.lower() == letter.upper() for letter in text):
            return Condition(f"{value} LIKE %s", (text,))
        # SQLite's LIKE knows the letter case of ASCII only; GLOB takes both forms of each letter.
        return Condition(f"{value} GLOB %s", ("".join(map(_as_glob, text)),))

    # ----

    @cached_property
    def _navigation_sql(self) -> str:
        return navigation_sql(self, self._site_id)

    def _custom(self, folded: str) -> Column | None:
        field = CustomField.objects.filter(site_id=self._site_id, folded_name=folded).first()
        if field is None:
            return None
        return Column(field.name, field.name, self._custom_sql(field.name), fields.read_text)

    def _custom_sql(self, key: str) -> str:
        # A literal, since one name stands several times in a statement.
        name = literal(key)
        if self.is_postgresql:
            value = f"c.settings_xml::jsonb -> {name}"
            text = f"c.settings_xml::jsonb ->> {name}"
            case = f"CASE jsonb_typeof({value}) WHEN 'boolean' THEN initcap({text}) ELSE {text} END"
            return f"COALESCE({case}, '')"
        case = "CASE j.type WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' ELSE CAST(j.value AS TEXT) END"
        return f"COALESCE((SELECT {case} FROM json_each(c.settings_xml) j WHERE j.key = {name}), '')"

    def _comparable(self, column: Column) -> str:
        # Code points, as SQLite compares and Python sorts, whatever the database's language.
        return f'{column.sql} COLLATE "C"' if column.is_text and self.is_postgresql else column.sql

    def _value(self, column: Column, text: str, name: str) -> Any:
        value = column.read(text, name)
        if not column.is_date:
            return value
        # "Never" lies before every date.
        return self._connection.ops.adapt_datetimefield_value(value or datetime(1, 1, 1))


def _as_glob(letter: str) -> str:
    if letter in "%_":
        return {"%": "*", "_": "?"}[letter]
    forms = {form for form in (letter, letter.lower(), letter.upper()) if len(form) == 1}
    return f"[{''.join(sorted(forms))}]" if len(forms) > 1 or letter in "*?[" else letter


def negate(condition: Condition) -> Condition:
    """What the condition does not let through: a value that is null differs from every value."""
    return Condition(f"({condition.sql}) IS NOT TRUE", condition.params)


def _not(build: Callable[..., Condition]) -> Callable[..., Condition]:
    return lambda *args: negate(build(*args))


def _compare(operator: str) -> Callable[..., Condition]:
    return lambda rules, column, text, name: rules.compare(operator, column, text, name)


_LIKE = frozenset({"like", "notlike"})
_OPERATORS: dict[str, Callable[..., Condition]] = {
    "=": _compare("="),
    "!=": _not(_compare("=")),
    "<>": _not(_compare("=")),
    ">": _compare(">"),
    ">=": _compare(">="),
    "<": _compare("<"),
    "<=": _compare("<="),
    "in": Rules.among,
    "notin": _not(Rules.among),
    "like": Rules.like,
    "notlike": _not(Rules.like),
}
