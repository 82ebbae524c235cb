"""A child for tests: `python -m tests.sql.scripted_child`. A statement that begins with `python:` is executed."""

import os
import signal
import sys

import orjson

from sql_sandbox.catalogue import Column, Table, ValueKind
from sql_sandbox.compiled import Answer, Compiled
from sql_sandbox.running.child import Parts, run_child
from sql_sandbox.running.sqlite_reader import SqliteReader

TABLES = (
    Table("siteserver_Content", "content", (Column("Id", ValueKind.INTEGER, "id"),), site="site_id"),
    Table("siteserver_Secret", "secret", (Column("Id", ValueKind.INTEGER, "id"),), site="site_id"),
)


class EchoReader:
    """Answers what it was called with."""

    def run(self, compiled, site_ids, deadline, limits):
        return Answer(orjson.dumps([{"called": compiled.parameters, "sites": site_ids, "rows": limits.rows}]))


def read_statement(text):
    result = {"value": 1, "os": os, "sys": sys, "signal": signal}
    if text.startswith("python:"):
        exec(text.removeprefix("python:").strip(), result)
    return text if not text.startswith("python:") else f"SELECT {result['value']}"


def compile_query(query, catalogue, engine, *, now, **options):
    found = [name for name in ("siteserver_Content", "siteserver_Secret", "Model") if catalogue.find(name)]
    called = options | {"query": query, "engine": engine, "now": now.isoformat(), "found": found}
    return Compiled(query, called if engine == "echo" else {}, {}, (("x", ValueKind.INTEGER),))


if __name__ == "__main__":
    readers = {"sqlite": lambda database: SqliteReader(database["path"], {}), "echo": lambda _: EchoReader()}
    run_child(Parts(TABLES, read_statement, compile_query, readers))
