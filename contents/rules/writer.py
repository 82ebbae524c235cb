"""Where and Order rules as SQL: names from the table of columns, values always bound."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.date_text import date_text
from cms_api.rest import fields
from cms_api.rest.errors import BadRequest
from contents.models import CustomField
from contents.navigation.sql import literal, navigation_sql
from contents.rules.conditions import Condition, custom_text
from contents.rules.operators import OPERATORS, find_operator
from contents.rules.rule import OrderRule, WhereRule
from contents.wire.columns import BY_FOLDED_WIRE, Column, unknown_column

_OF_SEVERAL = {"=": "in", "!=": "notin"}


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
    """Turns the rules of one request into SQL for one connection."""

    def __init__(self, connection: BaseDatabaseWrapper, site_id: int) -> None:
        self._connection, self._site_id = connection, site_id

    def where(self, rule: WhereRule) -> Condition:
        """The condition of a Where rule. Raises BadRequest naming the rule and what is wrong."""
        column = self.column(rule.column, rule.name)
        operator = find_operator(rule.operator, rule.name)
        value = operator.default if rule.value is None else rule.value
        if value is None:
            raise BadRequest("missing_member", f"{rule.name} needs the member value.", member="value")
        if operator.needs_wildcard and "%" not in value:
            message = f"A Like rule needs a % in its value; {rule.value_name} has none."
            raise BadRequest("pattern_without_wildcard", message)
        if rule.as_json and column.is_custom and operator.word in _OF_SEVERAL:
            # A number with an exponent or .0, which may be stored so or as an integer.
            operator, value = OPERATORS[_OF_SEVERAL[operator.word]], f"{value},{rule.as_json}"
        return operator.build(self, column, value, rule.value_name)

    def condition(self, column: Column, operator: str, text: str, name: str) -> Condition:
        """A known operator between the column and a value; a pattern needs no %, as in SQL. Raises BadRequest."""
        return OPERATORS[operator.casefold()].build(self, column, text, name)

    def order(self, rule: OrderRule) -> SortKey:
        """The sort key of an Order rule. Raises BadRequest."""
        return self.sort_key(self.column(rule.column, rule.name), descending=rule.desc)

    def sort_key(self, column: Column, *, descending: bool) -> SortKey:
        """The column in a direction; texts sort by code point, and null before every value."""
        return SortKey(column, self.comparable(column), descending)

    def column(self, wire: str, name: str) -> Column:
        """A field of Content or a custom field of the site, in any letter case. Raises BadRequest."""
        column = self.find(wire.strip().casefold())
        if column is not None and column.wire == "navigationUrl":
            return replace(column, sql=self._navigation_sql)
        if column is not None and column.wire == "settingsXml" and not self.is_postgresql:
            # The plus keeps SQLite from putting what the column is compared with into the JSON of a custom field.
            return replace(column, sql=f"+{column.sql}")
        if column is None:
            raise unknown_column(name, wire)
        return column

    def find(self, folded: str) -> Column | None:
        """The column of a name without letter case, if there is one."""
        if "\0" in folded:
            return None  # which a database may refuse to look for
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

    def comparable(self, column: Column) -> str:
        """SQL of the column for comparing and sorting."""
        # Code points, as SQLite compares and Python sorts, whatever the database's language.
        return f'{column.sql} COLLATE "C"' if column.is_text and self.is_postgresql else column.sql

    def value(self, column: Column, text: str, name: str) -> Any:
        """The value of a rule as the database compares it. Raises BadRequest."""
        value = column.read(text, name)
        if not column.is_date:
            return value
        # "Never" lies before every date.
        return self._connection.ops.adapt_datetimefield_value(value or datetime(1, 1, 1))

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
        return custom_text(literal(key), is_postgresql=self.is_postgresql)
