"""The first fence: characters, and tokens before anything parses them."""

import pytest

from sql_sandbox.reading.statement import read_statement
from sql_sandbox.reading.tokens import check_text
from sql_sandbox.refusals import BadSyntax, NotAllowed, Refused, TooLarge, shown
from tests.cases import each_once


@pytest.mark.parametrize(
    "text",
    ["SELECT 1", "SELECT\t1\r\n", "SELECT N'标题，。', 'Ünïcödé', '😀'", "", "SELECT 1" + " " * 8184],
)
def test_what_people_type_passes(text):
    check_text(text)


@each_once(
    ("character", "\0\x07\x1b\x7f\x85\u200b\u202e\ufeff\ue000\ud800\uffff\U000e0041"),
    ("form", ["SELECT {}1", "SELECT '{}'", "SELECT [{}]", "SELECT 1 -- {}"]),
)
def test_a_character_that_nobody_types_is_refused_everywhere(form, character):
    with pytest.raises(NotAllowed, match=f"U\\+{ord(character):04X}") as refusal:
        read_statement(form.format(character))
    assert refusal.value.message.isprintable()


def test_a_control_character_does_not_come_in_by_an_escape():
    with pytest.raises(NotAllowed, match=r"U\+0000"):
        read_statement(r"SELECT `a` FROM t WHERE b = 'x\0'")


def test_a_long_text_is_refused():
    with pytest.raises(TooLarge, match="8192 characters"):
        check_text("x" * 8193)


@pytest.mark.parametrize(
    "statement,reason",
    [
        ("SELECT " + ", ".join(["a"] * 760), "1500 words"),
        ("SELECT " + "(" * 25 + "1" + ")" * 25, "24 deep"),
        ("SELECT " + "CASE WHEN 1 = 1 THEN " * 25 + "1" + " END" * 25, "24 deep"),
        ("SELECT " + "NOT " * 9 + "a", "follow each other"),
        ("SELECT " + "- " * 1400 + "1", "follow each other"),
        ("SELECT " + "1+" * 100 + "1", "60 deep"),
        ("SELECT * FROM t WHERE " + " OR ".join(["a = 1"] * 100), "60 deep"),
    ],
)
def test_a_statement_beyond_a_size_is_refused(statement, reason):
    with pytest.raises(TooLarge, match=reason):
        read_statement(statement)


@pytest.mark.parametrize(
    "statement,reason",
    [
        ("SELECT 1; DROP TABLE siteserver_Site", "one statement"),
        ("SELECT 1;;SELECT 2", "one statement"),
        ("INSERT INTO t VALUES (1)", "not INSERT"),
        ("DROP TABLE t", "not DROP"),
        ("EXEC xp_cmdshell 'dir'", "not EXEC"),
        ("EXPLAIN SELECT 1", "not EXPLAIN"),
        ("SET x = 1", "not SET"),
        ("VALUES (1)", "not VALUES"),
        ("TABLE t", "not TABLE"),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", "DELETE is"),
        ("SELECT * INTO x FROM t", "INTO is"),
        ("SELECT a FROM t INTO OUTFILE '/tmp/x'", "INTO is"),
        ("SELECT * FROM t FOR UPDATE", "FOR UPDATE is"),
        ("SELECT * FROM t FOR XML AUTO", "FOR XML is"),
        ("SELECT * FROM t LOCK IN SHARE MODE", "LOCK is"),
        ("SELECT * FROM t CROSS APPLY (SELECT 1) x", "APPLY is"),
        ("SELECT * FROM t, LATERAL (SELECT 1) x", "LATERAL is"),
        ("SELECT * FROM a NATURAL JOIN b", "NATURAL is"),
        ("SELECT * FROM t TABLESAMPLE BERNOULLI (10)", "TABLESAMPLE is"),
        ("SELECT * FROM t PIVOT (SUM(a) FOR b IN (1)) p", "PIVOT is"),
        ("SELECT * FROM ONLY t", "ONLY is"),
        ("SELECT TOP 5 PERCENT * FROM t", "PERCENT is"),
        ("SELECT TOP 5 WITH TIES * FROM t ORDER BY a", "TIES is"),
        ("SELECT a FROM t ORDER BY a NULLS LAST", "NULLS is"),
        ("SELECT a COLLATE NOCASE FROM t", "COLLATE is"),
        ("SELECT * FROM t WHERE a = ANY (SELECT 1)", "ANY is"),
        ("SELECT COUNT(*) FILTER (WHERE a > 1) FROM t", "FILTER is"),
        ("SELECT a FROM t GROUP BY a WITH ROLLUP", "ROLLUP is"),
        ("WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x", "RECURSIVE is"),
        ("SELECT * FROM t WITH (TABLOCKX)", "after a table is"),
        ("SELECT * FROM t WITH (NOLOCK, TABLOCKX)", "after a table is"),
        ("SELECT /*! 1 */ 2", "plain comments"),
        ("SELECT /*+ INDEX(t) */ 2", "plain comments"),
        ("SELECT {# x #} 1", "plain comments"),
        ("SELECT 1 # x", "# is"),
        ("SELECT ?", "Parameters"),
        ("SELECT :x", "Parameters are not supported: :x"),
        ("SELECT @x", "Parameters"),
        ("SELECT @@version", "Parameters"),
        ("SELECT $1", r"\$1 is"),
        ("SELECT $$x$$", r"\$\$x\$\$ is"),
        ("SELECT 0x41", "0x41"),
        ("SELECT 1_000", "1_000"),
        ("SELECT x'41'", "prefix"),
        ("SELECT b'01'", "prefix"),
        ("SELECT E'x'", "prefix"),
        ("SELECT _utf8'x'", "prefix"),
        ("SELECT U&'x'", "& is"),
        ("SELECT a[1] FROM t", "Elements of lists"),
        ("SELECT {'a': 1}", "{ is"),
        ("SELECT a ~ 'x' FROM t", "~ is"),
        ("SELECT pg_sleep(5)", "function pg_sleep"),
        ("SELECT pg_catalog.pg_sleep(5)", "function pg_sleep"),
        ("SELECT load_file('/etc/passwd')", "function load_file"),
        ("SELECT * FROM generate_series(1, 10)", "function generate_series"),
        ("SELECT STRUCT(1)", "function STRUCT"),
        ("SELECT VARCHAR(10)", "function VARCHAR"),
    ],
)
def test_what_the_sandbox_does_not_have_is_refused_by_name(statement, reason):
    with pytest.raises(NotAllowed, match=reason):
        read_statement(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1;",
        "SELECT 1 -- why",
        "SELECT /* why */ 1 /* ; */ ;",
        "SELECT 1 --",
        "SELECT '; DROP TABLE t', '-- no comment', '/*! none */', 'a = ?', '{# #}'",
        "SELECT [insert], [for update], t.[select] FROM t",
        "SELECT t.Update, a AS Insert, b AS End FROM t",
        "SELECT Next, First, Rows, Range, Top, Year, Date, Format, Source, Type, Replace FROM t",
        "SELECT TOP 5 Top FROM t WHERE Top = 'True' ORDER BY Top",
        "SELECT Next FROM t ORDER BY Next OFFSET 1 ROW FETCH NEXT 5 ROWS ONLY",
    ],
)
def test_what_only_looks_like_it_passes(statement):
    read_statement(statement)


@pytest.mark.parametrize(
    "statement",
    ["", " ", ";", "SELECT (1", "SELECT 1)", "SELECT CASE WHEN 1 = 1 THEN 2", "SELECT a, FROM t", "SELECT a,, b",
     "SELECT , a", "SELECT LEN(,a)", "SELECT 1 IN (1,)", "SELECT []", "SELECT [" + "x" * 129 + "]"],
)  # fmt: skip
def test_a_broken_statement_is_bad_syntax(statement):
    with pytest.raises(BadSyntax):
        read_statement(statement)


def test_a_message_shows_a_short_piece_on_one_line():
    assert shown("a\n  b\x1b[31m") == "a b[31m"
    assert len(shown("x" * 99)) == 50
    with pytest.raises(Refused) as refusal:
        read_statement(f"SELECT {'f' * 99}(1)")
    assert "f" * 49 + "…" in refusal.value.message and "f" * 50 not in refusal.value.message
