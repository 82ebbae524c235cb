"""Writes tables as the installations and backup folders that a migration reads."""

import json
import sqlite3
from contextlib import closing
from decimal import Decimal
from itertools import islice
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

from tests.migration.installations.tables import ZERO_DATE
from tests.migration.installations.version7 import is_content_table

_AT_A_TIME = 500
_YEAR_1 = "0001-01-01 00:00:00"  # a zero date elsewhere
_MYSQL = {"i": "int", "d": "datetime", "t": "longtext", "f": "varchar(18)", "b": "tinyint(1)", "n": "decimal(18, 2)"}
_POSTGRESQL = {"i": "int4", "d": "timestamptz", "t": "text", "f": "varchar(18)", "b": "bool", "n": "numeric(18, 2)"}
_SQLITE = {"i": "INTEGER", "d": "DATETIME", "t": "TEXT", "f": "NVARCHAR(18)", "b": "INT2", "n": "DECIMAL(18, 2)"}
_DOTNET = {"i": "Int32", "d": "DateTime", "t": "Text", "f": "VarChar", "b": "Boolean", "n": "Decimal"}


def write_backup_folder(tables, folder, *, version=6):
    """Write the folder of the original's command line, with lists of its tables and of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_json(folder / "_tables.json", list(tables))
    for name, table in tables.items():
        rows, names, count = iter(table.rows), [], 0
        place = folder / name
        place.mkdir()
        while part := [_as_json(row, table) for row in islice(rows, 500 if version == 6 else 1000)]:
            names.append(f"{len(names) + 1}.json")
            _write_json(place / names[-1], part)
            count += len(part)
        columns = [
            {"attributeName": column, "dataType": _DOTNET[kind[0]] if kind[0] != "s" else "VarChar"}
            | {"dataLength": int(kind[1:] or 0), "isPrimaryKey": column == "Id", "isIdentity": column == "Id"}
            for column, kind in table.columns.items()
        ]
        files = {"rowFiles" if version == 6 else "rows": names}
        _write_json(place / "_metadata.json", {"columns": columns, "totalCount": count} | files)


def write_mysql(tables, url):
    """Create the database of the URL and write the tables to it."""
    address = urlsplit(url)
    name = address.path[1:]
    connection = pymysql.connect(
        host=address.hostname,
        port=address.port or 3306,
        user=unquote(address.username or ""),
        password=unquote(address.password or ""),
        charset="utf8mb4",
        sql_mode="",  # zero dates
        init_command="SET unique_checks = 0",
    )
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE IF NOT EXISTS `{name}` CHARACTER SET utf8mb4")
        cursor.execute(f"USE `{name}`")
        for table_name, table in tables.items():
            cursor.execute(_create(f"`{table_name}`", table, _MYSQL, "`{}`"))
            marks = ", ".join(["%s"] * len(table.columns))
            rows = ([row.get(column) for column in table.columns] for row in table.rows)
            while part := list(islice(rows, _AT_A_TIME)):
                cursor.executemany(f"INSERT INTO `{table_name}` VALUES ({marks})", part)
            connection.commit()


def write_postgresql(tables, url, *, version=6, time_zone="Asia/Shanghai"):
    """Write the tables to an empty database; names of v6 are small, and dates are moments of the time zone."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('TimeZone', %s, false)", [time_zone])
        for table_name, table in tables.items():
            name = f'"{table_name}"' if version == 7 else table_name
            connection.execute(_create(name, table, _POSTGRESQL, '"{}"' if version == 7 else "{}"))
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in table.rows:
                    copy.write_row(_values(row, table))


def write_sqlite(tables, path):
    """Write the tables to a new file, as v7 stores dates."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table_name, table in tables.items():
            connection.execute(_create(f'"{table_name}"', table, _SQLITE, '"{}"'))
            marks = ", ".join("?" * len(table.columns))
            rows = (_with_fractions(_values(row, table), table) for row in table.rows)
            connection.executemany(f'INSERT INTO "{table_name}" VALUES ({marks})', rows)


def _create(name, table, types, quoted):
    columns = ", ".join(
        f"{quoted.format(column)} {_type_of(kind, types)}{' PRIMARY KEY' if column == 'Id' else ''}"
        for column, kind in table.columns.items()
    )
    index = is_content_table(table) and types is _MYSQL
    return f"CREATE TABLE {name} ({columns}{', INDEX (`Taxis`)' if index else ''})"


def _type_of(kind, types):
    if kind[0] != "s":
        return types[kind]
    return f"{'NVARCHAR' if types is _SQLITE else 'varchar'}({kind[1:]})"


def _values(row, table):
    values = (row.get(column) for column in table.columns)
    return [_YEAR_1 if value == ZERO_DATE else value for value in values]


def _with_fractions(values, table):
    return [
        value.replace(" ", "T") + ".0000000" if kind == "d" and value else value
        for value, kind in zip(values, table.columns.values(), strict=True)
    ]


def _as_json(row, table):
    values = zip(table.columns, _values(row, table), strict=True)
    return {column[0].lower() + column[1:]: _number(value, table.columns[column]) for column, value in values}


def _number(value, kind):
    return float(Decimal(value)) if kind == "n" and value is not None else value


def _write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
