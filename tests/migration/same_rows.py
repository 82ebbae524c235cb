from datetime import datetime
from decimal import Decimal

from tests.migration.installations.tables import ZERO_DATE

_NEVER = (ZERO_DATE[:4], "0001")


def assert_same_rows(source, tables):
    """The source has these tables, columns and rows, in the order of their ids."""
    assert sorted(source.tables()) == sorted(name.casefold() for name in tables)
    for name, table in tables.items():
        kinds = {column.casefold(): kind for column, kind in table.columns.items()}
        assert source.columns(name) == list(kinds)
        written = [{column: row.get(column) for column in table.columns} for row in table.rows]
        expected = [_comparable({column.casefold(): value for column, value in row.items()}, kinds) for row in written]
        expected.sort(key=lambda row: row["id"])
        assert [_comparable(row, kinds) for row in source.rows(name)] == expected
        assert source.count(name) == len(expected)
        assert source.highest_id(name) == max((row["id"] for row in expected), default=0)


def _comparable(row, kinds):
    return {column: _value_of(value, kinds[column]) for column, value in row.items()}


def _value_of(value, kind):
    if value is None or (kind == "d" and str(value)[:4] in _NEVER):
        return None
    if kind == "d":
        assert not isinstance(value, datetime) or (value.tzinfo, value.microsecond) == (None, 0)
        return str(value).replace("T", " ")[:19]
    if kind == "n":
        return Decimal(value)
    return bool(value) if kind == "b" else value
