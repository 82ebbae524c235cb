"""The process that runs clients' statements: `python -m cms_api.sql_endpoint.child`, started by the sandbox."""
# Readers are imported when used: psycopg would be a quarter of the memory of a child on SQLite.

from collections.abc import Mapping
from functools import partial
from typing import Any

from cms_api.sql_endpoint.catalogue import SQLITE_FUNCTIONS, TABLES, choose_tables
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.running.child import Parts, Reader, run_child


def _sqlite_reader(database: Mapping[str, Any]) -> Reader:
    from sql_sandbox.compiling.sqlite_functions import FUNCTIONS
    from sql_sandbox.running.sqlite_reader import SqliteReader

    return SqliteReader(database["path"], FUNCTIONS, SQLITE_FUNCTIONS)


def _postgresql_reader(database: Mapping[str, Any]) -> Reader:
    from cms_api.sql_endpoint.postgresql_views import SCHEMA
    from cms_api.sql_endpoint.role_check import closed, verify_reader
    from sql_sandbox.running.postgresql_reader import PostgresqlReader

    tables = choose_tables(database["tables"])
    verify = partial(verify_reader, tables=tables, time_zone=database["time_zone"])
    refusal = closed("its database account cannot sign in")
    return PostgresqlReader(database["address"], verify, SCHEMA, refusal, database.get("slot"))


def main() -> None:
    readers = {"sqlite": _sqlite_reader, "postgresql": _postgresql_reader}
    run_child(Parts(TABLES, read_statement, compile_query, readers))


if __name__ == "__main__":
    main()
