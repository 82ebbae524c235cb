"""What is refused for its size when common tables and sub-queries are written out."""

from dataclasses import replace

import pytest

from sql_sandbox import tree
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.refusals import TooLarge
from tests.sql.running import CATALOGUE, NOW


def stacked(number, first, level):
    """Common tables l0, l1, … by their texts, put together here: reading has limits of its own."""
    texts = [first, *(level.format(n - 1) for n in range(1, number + 1))]
    tables = tuple(tree.CommonTable(f"l{n}", read_statement(text)) for n, text in enumerate(texts))
    return replace(read_statement(f"SELECT * FROM l{number}"), tables=tables)


def levels(number, item):
    """Common tables of one column x, each made of the one before."""
    return stacked(number, "SELECT Title AS x FROM siteserver_Content", f"SELECT {item} AS x FROM l{{}}")


def nested(number, item):
    """The same with derived tables."""
    query = read_statement("SELECT Title AS x FROM siteserver_Content")
    for _ in range(number):
        query = replace(read_statement(f"SELECT {item} AS x FROM t"), relation=tree.Derived(query, "t"))
    return query


def joined(number):
    """Common tables that each join the one before with itself."""
    return stacked(number, "SELECT Id FROM siteserver_Channel", "SELECT a.Id FROM l{0} a CROSS JOIN l{0} b")


def compiled(query, engine="sqlite"):
    """The compiled statement, given as a text or as a tree."""
    query = read_statement(query) if isinstance(query, str) else query
    return compile_query(query, CATALOGUE, engine, now=NOW, max_rows=100)


LONG = [f"Content AS c{n}" for n in range(17)]
TOO_LARGE = [
    (levels(7, "x+x+x+x+x+x+x+x"), "too long a text"),
    (levels(6, "x||x"), "too long a text"),
    (nested(6, "x||x"), "too long a text"),
    (levels(2, "CONCAT(x,x,x,x,x,x)"), "too long a text"),
    (levels(6, "CASE WHEN 1=1 THEN x||x ELSE 'a' END"), "too long a text"),
    (levels(6, "(SELECT x||x)"), "too long a text"),
    (levels(10, "CASE WHEN x = x AND x <> x THEN x END"), "too long when"),
    (levels(10, "LENGTH(x) + LENGTH(x) + LENGTH(x)"), "too long when"),
    (levels(2, "REPLACE(x, 'a', '123456')"), "too long a text"),
    (levels(2, "REPLACE(x, 'a', x)"), "may be long"),
    (f"SELECT REPLACE(Title, 'a', '{'b' * 40}') FROM siteserver_Content", "too long a text"),
    ("SELECT REPLACE(Title, 'a', Content) FROM siteserver_Content", "may be long"),
    ("SELECT REPLACE(Content, Content, '') FROM siteserver_Content", "may be long"),
    ("SELECT CHARINDEX('y' + LEFT(Content, 9999), Title) FROM siteserver_Content", "may be long"),
    ("SELECT CHARINDEX(y, y) FROM (SELECT UPPER(Content) AS y FROM siteserver_Content) t", "may be long"),
    ("SELECT CHARINDEX(LEFT(Content, Id), Title) FROM siteserver_Content", "may be long"),
    (joined(5), "more than 16 tables"),
    (f"SELECT {', '.join(LONG)} FROM siteserver_Content", "more than 16 long texts"),
    (f"SELECT 1 AS x FROM (SELECT {', '.join(LONG)} FROM siteserver_Content) t", "more than 16 long texts"),
    (stacked(2, "SELECT Id, (SELECT MAX(b.Id) FROM siteserver_Channel b) AS m FROM siteserver_Channel",
             "SELECT m + m + m + m AS m FROM l{}"), "more than 16 tables"),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize("text,reason", TOO_LARGE, ids=range(len(TOO_LARGE)))
def test_what_multiplies_is_too_large(text, reason, engine):
    with pytest.raises(TooLarge, match=reason):
        compiled(text, engine)


WITHIN = [
    levels(5, "x||x"),
    levels(1, "REPLACE(x, 'a', '<br>')"),
    levels(9, "UPPER(LEFT(x, 100))"),
    "SELECT REPLACE(Title, 'a', Attribute) AS t FROM siteserver_Content",
    "SELECT CHARINDEX('y' + LEFT(Content, 20), Content), CHARINDEX(Title, Content) FROM siteserver_Content",
    joined(3),
    f"SELECT {', '.join(LONG[:15])} FROM siteserver_Content",
    "SELECT a.*, b.*, c.* FROM siteserver_Content a JOIN siteserver_Content b ON a.Id = b.Id "
    "JOIN siteserver_Content c ON c.Id = b.Id ORDER BY 1, 2",
    "SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM siteserver_Content) a) b) c",
    "SELECT Title FROM siteserver_Content WHERE Id IN (" + ", ".join(map(str, range(200))) + ")",
]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize("text", WITHIN, ids=range(len(WITHIN)))
def test_honest_statements_are_within_the_limits(text, engine):
    assert compiled(text, engine).sql


def test_a_bomb_is_counted_without_being_written_out():
    # Written out, 40 ** 10 expressions would take years.
    with pytest.raises(TooLarge):
        compiled(levels(10, " + ".join(["LENGTH(x)"] * 40)))


# Operations that name an argument twice before anything is written.
DOUBLED = [
    ("NULLIF({}, 1.5)", "Id"),
    ("ABS({} BETWEEN 1 AND 1.5)", "Id"),
    ("ABS({} IN (1, 1.5))", "Id"),
]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize("outer,inner", DOUBLED)
def test_doubling_inside_an_expression_ends_soon(outer, inner, engine):
    for _ in range(20):
        inner = outer.format(inner)
    with pytest.raises(TooLarge, match="too long when"):
        compiled(f"SELECT {inner} FROM siteserver_Content", engine)


def test_an_alias_used_often_is_counted_as_often():
    item = " + ".join(["Id"] * 100)
    with pytest.raises(TooLarge):
        compiled(f"SELECT {item} AS n FROM siteserver_Content ORDER BY {' + '.join(['n'] * 99)}")


# Long texts gone through, kept or copied more often than engines bear, whose clocks stand still inside a row.
WORK = [
    " + ".join(["CHARINDEX(Title, Content)"] * 3),
    " + ".join([f"CHARINDEX('{'x' * 400}', Content)"] * 5),
    "LEN(REPLACE(Content, Title, '0')) + LEN(REPLACE(Content, Attribute, '')) + LEN(REPLACE(Content, Title, 'a'))",
    " + ".join([f"IIF(Content LIKE '%{'x' * 90}{n}%', 1, 0)" for n in range(4)]),
    " + ".join([f"IIF(Content LIKE '%{n}%', 1, 0)" for n in range(17)]),
    "COUNT(DISTINCT Content) + " + " + ".join([f"COUNT(DISTINCT Content + '{n}')" for n in range(16)]),
]


@pytest.mark.parametrize("text", WORK, ids=range(len(WORK)))
def test_work_on_long_texts_has_a_limit(text):
    with pytest.raises(TooLarge):
        compiled(f"SELECT {text} AS n FROM siteserver_Content")
    with pytest.raises(TooLarge):
        compiled(f"SELECT * FROM (SELECT {text} AS n FROM siteserver_Content) a")


def test_groups_and_windows_of_long_texts_have_a_limit():
    keys = ", ".join(f"Content + '{n}'" for n in range(17))
    for tail in (f"GROUP BY {keys}", f"ORDER BY ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY Id)"):
        with pytest.raises(TooLarge):
            compiled(f"SELECT 1 AS n FROM siteserver_Content {tail}")


def test_keywords_are_looked_for_in_bodies_of_many_contents():
    words = " OR ".join(f"Content LIKE '%{word}%'" for word in ["港口", "灯塔", "船", "harbour", "opens", "北京"] * 2)
    assert compiled(f"SELECT Id FROM siteserver_Content WHERE {words}").sql


# ---- What an engine is told to get along with

CONTENTS = "FROM siteserver_Content"
SORTS = [
    ("SELECT Id FROM siteserver_Content", 0),
    (f"SELECT DISTINCT Title {CONTENTS} GROUP BY Title ORDER BY Title", 2),
    (f"SELECT COUNT(DISTINCT Id), COUNT(DISTINCT Hits), COUNT(DISTINCT Id) + 1 {CONTENTS}", 2),
    (f"SELECT RANK() OVER (ORDER BY Id) {CONTENTS}", 2),
    (f"SELECT a.Id {CONTENTS} a JOIN siteserver_Channel b ON b.Id = a.ChannelId", 2),
    (f"SELECT Id {CONTENTS} UNION SELECT Id {CONTENTS}", 2),
    (f"SELECT Id {CONTENTS} WHERE Id IN (SELECT MAX(Id) {CONTENTS} GROUP BY ChannelId)", 2),
    (f"WITH a AS (SELECT DISTINCT Id {CONTENTS}) SELECT 1 AS n FROM a x, a y", 5),
]


@pytest.mark.parametrize("text,number", SORTS)
def test_places_that_sort_are_counted(text, number):
    assert compiled(text).sorts == number + 1  # and the order of the result


def test_places_that_sort_have_a_limit():
    items = ", ".join(f"SUM(DISTINCT {n})" for n in range(201))
    with pytest.raises(TooLarge, match="more than 200 places"):
        compiled(f"SELECT {items} {CONTENTS}")


@pytest.mark.parametrize(
    "text,may_hash",
    [
        (f"SELECT ChannelId, MAX(Hits), MIN(AddDate) {CONTENTS} GROUP BY ChannelId", True),
        (f"SELECT ChannelId, MAX(Title) {CONTENTS} GROUP BY ChannelId", False),
        (f"SELECT Id {CONTENTS} WHERE Id IN (SELECT Id {CONTENTS} EXCEPT SELECT 1)", False),
    ],
)
def test_groups_are_hashed_where_the_hash_table_can_be_bounded(text, may_hash):
    assert compiled(text).may_hash is may_hash


MEGABYTE = 1024 * 1024
LONGEST = [
    ("Content", 32),
    ("LEN(Content)", 32),
    ("LEFT(Content, 100)", 16),
    ("IIF(Content LIKE '%harbour opens%', 1, 0)", 10.6),
    (" + ".join(f"IIF(Content LIKE '%{word}%', 1, 0)" for word in ("one", "two", "three", "four")), 2.6),
    # A word that overlaps with itself is compared in full at each place of some texts.
    (f"IIF(Content LIKE '%{'a' * 50}b%', 1, 0)", 1.16),
    (f"CHARINDEX('b{'a' * 50}', Content)", 4.3),
    (f"CHARINDEX('{'The harbour opens. ' * 10}', Content)", 13.5),
    ("TRIM(Content)", 2.4),
    ("CONCAT(Content, Title, ' ', Title, ' ', Title)", 5.3),
]


@pytest.mark.parametrize("value,megabytes", LONGEST)
def test_the_more_a_statement_does_with_long_texts_the_shorter_they_may_be(value, megabytes):
    longest = compiled(f"SELECT {value} AS v {CONTENTS}").longest_text
    assert longest / MEGABYTE == pytest.approx(megabytes, rel=0.05)


def test_whatever_is_accepted_reads_texts_of_some_length():
    words = " OR ".join(["Content LIKE '%a%'"] * 16)
    assert compiled(f"SELECT Id {CONTENTS} WHERE {words}").longest_text > 600_000
    with pytest.raises(TooLarge):
        compiled(f"SELECT Id {CONTENTS} WHERE {words} OR Content LIKE '%b%'")
