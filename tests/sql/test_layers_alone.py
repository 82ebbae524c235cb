"""Each fence of the sandbox holds without the others: whichever are taken away, nothing leaks, nothing is written."""

import logging
import re
import sys
import time
from datetime import datetime
from itertools import islice
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from sqlglot.errors import TokenError

from cms_api.sql_endpoint.catalogue import CONTENTS, SQLITE_FUNCTIONS
from cms_api.sql_endpoint.postgresql_views import SCHEMA
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from cms_api.sql_endpoint.role_check import verify_reader
from sql_sandbox.catalogue import Catalogue, View
from sql_sandbox.compiled import Answer, Compiled, Limits
from sql_sandbox.compiling import alphabet
from sql_sandbox.compiling.operations import ENGINES
from sql_sandbox.compiling.sqlite_functions import FUNCTIONS
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading import statement
from sql_sandbox.reading.functions import NAMES
from sql_sandbox.reading.grammar import BacktickSql, StrangersSql
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.reading.tokens import check_text, check_tokens
from sql_sandbox.refusals import Refused
from sql_sandbox.running import postgresql_reader, sqlite_reader
from sql_sandbox.running.messages import Configuration, Request
from sql_sandbox.running.postgresql_reader import PostgresqlReader
from sql_sandbox.running.process_pool import Box
from sql_sandbox.running.sqlite_reader import SQLiteGuard, SqliteReader
from tests.sql import corpus
from tests.sql.alphabet import find_faults
from tests.sql.world import A, B, C, files, found_in, state

pytestmark = [pytest.mark.django_db, pytest.mark.large]
ROOT = Path(__file__).resolve().parents[2]
ATTACKS = corpus.read_attacks(corpus.OWN)
DENIED = [one for one in ATTACKS if one.expect == "deny"]
# What only takes all the time there is, or all the memory.
COSTLY = [one for one in ATTACKS if one.category in {"bomb", "growth", "quadratic", "work"}]
CHEAP = [one for one in ATTACKS if one not in COSTLY]
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


def cheap_for(site_ids):
    """All of them with a key of one site, from which most is hidden; every fourth with a key of all sites."""
    return CHEAP if site_ids else CHEAP[::4]


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
    caplog.set_level(logging.CRITICAL, "sql_sandbox")  # each denial is logged

    def shape(rows, columns, limits):
        return Answer(repr(list(islice(rows, 100))).encode())

    for module in (sqlite_reader, postgresql_reader):
        monkeypatch.setattr(module, "shape_rows", shape)


def no_text_fence(monkeypatch):
    """Whatever its size, characters and words, a text goes to the parser."""
    monkeypatch.setattr(statement, "check_text", lambda text: None)
    monkeypatch.setattr(statement, "check_tokens", lambda text, tokens, functions: list(tokens))


def no_argument_fence(monkeypatch):
    """A construct may have arguments that nobody has looked at."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sql_sandbox.") and hasattr(module, "check_filled"):
            monkeypatch.setattr(module, "check_filled", lambda node, *arguments: None)


def compile_statement(statement, site_ids):
    """The statement in the engine's SQL. Raises Refused."""
    named = {"siteserver_content_1": (A,), "model_content": (B, C)}
    catalogue = Catalogue.of(open_tables(), site_ids, CONTENTS, named)
    now = datetime(2026, 1, 1)
    return compile_query(read_statement(statement), catalogue, connection.vendor, now=now, max_rows=LIMITS.rows)


def run(reader, compiled, site_ids, seconds=SECONDS):
    """The rows as text, or why there are none."""
    try:
        return reader.run(compiled, site_ids, time.monotonic() + seconds, LIMITS).rows.decode()
    except Refused as refused:
        return f"{refused.code}: {refused.message}"
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
    """Nothing leaks, nothing is written; the answers, made here, are returned."""
    rows, folders = state(), files()
    answers = list(answers)
    leaks = {statement[:300]: found for statement, text in answers if (found := found_in(text, unwanted, statement))}
    assert leaks == {}
    assert state() == rows
    assert files() == folders
    return answers


def views_of_everything():
    """Every open table under its own name, as a statement's own text would name it."""
    # PostgreSQL reads names without quotes in lower case; SQLite's authorizer is asked with the statement's spelling.
    spell = str if connection.vendor == "sqlite" else str.lower
    return {spell(table.name): View(table, table.columns) for table in open_tables()}


# ---- The text: its characters, then its words


def refuses(check, *arguments):
    """Whether the fence refuses."""
    try:
        check(*arguments)
    except (Refused, TokenError):
        return True
    return False


def refuses_tokens(statement):
    """Whether the fence of words refuses the statement in either quoting."""

    def check(dialect):
        check_tokens(statement, dialect.tokenizer_class(dialect).tokenize(statement), NAMES)

    return refuses(check, StrangersSql) and refuses(check, BacktickSql)


def share(category, refuses_one):
    """Which part of the category's attacks a fence refuses."""
    statements = [one.statement for one in DENIED if one.category == category]
    return sum(map(refuses_one, statements)) / len(statements)


def test_the_fence_of_characters_alone_refuses_what_nobody_types_and_what_is_too_long():
    closed = [
        one
        for one in DENIED
        if len(one.statement) > 8192
        or re.search(
            "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", one.statement
        )
    ]
    assert len(closed) > 10
    assert [one.line for one in closed if not refuses(check_text, one.statement)] == []


@pytest.mark.parametrize(
    ("category", "least"),
    [("stacked", 1), ("write", 1), ("command", 0.9), ("placeholder", 0.9), ("unicode", 0.85),
     ("function", 0.75), ("lock", 0.75), ("text", 0.75)],
)  # fmt: skip
def test_the_fence_of_words_alone_refuses_most_of_what_is_no_plain_select(category, least):
    assert share(category, refuses_tokens) >= least


# ---- The arguments that the reading checks


def test_without_its_check_of_arguments_nothing_leaks_or_leaves_the_alphabet(world, reader, monkeypatch, site_ids):
    attacks = cheap_for(site_ids)
    before = sum(refuses(compile_statement, one.statement, site_ids) for one in attacks)
    no_argument_fence(monkeypatch)
    assert sum(refuses(compile_statement, one.statement, site_ids) for one in attacks) < before, "the check is on"
    faults = []

    def answers():
        for one in attacks:
            try:
                compiled = compile_statement(one.statement, site_ids)
            except Refused as refused:
                yield one.statement, refused.message
                continue
            faults.extend(find_faults(compiled))
            yield one.statement, run(reader, compiled, site_ids)

    assert any(text.startswith("[{") for _, text in assert_harmless(answers(), world.canaries(site_ids)))
    assert faults == []


# ---- The alphabet

# Numbers, signs and keywords: these name nothing that could be read.
_NAMELESS = {
    "SELECT 9 ** 999999", "SELECT 1 << 62", "SELECT UPPER()", "SELECT 1 - -1", "SELECT :p1", "SELECT * FROM :p1",
    "SELECT * FROM []", "SELECT", "()", "1",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_the_alphabet_alone_refuses_every_raw_statement_that_names_something(engine):
    columns = {column.name.lower() for table in open_tables() for column in table.columns}
    passed = set()
    for one in ATTACKS:
        try:
            alphabet.check(one.statement, ENGINES[engine], columns)
        except AssertionError:
            continue
        passed.add(one)
    # What is only long or deep is made of the alphabet, too; it reads nothing.
    assert {one.statement for one in passed if one.category not in {"text", "exponential"}} <= _NAMELESS
    assert [one.line for one in passed if one.category in {"text", "exponential"} and " FROM " in one.statement] == []


# ---- The engine


@pytest.mark.parametrize(
    ("views", "site_ids"), [({}, None), ("all", None), ("all", (A,))], ids=["no view", "all views", "one site"]
)
def test_the_engine_alone_holds_against_raw_statements(world, reader, raw_rows, views, site_ids):
    if site_ids and connection.vendor == "postgresql":
        pytest.skip("a raw statement can choose the sites for itself: that fence is the compiler's")
    raw = [one.statement for one in CHEAP if not NEEDS_A_PROCESS.search(one.statement)]
    if not views or site_ids:  # the case of all views and sites has every statement
        raw = raw[::4]
    laid = views and views_of_everything()
    answers = assert_harmless(
        ((one, run(reader, Compiled(one, {}, laid, ()), site_ids)) for one in raw), world.canaries(site_ids)
    )
    if views:  # what is open can be read, so that the others were not refused for some other reason
        assert sum(text.startswith("[(") for _, text in answers) > len(raw) / 25


# One step of the engine, during which it looks at no clock, takes all the memory or time it gets.
ONE_STEP = re.compile(r"\bREPLACE\(REPLACE|\d{7}")


def test_the_engine_alone_ends_raw_statements_that_would_run_on(world, reader, raw_rows):
    views, raw = views_of_everything(), [one.statement for one in COSTLY if not ONE_STEP.search(one.statement)]
    answers = assert_harmless(
        ((one, run(reader, Compiled(one, {}, views, ()), None, 0.1)) for one in raw), world.canaries()
    )
    assert sum(text.startswith("sql_timeout") for _, text in answers) >= 5


def test_a_raw_statement_leaks_without_the_guards_of_the_engine(world, unguarded_reader, raw_rows):
    schema = {"sqlite": "main", "postgresql": "public"}[connection.vendor]
    compiled = Compiled(f"SELECT password FROM {schema}.accounts_user", {}, {}, ())
    assert found_in(run(unguarded_reader, compiled, None), world.canaries())


# ---- The compiler


def test_the_compiler_holds_without_the_fences_before_it(world, reader, monkeypatch, site_ids):
    no_text_fence(monkeypatch)
    no_argument_fence(monkeypatch)
    answers = ((one.statement, answer(reader, one.statement, site_ids)) for one in cheap_for(site_ids))
    assert any(text.startswith("[{") for _, text in assert_harmless(answers, world.canaries(site_ids)))


def test_the_compiler_alone_holds_without_any_other_fence(world, unguarded_reader, monkeypatch, site_ids):
    no_text_fence(monkeypatch)
    no_argument_fence(monkeypatch)
    monkeypatch.setattr(alphabet, "check", lambda *_: None)
    answers = ((one.statement, answer(unguarded_reader, one.statement, site_ids)) for one in cheap_for(site_ids))
    assert any(text.startswith("[{") for _, text in assert_harmless(answers, world.canaries(site_ids)))


# ---- The process


@pytest.fixture
def bare_box():
    """A box whose children carry out any SQL, and Python, with no fence but those of a process."""
    limits = Limits(seconds=SECONDS)
    box = Box(
        [sys.executable, "-m", "tests.sql.bare_child"], Configuration({"engine": "bare"}, (), limits=limits), 1, ROOT
    )
    yield box
    box.close()


def ask_bare(box, statement):
    """What comes of the statement: its rows, or the code of a refusal, or that it failed inside the child."""
    try:
        return box.run(Request(statement, datetime(2026, 1, 1))).rows.decode()
    except Refused as refused:
        return refused.code
    except RuntimeError:
        return "error"


_ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT {} FROM r) SELECT {} FROM r"


@pytest.mark.parametrize(
    ("bomb", "codes"),
    [
        (_ENDLESS.format("x + 1", "COUNT(*)"), {"sql_timeout"}),
        # A step of its own, which never comes back to where a clock is looked at.
        ("SELECT catastrophe('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')", {"sql_timeout"}),
        ("SELECT forever()", {"sql_timeout"}),
        ("SELECT deaf()", {"sql_timeout"}),
        # Memory, in one piece and in many, and a file of a sort.
        ("SELECT swallow(2000000000)", {"sql_too_large", "sql_failed", "sql_timeout"}),
        (_ENDLESS.format("zeroblob(10000000)", "keep(x)"), {"sql_too_large", "sql_failed", "sql_timeout"}),
        (_ENDLESS.format("x + 1", "x") + " ORDER BY hex(x) || hex(zeroblob(2000))", {"error", "sql_timeout"}),
        ("SELECT die()", {"sql_failed", "sql_timeout"}),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_the_process_alone_ends_bombs_and_the_next_statement_runs(bare_box, bomb, codes):
    assert ask_bare(bare_box, bomb) in codes
    # The time is short, and the machine may be busy.
    answers = (ask_bare(bare_box, "SELECT 2 AS n") for _ in range(20))
    assert next(one for one in answers if one != "sql_timeout") == '[{"n":2}]'
