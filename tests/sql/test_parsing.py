"""The second fence: one SELECT, in the quoting that the text tells, in linear time."""

import logging
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sql_sandbox.reading.functions import NAMES
from sql_sandbox.reading.grammar import KEYWORDS, OPERATORS, BacktickSql, StrangersSql
from sql_sandbox.reading.statement import parse_statement, read_statement
from sql_sandbox.refusals import BadSyntax, NotAllowed, Refused
from sql_sandbox.tree import ColumnName, Literal, TableName


@pytest.mark.parametrize(
    "statement,item,table",
    [
        ("SELECT Id FROM t", ColumnName("Id"), "t"),
        ("SELECT [a b] FROM [dbo].[t]", ColumnName("a b"), "t"),
        ('SELECT "a ""b" FROM "t"', ColumnName('a "b'), "t"),
        ("SELECT [a]]b]FROM[t]", ColumnName("a]b"), "t"),
        ("SELECT `a``b` FROM `t`", ColumnName("a`b"), "t"),
        ('SELECT "x" FROM `t`', Literal("x"), "t"),
        ('SELECT "it\\\'s" FROM `t`', Literal("it's"), "t"),
        ("SELECT 'it''s' FROM t", Literal("it's"), "t"),
        ("SELECT 'it\\'s' FROM t", Literal("it's"), "t"),  # closed by MySQL's rules only
        ("SELECT 'C:\\' FROM t", Literal("C:\\"), "t"),  # closed by everybody else's
        ("SELECT 'a`b' FROM [t]", Literal("a`b"), "t"),
        ("SELECT N'标题' FROM t", Literal("标题"), "t"),
        ("SELECT '' FROM t", Literal(""), "t"),
    ],
)
def test_the_text_tells_its_quoting(statement, item, table):
    query = read_statement(statement)
    assert query.items[0].expression == item
    assert query.relation == TableName(table)


@pytest.mark.parametrize(
    "statement,reason",
    [
        ("SELECT * FORM t", "near t, line 1, column 15"),
        ("SELECT a FROM t\nWHERE", "near WHERE, line 2"),
        ("SELECT a FROM t WHERE a = 1 b c", "near b"),
        ("SELECT 'abc", "quote"),
        ("SELECT [abc", "quote"),
        ("SELECT a FROM t WHERE a = 1 WHERE b = 2", "WHERE"),
        ("SELECT CAST(a INT) FROM t", "near INT"),
        ("SELECT CAST(a AS INT b) FROM t", "near b"),
        ("SELECT CONVERT(a USING utf8) FROM t", "near USING"),
        ("SELECT EXTRACT(YEAR, a) FROM t", "near ,"),
        ("SELECT * FROM a JOIN b JOIN c ON 1 = 1 ON 2 = 2", "near ON"),
        ("SELECT (SELECT) FROM t", "no columns"),
        ("WITH x (SELECT 1) SELECT 1", "function x|cannot be read"),
    ],
)
def test_a_mistake_is_told_with_its_place(statement, reason):
    with pytest.raises(Refused, match=reason) as refusal:
        read_statement(statement)
    assert refusal.value.message.isprintable()


def test_another_quoting_is_not_tried_after_a_refusal():
    with pytest.raises(NotAllowed, match="pg_sleep"):
        read_statement("SELECT pg_sleep('\\')")


def test_the_first_reading_of_a_mistake_is_told():
    with pytest.raises(BadSyntax, match="near t"):
        read_statement('SELECT * FORM t WHERE a = "x"')


def test_a_refused_statement_is_not_logged(caplog):
    with caplog.at_level(logging.DEBUG), pytest.raises(Refused):
        read_statement("SELECT a FROM t START WITH secret = 1 CONNECT BY PRIOR a = b")
    assert caplog.text == ""


def test_no_statement_changes_the_grammar():
    grammar = StrangersSql.parser_class
    before = {name: set(table) for name, table in vars(grammar).items() if isinstance(table, dict)}
    for statement in ("SELECT a FROM t START WITH a = 1 CONNECT BY PRIOR a = b", "SELECT PRIOR a FROM t"):
        with suppress(Refused):
            parse_statement(statement)
    assert {name: set(table) for name, table in vars(grammar).items() if isinstance(table, dict)} == before


def test_both_quotings_share_the_grammar():
    assert BacktickSql.parser_class is StrangersSql.parser_class


def nested(before: str, after: str, core: str, depth: int) -> str:
    return "SELECT " + before * depth + core + after * depth


# Each takes sqlglot's own parsers, or a careless reading, time that doubles with the depth, or their stack.
BOMBS = [
    nested("STRUCT(", ")", "1", 24),
    nested("ARRAY[", "]", "1", 24),
    nested("MAP(", ")", "1", 24),
    nested("(SELECT ", ")", "1", 24),
    nested("EXISTS (SELECT ", ")", "1", 24),
    nested("1 LIMIT (SELECT ", ")", "1", 24),
    nested("a FROM t LIMIT (SELECT ", ")", "1", 24),
    nested("* FROM (SELECT ", ")", "1", 24),
    nested("* FROM (t JOIN ", " ON 1 = 1)", "t", 24),
    nested("a IN (SELECT ", ")", "1", 24),
    nested("NOT NOT NOT NOT NOT NOT NOT NOT (", ")", "1", 24),
    nested("- - - - - - - - (", ")", "a", 24),
    nested("(1, ", ")", "1", 24),
    nested("WITH x AS (SELECT ", ") SELECT 1", "1", 20),
    nested("INTERVAL ", "", "1", 1400),
    nested("DATE ", "", "'x'", 1400),
    nested("NOT ", "", "1", 1400),
    nested("CASE ", "", "1", 1400),
    "SELECT " * 1400,
    "WITH " * 1400,
    "SELECT 1" + " + 1" * 700,
    "SELECT 1" + " || 1" * 700,
    "SELECT 1" + " = 1" * 700,
    "SELECT a" + "::int" * 700,
    "SELECT a" + " IS NULL" * 700,
    "SELECT a" + " NOT IN (1)" * 300,
    "SELECT a" + ".a" * 700,
    "SELECT * FROM t" + " JOIN t" * 700,
    "SELECT * FROM t" + " JOIN t" * 300 + " ON 1 = 1" * 150,
    "SELECT * FROM t" + " NATURAL JOIN t" * 400,
    "SELECT * FROM t" + " CROSS APPLY t" * 400,
    "SELECT * FROM t" + ", t" * 700,
    "SELECT 1" + " UNION SELECT 1" * 400,
    "SELECT 1" + " UNION SELECT 1 INTERSECT SELECT 1" * 200,
    "WITH " + ", ".join(f"x{number} AS (SELECT 1)" for number in range(180)) + " SELECT 1",
    "SELECT '" + "\\" * 8001,
    "SELECT " + "'" * 8001,
    "SELECT " + "/*" * 4000,
    "SELECT " + "/" * 8000,
    "`" * 8191,
    "[" * 8000,
    "GROUP " * 1300,
    ("GROUP" + " " * 30) * 230,
    "SELECT " + "9" * 8000,
    "SELECT 1e" + "9" * 8000,
    "SELECT CAST(a AS VARCHAR(" + "9" * 5000 + "))",
    "SELECT CAST(a AS VARCHAR(" + "1, " * 400 + "1))",
    "SELECT a FROM t LIMIT " + "9" * 5000,
    "SELECT a LIKE '" + "%_" * 4000 + "'",
    "SELECT DATE_FORMAT(a, '" + "%Y" * 4000 + "')",
    "SELECT JSON_VALUE(a, '$" + ".a" * 4000 + "')",
]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: f"{bomb[:30]}… {len(bomb)}")
def test_a_bomb_is_refused(bomb):
    with pytest.raises(Refused) as refusal:
        read_statement(bomb)
    assert len(refusal.value.message) < 250


@pytest.mark.parametrize(
    "before,after,core",
    [
        ("DATE(", ")", "'now'"),
        ("ABS(", ")", "1"),
        ("(", ")", "1"),
        ("CAST(", " AS DATE)", "a"),
        ("CONVERT(INT, ", ")", "a"),
        ("EXTRACT(DAY FROM ", ")", "a"),
        ("POSITION('a' IN ", ")", "a"),
        ("CASE WHEN 1 = 1 THEN ", " END", "1"),
    ],
)
def test_nesting_within_the_limit_is_read_once(before, after, core):
    # With a reading that tries each level twice, this test would not end.
    read_statement(nested(before, after, core, 24))


WORDS = [
    *KEYWORDS, *OPERATORS, *NAMES, *"+-*/%=<>().,;[]{}`'\"#?:@$!&|^~\\",
    "a", "t", "dbo", "1", "1.5", ".5", "1e5", "'x'", "N'x'", "[a]", "`a`", '"a"', "day", "'7 days'", "MAX", "INT",
    "VARCHAR(10)", "ROW", "ONLY", "FOR", "UPDATE", "NULLS", "AT", "TIME", "ZONE", "WITHIN", "GROUP", "UNBOUNDED",
    "PRECEDING", "CURRENT", "PER", "START", "BY", "NAME", "IGNORE", "DIRECTED", "SYMMETRIC", "--", "/*", "*/", "\n",
]  # fmt: skip


def reads_or_refuses(statement: str) -> None:
    try:
        read_statement(statement)
    except Refused as refusal:
        assert refusal.message.isprintable() and len(refusal.message) < 250


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
@example(["-", ".5", ".5", "1"])
@example([".5.5"])
def test_a_soup_of_words_is_read_or_refused(words):
    reads_or_refuses("SELECT " + " ".join(words))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    reads_or_refuses(text)
    reads_or_refuses("SELECT " + text)
