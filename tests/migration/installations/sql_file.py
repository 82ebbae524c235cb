"""Tables of a dump for MySQL whose statements each insert one row."""

import re

from tests.migration.installations.tables import listed

_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)\n\)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^\s*`(\w+)`\s+(\w+)(?:\((\d+)\))?", re.MULTILINE)
_VALUE = re.compile(r"NULL|-?\d+|'(?:[^']|'')*'")
_INSERT = re.compile(rf"^INSERT INTO (\w+) \(([^)]+)\)\nVALUES \(((?:(?:{_VALUE.pattern})(?:, )?)+)\);$", re.MULTILINE)
_KINDS = {"int": "i", "longtext": "t", "datetime": "d", "tinyint": "b"}


def example_tables(path):
    """Return the tables of a file such as the example of SiteServer 6.15."""
    text = path.read_text(encoding="utf-8")
    rows = {}
    for name, columns, values in _INSERT.findall(text):
        row = dict(zip(columns.split(", "), map(_value_of, _VALUE.findall(values)), strict=True))
        rows.setdefault(name, []).append(row)
    return {name: _table_of(columns, rows.get(name, [])) for name, columns in _TABLE.findall(text)}


def _table_of(columns, rows):
    return listed({name: _kind_of(kind.lower(), length) for name, kind, length in _COLUMN.findall(columns)}, rows)


def _kind_of(kind, length):
    if kind == "varchar":
        return "f" if length == "18" else f"s{length}"
    return _KINDS[kind]


def _value_of(text):
    if text == "NULL":
        return None
    return text[1:-1].replace("''", "'") if text.startswith("'") else int(text)
