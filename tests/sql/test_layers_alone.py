"""Each fence of the sandbox holds without the others: whichever are taken away, nothing leaks, nothing is written."""

import logging
import re
import sys
import time
from datetime import datetime
from itertools import islice

import pytest
from django.conf import settings
from django.db import connection

from cms_api.lib.sql_sandbox.catalogue import Catalogue, View
from cms_api.lib.sql_sandbox.compiled import Answer, Compiled
from cms_api.lib.sql_sandbox.compiling.sqlite_functions import FUNCTIONS
from cms_api.lib.sql_sandbox.compiling.statement import compile_query
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.reading import parsing
from cms_api.lib.sql_sandbox.reading.statement import read_statement
from cms_api.lib.sql_sandbox.refusals import Refused
from cms_api.lib.sql_sandbox.running import postgresql_reader, sqlite_reader
from cms_api.lib.sql_sandbox.running.postgresql_reader import PostgresqlReader
from cms_api.lib.sql_sandbox.running.sqlite_guard import SQLiteGuard
from cms_api.lib.sql_sandbox.running.sqlite_reader import SqliteReader
from cms_api.sql_endpoint.catalogue import CONTENTS, SQLITE_FUNCTIONS
from cms_api.sql_endpoint.postgresql_views import SCHEMA
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from cms_api.sql_endpoint.role_check import verify_reader
from tests.sql import corpus
from tests.sql.world import A, B, C, files, found_in, state

pytestmark = pytest.mark.django_db
# The others only take all the time there is.
CHEAP = [one for one in corpus.read_attacks(corpus.OWN) if one.category not in {"bomb", "growth"}]
KEYS = {"every site": None, "one site": (A,)}
SECONDS = 0.3
LIMITS = Limits(seconds=SECONDS, rows=1000)
# What only the limits of the child's process keep within bounds.
NEEDS_A_PROCESS = re.compile(
    r"\d{7}|repeat|replicate|space|pad|format|printf|blob|series|factorial|power|gen_salt|xpath|xml", re.IGNORECASE
)


@pytest.fixture(params=KEYS)
def site_ids(request):
    """The sites that the key reaches; None: every one."""
    return KEYS[request.param]


@pytest.fixture
def reader(world):
    """The engine's reader, in this process."""
    if connection.vendor == "sqlite":
        yield SqliteReader(connection.settings_dict["NAME"], FUNCTIONS, SQLITE_FUNCTIONS)
        return
    reader = PostgresqlReader(
        connection_parameters(), lambda opened: verify_reader(opened, open_tables(), settings.TIME_ZONE), SCHEMA
    )
    yield reader
    reader.close()


@pytest.fixture
def unguarded_reader(world, monkeypatch):
    """A reader that asks the engine for no guard: no authorizer, or the account of the service itself."""
    if connection.vendor == "sqlite":
        monkeypatch.setattr(SQLiteGuard, "__call__", lambda *_: 0)
        yield SqliteReader(connection.settings_dict["NAME"], FUNCTIONS, SQLITE_FUNCTIONS)
        return
    service = {
        name: value for name, value in connection.get_connection_params().items() if isinstance(value, str | int)
    }
    service.pop("prepare_threshold", None)
    reader = PostgresqlReader(service, lambda _: None, SCHEMA)
    yield reader
    reader.close()


@pytest.fixture
def raw_rows(monkeypatch, caplog):
    """Rows of any columns become text, since a client's own text tells none."""
    caplog.set_level(logging.CRITICAL, "cms_api.lib.sql_sandbox")  # each denial is logged

    def shape(rows, columns, limits):
        return Answer(repr(list(islice(rows, 100))).encode())

    for module in (sqlite_reader, postgresql_reader):
        monkeypatch.setattr(module, "shape_rows", shape)


def no_text_fence(monkeypatch):
    """Whatever its size, characters and words, a text goes to the parser."""
    monkeypatch.setattr(parsing, "check_text", lambda text: None)
    monkeypatch.setattr(parsing, "check_tokens", lambda text, tokens, functions: list(tokens))


def no_argument_fence(monkeypatch):
    """A construct may have arguments that nobody has looked at."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cms_api.lib.sql_sandbox.") and hasattr(module, "check_filled"):
            monkeypatch.setattr(module, "check_filled", lambda node, arguments: None)


def compile_statement(statement, site_ids):
    """The statement in the engine's SQL. Raises Refused."""
    named = {"siteserver_content_1": (A,), "model_content": (B, C)}
    catalogue = Catalogue.of(open_tables(), site_ids, CONTENTS, named)
    now = datetime(2026, 1, 1)
    return compile_query(read_statement(statement), catalogue, connection.vendor, now=now, max_rows=LIMITS.rows)


def run(reader, compiled, site_ids):
    """The rows as text, or why there are none."""
    try:
        return reader.run(compiled, site_ids, time.monotonic() + SECONDS, LIMITS).rows.decode()
    except Refused as refused:
        return refused.message
    except ValueError as error:
        return str(error)  # a driver's, of characters that no text fence has kept away


def answer(reader, statement, site_ids):
    """What comes of a statement that is read and compiled with the fences that are left."""
    try:
        compiled = compile_statement(statement, site_ids)
    except Refused as refused:
        return refused.message
    return run(reader, compiled, site_ids)


def assert_harmless(answers, unwanted):
    rows, folders = state(), files()
    leaks = {statement[:300]: found for statement, text in answers if (found := found_in(text, unwanted, statement))}
    assert leaks == {}
    assert state() == rows
    assert files() == folders


def views_of_everything():
    """Every open table under its own name, as a statement's own text would name it."""
    return {table.name.lower(): View(table, table.columns) for table in open_tables()}


@pytest.mark.parametrize(
    ("views", "site_ids"), [({}, None), ("all", None), ("all", (A,))], ids=["no view", "all views", "one site"]
)
def test_the_engine_alone_holds_against_raw_statements(world, reader, raw_rows, views, site_ids):
    raw = [one.statement for one in CHEAP if not NEEDS_A_PROCESS.search(one.statement)]
    # On PostgreSQL a raw statement can choose the sites for itself: that fence is the compiler's.
    keys = site_ids if connection.vendor == "sqlite" else None
    compiled = ((one, Compiled(one, {}, views and views_of_everything(), ())) for one in raw)
    assert_harmless(((one, run(reader, each, site_ids)) for one, each in compiled), world.canaries(keys))


def test_a_raw_statement_leaks_without_the_guards_of_the_engine(world, unguarded_reader, raw_rows):
    schema = {"sqlite": "main", "postgresql": "public"}[connection.vendor]
    compiled = Compiled(f"SELECT password FROM {schema}.accounts_user", {}, {}, ())
    assert found_in(run(unguarded_reader, compiled, None), world.canaries())


def test_the_compiler_holds_without_the_fences_before_it(world, reader, monkeypatch, site_ids):
    no_text_fence(monkeypatch)
    no_argument_fence(monkeypatch)
    answers = ((one.statement, answer(reader, one.statement, site_ids)) for one in CHEAP)
    assert_harmless(answers, world.canaries(site_ids))


def test_the_compiler_alone_holds_without_any_other_fence(world, unguarded_reader, monkeypatch, site_ids):
    no_text_fence(monkeypatch)
    no_argument_fence(monkeypatch)
    answers = ((one.statement, answer(unguarded_reader, one.statement, site_ids)) for one in CHEAP)
    assert_harmless(answers, world.canaries(site_ids))
