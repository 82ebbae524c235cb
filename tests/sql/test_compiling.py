"""Names, relations, groups, order and windows of rows: the same answers on both engines, and what is refused."""

import re

import pytest

from sql_sandbox import tree
from sql_sandbox.catalogue import Catalogue, Column, Table, ValueKind
from sql_sandbox.compiling import alphabet
from sql_sandbox.compiling.operations import ENGINES
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.refusals import NotAllowed
from tests.sql.running import CATALOGUE, CHANNEL, CONTENT, ENGINE_NAMES, NOW, answer, compiled, opened


@pytest.fixture(scope="module", params=ENGINE_NAMES)
def engine(request):
    """A database with five contents and three channels."""
    with opened(request.param) as database:
        yield database


C, H = "siteserver_Content", "siteserver_Channel"

ANSWERS = [
    # Names
    (f"SELECT iD, c.TITLE FROM {C.upper()} c WHERE C.id = 1", [(1, "Alpha")]),
    (f"SELECT * FROM {H} WHERE Id = 10", [(10, "News", 1)]),
    (f"SELECT h.*, 1 FROM {H} h WHERE Id = 10", [(10, "News", 1, 1)]),
    ("SELECT COUNT(*) FROM model_content", [(3,)]),
    ("SELECT 1", [(1,)]),
    ("SELECT 'it''s' AS a, NULL AS b, TRUE AS c, 1.5 AS d", [("it's", None, True, 1.5)]),
    ("SELECT 1 WHERE 1 = 2", []),
    ("SELECT NULL AS n UNION SELECT NULL", [(None,)]),
    (f"SELECT TOP 1 AddDate FROM {C} ORDER BY AddDate DESC", [("2024-02-29 00:00:00",)]),
    # Joins
    (
        f"SELECT c.Id, h.ChannelName FROM {C} c JOIN {H} h ON c.ChannelId = h.Id ORDER BY c.Id",
        [(1, "News"), (2, "News"), (3, "Äther"), (4, "Äther")],
    ),
    (f"SELECT c.Id, h.Id FROM {C} c, {H} h WHERE c.ChannelId = h.Id AND c.Id = 1", [(1, 10)]),
    (f"SELECT COUNT(*) FROM {C} c CROSS JOIN {H} h", [(15,)]),
    (f"SELECT c.Id FROM {C} c LEFT JOIN {H} h ON c.ChannelId = h.Id WHERE h.Id IS NULL", [(5,)]),
    (f"SELECT h.Id FROM {C} c RIGHT JOIN {H} h ON c.ChannelId = h.Id WHERE c.Id IS NULL", [(30,)]),
    (f"SELECT COUNT(*) FROM {C} c FULL JOIN {H} h ON c.ChannelId = h.Id", [(6,)]),
    (f"SELECT COUNT(*) FROM {C} c FULL JOIN {H} h ON h.Id = c.ChannelId AND c.Id > 1", [(6,)]),
    (f"SELECT COUNT(*) FROM {C} c FULL JOIN {H} h ON 1 = 0", [(8,)]),
    (f"SELECT * FROM {H} a JOIN {H} b USING (Id) WHERE Id = 10", [(10, "News", 1, "News", 1)]),
    (
        "SELECT Id FROM (SELECT 1 AS Id) a FULL JOIN (SELECT 2 AS id) b USING (Id) ORDER BY Id",
        [(1,), (2,)],
    ),
    (f"SELECT a.Id FROM {H} a JOIN {H} b ON a.Id = b.ParentId", [(10,)]),
    (
        f"SELECT COUNT(*) FROM {C} c LEFT JOIN {H} h ON c.ChannelId = h.Id AND h.ChannelName LIKE 'n%'",
        [(5,)],
    ),
    # Common tables and derived ones
    (f"WITH {H} AS (SELECT Id, 'mine' AS ChannelName FROM {H}) SELECT MAX(ChannelName) FROM {H}", [("mine",)]),
    ("WITH a AS (SELECT 1 AS x), b (y) AS (SELECT x + 1 FROM a) SELECT a.x, b.y FROM a, b", [(1, 2)]),
    ("WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH b AS (SELECT x FROM a) SELECT x FROM b) t", [(1,)]),
    ("WITH a AS (SELECT 1 AS x) SELECT (SELECT x FROM a), EXISTS (SELECT 1 FROM a WHERE x = 2)", [(1, False)]),
    ("WITH a AS (SELECT 1 AS x) SELECT * FROM a WHERE x IN (WITH a AS (SELECT 2 AS x) SELECT x FROM a)", []),
    (f"SELECT t.n FROM (SELECT Title, Id AS n FROM {C} WHERE Id < 3) t ORDER BY t.n DESC", [(2,), (1,)]),
    (f"SELECT x, y FROM (SELECT Id, Title FROM {C} WHERE Id = 1) t (x, y)", [(1, "Alpha")]),
    # Queries inside expressions
    (
        f"SELECT h.Id, (SELECT COUNT(*) FROM {C} c WHERE c.ChannelId = h.Id) AS n FROM {H} h ORDER BY h.Id",
        [(10, 2), (20, 2), (30, 0)],
    ),
    (f"SELECT (SELECT Title FROM {C} ORDER BY Id DESC LIMIT 3 OFFSET 3)", [("beta",)]),
    (f"SELECT (SELECT Id FROM {C} WHERE Id > 99)", [(None,)]),
    (f"SELECT (SELECT c.Id FROM {C} c WHERE c.ChannelId = h.Id ORDER BY c.Id DESC) FROM {H} h WHERE Id = 20", [(4,)]),
    (
        f"SELECT Id FROM {H} h WHERE EXISTS (SELECT * FROM {C} WHERE ChannelId = h.Id AND IsTop = 1) ORDER BY 1",
        [(10,), (20,)],
    ),
    (f"SELECT Id FROM {H} h WHERE NOT EXISTS (SELECT 1 FROM {C} c WHERE c.ChannelId = h.Id)", [(30,)]),
    (f"SELECT Id FROM {H} WHERE Id IN (SELECT ChannelId FROM {C}) ORDER BY Id", [(10,), (20,)]),
    (f"SELECT Id FROM {H} WHERE '10' IN (SELECT ChannelId FROM {C}) AND Id = 30", [(30,)]),
    (f"SELECT Id FROM {C} WHERE Attribute IN (SELECT Id + 6 FROM {C})", [(1,)]),
    (f"SELECT Id FROM {C} WHERE Hits IN (SELECT Attribute FROM {C}) OR Id IN ('1', '2') ORDER BY Id", [(1,), (2,)]),
    (f"SELECT Id FROM {C} WHERE Id IN (SELECT DISTINCT Title FROM {C} LIMIT 2)", []),
    (
        f"SELECT Id FROM {H} h WHERE Id = (SELECT MAX(n) FROM (SELECT c.ChannelId AS n FROM {C} c"
        " WHERE c.ChannelId = h.Id) t) ORDER BY Id",
        [(10,), (20,)],
    ),
    # Groups
    (
        f"SELECT ChannelId, COUNT(*) AS n FROM {C} GROUP BY ChannelId HAVING COUNT(*) > 1 ORDER BY n, 1",
        [(10, 2), (20, 2)],
    ),
    (f"SELECT SUBSTRING(Title, 1, 1) AS s, COUNT(*) FROM {C} GROUP BY SUBSTRING(Title, 1, 1) HAVING s = 'A'",
     [("A", 1)]),
    (f"SELECT IsTop AS flag, SUM(Hits) FROM {C} GROUP BY flag ORDER BY flag", [("False", 2147483640), ("True", 5)]),
    (f"SELECT YEAR(AddDate) AS y, COUNT(*) FROM {C} WHERE Id < 4 GROUP BY 1 ORDER BY 1", [(2023, 1), (2024, 2)]),
    (f"SELECT MAX(Hits) - MIN(Hits) AS span FROM {C} WHERE Id < 4", [(12,)]),
    (f"SELECT ChannelId + 1, (ChannelId + 1) * 2 FROM {C} WHERE Id = 1 GROUP BY ChannelId + 1", [(11, 22)]),
    (f"SELECT ChannelId FROM {C} WHERE Id < 4 GROUP BY ChannelId ORDER BY MIN(Hits)", [(20,), (10,)]),
    (
        f"SELECT ChannelId, SUM(COUNT(*)) OVER (ORDER BY ChannelId) FROM {C} WHERE Id < 5 GROUP BY ChannelId"
        " ORDER BY 1",
        [(10, 2), (20, 4)],
    ),
    (
        f"SELECT h.ChannelName, (SELECT COUNT(*) FROM {C} c WHERE c.ChannelId = h.Id) FROM {H} h"
        " GROUP BY h.Id, h.ChannelName ORDER BY h.Id",
        [("News", 2), ("Äther", 2), ("Empty", 0)],
    ),
    ("SELECT COUNT(*) FROM siteserver_Content HAVING COUNT(*) > 100", []),
    (f"SELECT SUM(n) FROM (SELECT Id AS n FROM {H} ORDER BY ChannelName) t", [(60,)]),
    (f"SELECT ChannelId AS c, MAX(Hits) FROM {C} WHERE Id < 4 GROUP BY 1 ORDER BY c", [(10, 5), (20, -7)]),
    (f"SELECT 'x' AS k, COUNT(*) FROM {C} GROUP BY k", [("x", 5)]),
    (f"SELECT Id FROM {H} h GROUP BY Id HAVING EXISTS (SELECT 1 FROM {C} UNION SELECT h.Id) ORDER BY 1",
     [(10,), (20,), (30,)]),
    # Order: NULL first, texts by code points
    (f"SELECT Title FROM {C} ORDER BY Title",
     [("",), ("Alpha",), ("_under!score\\",), ("beta",), ("Änderung 100%",)]),
    (f"SELECT Hits FROM {C} ORDER BY Hits", [(None,), (-7,), (0,), (5,), (2147483647,)]),
    (f"SELECT Id FROM {C} ORDER BY Hits DESC, Id", [(5,), (1,), (2,), (3,), (4,)]),
    (f"SELECT Id AS Hits FROM {C} ORDER BY Hits LIMIT 2", [(1,), (2,)]),
    (f"SELECT -Id AS n FROM {C} ORDER BY n + 0, Title LIMIT 1", [(-5,)]),
    (f"SELECT Title FROM {C} ORDER BY 0 - Id LIMIT 2", [("",), ("_under!score\\",)]),
    (f"SELECT DISTINCT IsTop FROM {C} ORDER BY IsTop DESC", [("True",), ("False",)]),
    (f"SELECT Id FROM {C} ORDER BY Id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY", [(2,), (3,)]),
    (f"SELECT Id FROM {C} ORDER BY Id LIMIT 1, 2", [(2,), (3,)]),
    (f"SELECT COUNT(*) FROM (SELECT Id FROM {C} ORDER BY Id OFFSET 3) t", [(2,)]),
    (f"SELECT SUM(Id) FROM (SELECT Id FROM {C} ORDER BY Id DESC LIMIT 2) t", [(9,)]),
    # Set operations
    (f"SELECT Id FROM {H} UNION SELECT Id FROM {H} ORDER BY Id", [(10,), (20,), (30,)]),
    (f"SELECT Id FROM {H} UNION ALL SELECT '7' ORDER BY 1 DESC LIMIT 1", [(30,)]),
    (f"SELECT Id AS x FROM {H} UNION SELECT 'a' UNION SELECT NULL ORDER BY x",
     [(None,), ("10",), ("20",), ("30",), ("a",)]),
    (f"SELECT AddDate FROM {C} WHERE Id = 2 UNION ALL SELECT '2020-01-02' ORDER BY 1",
     [("2020-01-02 00:00:00",), ("2024-02-29 00:00:00",)]),
    (f"SELECT Id FROM {H} EXCEPT SELECT ChannelId FROM {C}", [(30,)]),
    (f"SELECT Id FROM {H} INTERSECT SELECT ChannelId FROM {C} ORDER BY Id", [(10,), (20,)]),
    ("(SELECT 1 AS x UNION SELECT 2) INTERSECT SELECT 2", [(2,)]),
    ("SELECT 1 AS x UNION SELECT 2 INTERSECT SELECT 2 ORDER BY x", [(1,), (2,)]),
    (f"(SELECT Id FROM {H} ORDER BY Id LIMIT 1) UNION ALL (SELECT Id FROM {H} ORDER BY Id DESC LIMIT 1) ORDER BY 1",
     [(10,), (30,)]),
    (f"SELECT COUNT(*) FROM (SELECT DISTINCT IsTop FROM {C} UNION SELECT 1.5) t", [(3,)]),
    (f"SELECT Hits FROM {C} WHERE Id = 1 UNION ALL SELECT Price FROM {C} WHERE Id = 1 ORDER BY 1", [(1.5,), (5,)]),
    # Values of the client stay values
    ("SELECT '\"; DROP TABLE x; --' AS a, '/*' AS b, '%s %(p1)s :p1' AS c",
     [('"; DROP TABLE x; --', "/*", "%s %(p1)s :p1")]),
    (f"SELECT Id % 10 AS m FROM {C} WHERE Id % 2 = 0 AND Title LIKE '%' ORDER BY 1", [(2,), (4,)]),
]  # fmt: skip


@pytest.mark.parametrize("text,expected", ANSWERS, ids=range(len(ANSWERS)))
def test_statements_have_the_same_rows_on_both_engines(engine, text, expected):
    assert answer(engine, text) == expected


REFUSED = [
    ("SELECT 1 FROM sqlite_master", "Table sqlite_master is not open to statements."),
    ("SELECT 1 FROM siteserver_Contents", "siteserver_Contents is not open to statements; siteserver_Content is."),
    ("SELECT 1 FROM v1", "Table v1 is not open"),
    (f"SELECT Titel FROM {C}", "Column Titel is not in siteserver_Content; Title is."),
    (f"SELECT x.Titel FROM {C} x", "Column Titel is not in x; Title is."),
    (f"SELECT site_id FROM {C}", "Column site_id is not in siteserver_Content; JSON_VALUE reads custom fields."),
    (f"SELECT y.Title FROM {C} x", "y is not a table or an alias of the query."),
    (f"SELECT {C}.Title FROM {C} x", "siteserver_Content is not a table or an alias"),
    (f"SELECT y.* FROM {C} x", "y is not a table or an alias"),
    ("SELECT Title", "Column Title is not known; the query reads no table."),
    ("SELECT *", "* needs a table"),
    (f"SELECT Id FROM {C} a JOIN {H} b ON a.ChannelId = b.Id", "Column Id is in both a and b; qualify it"),
    (f"SELECT 1 FROM {C} JOIN {C} ON 1 = 1", "Two relations are named siteserver_Content"),
    (f"SELECT Id FROM (SELECT Id, ParentId AS id FROM {H}) t", "t has more than one column Id."),
    (f"SELECT 1 FROM {C} a JOIN {H} b USING (Title)", "Column Title of USING is not on both sides"),
    (f"SELECT 1 FROM {C} a FULL JOIN {H} b ON a.Id > b.Id", "A FULL JOIN needs a condition that"),
    (f"SELECT 1 FROM {C} a FULL JOIN {H} b ON a.Id = 1 AND b.Id = b.ParentId", "A FULL JOIN needs a condition that"),
    (f"SELECT 1 FROM {C} a JOIN (SELECT a.Id) b ON 1 = 1", "a is not a table or an alias"),
    ("WITH a AS (SELECT x FROM a) SELECT x FROM a", "Table a is not open"),
    ("WITH a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT x FROM a", "Table b is not open"),
    ("WITH a AS (SELECT 1 AS x), A AS (SELECT 2 AS x) SELECT x FROM a", "Two common tables are named a."),
    ("WITH a (x, y) AS (SELECT 1) SELECT x FROM a", "a names 2 columns, but its query has 1."),
    (f"SELECT 1 WHERE 1 IN (SELECT Id, Title FROM {C})", "A query used as a value must have one column, not 2."),
    (f"SELECT (SELECT * FROM {C})", "must have one column"),
    (f"SELECT Title, COUNT(*) FROM {C}", "Column Title is neither in GROUP BY nor inside an aggregate"),
    (f"SELECT Title FROM {C} GROUP BY Id", "Column Title is neither"),
    (f"SELECT Id FROM {C} GROUP BY Id ORDER BY Title", "Column Title is neither"),
    (f"SELECT Id FROM {C} GROUP BY Id HAVING Title = 'x'", "Column Title is neither"),
    (f"SELECT (SELECT h.Id FROM {H} h WHERE h.Id = c.ChannelId) FROM {C} c GROUP BY c.Id", "Column ChannelId is"),
    (f"SELECT Id, ROW_NUMBER() OVER (ORDER BY Title) FROM {C} GROUP BY Id", "Column Title is neither"),
    (f"SELECT Id FROM {C} WHERE COUNT(*) > 1", "COUNT is not allowed in WHERE."),
    (f"SELECT SUM(MAX(Id)) FROM {C}", "MAX is not allowed inside SUM."),
    (f"SELECT 1 FROM {C} GROUP BY COUNT(*)", "COUNT is not allowed in GROUP BY."),
    (f"SELECT COUNT(*) AS n FROM {C} GROUP BY n", "An aggregate is not allowed in GROUP BY."),
    (f"SELECT 1 FROM {C} a JOIN {H} b ON MAX(a.Id) = 1", "MAX is not allowed in ON."),
    (f"SELECT (SELECT SUM(c.Id) FROM {H}) FROM {C} c", "SUM must use columns of its own query"),
    (f"SELECT Id FROM {C} WHERE ROW_NUMBER() OVER (ORDER BY Id) = 1", "A window function is not allowed in WHERE."),
    (f"SELECT Id FROM {C} ORDER BY 2", "ORDER BY names position 2, but the query has 1 items."),
    (f"SELECT DISTINCT Id FROM {C} ORDER BY Title", "With DISTINCT, ORDER BY may use only items"),
    (f"SELECT Id FROM {H} UNION SELECT Id, ChannelName FROM {H}", "The queries of UNION have 1 and 2 columns."),
    (f"SELECT Id FROM {H} UNION SELECT Id FROM {H} ORDER BY ChannelName", "ORDER BY of a set operation"),
]  # fmt: skip


@pytest.mark.parametrize("text,reason", REFUSED, ids=range(len(REFUSED)))
def test_what_is_unknown_or_does_not_fit_is_refused_with_its_reason(text, reason):
    with pytest.raises(NotAllowed) as refused:
        compiled(text)
    assert reason in refused.value.message
    assert refused.value.message.endswith(".")


def test_a_common_table_without_a_name_is_refused():
    with pytest.raises(NotAllowed, match="A common table needs a name"):
        query = tree.Select((tree.Item(tree.Literal(1)),))
        query = tree.Select((tree.Item(tree.Star()),), tree.TableName(""), tables=(tree.CommonTable("", query),))
        compile_query(query, CATALOGUE, "sqlite", now=NOW, max_rows=1)


def test_an_outer_join_without_condition_is_refused():
    query = tree.Select((tree.Item(tree.Literal(1)),), tree.TableName(C), (tree.Join("LEFT", tree.TableName(H)),))
    with pytest.raises(NotAllowed, match="A LEFT JOIN needs a condition"):
        compile_query(query, CATALOGUE, "sqlite", now=NOW, max_rows=1)


# ---- The result: names, order, window


@pytest.mark.parametrize(
    "text,members",
    [
        (f"SELECT id, TITLE, Hits AS Total_Count FROM {C}", ["id", "title", "total_Count"]),
        (f"SELECT COUNT(*), count(*) FROM {C}", ["counT(*)", "count(*)1"]),
        (f"SELECT h.Id, c.Id FROM {C} c, {H} h", ["id", "id1"]),
        (f"SELECT t.ID FROM (SELECT Id AS iD FROM {C}) t", ["iD"]),
        (f"SELECT * FROM {H}", ["id", "channelName", "parentId"]),
        (f"SELECT SITEID FROM (SELECT Id AS SiteId FROM {H}) t UNION SELECT 5", ["siteId"]),
    ],
)
def test_members_are_named_by_alias_column_or_text(text, members):
    assert [name for name, _ in compiled(text).columns] == members


def test_kinds_are_told_with_the_members():
    kinds = [
        kind
        for _, kind in compiled(f"SELECT Id, Price, Title, IsTop, AddDate, Settings, Id > 1, NULL FROM {C}").columns
    ]
    wanted = [
        ValueKind.INTEGER,
        ValueKind.NUMBER,
        ValueKind.TEXT,
        ValueKind.FLAG,
        ValueKind.DATE,
        ValueKind.JSON,
        ValueKind.BOOLEAN,
        ValueKind.TEXT,
    ]
    assert kinds == wanted


ALL = f"SELECT Id AS No, Title FROM {C} ORDER BY Id DESC"
WINDOWS = [
    (ALL, {}, [5, 4, 3, 2, 1]),
    (ALL, {"max_rows": 2}, [5, 4, 3]),
    (ALL, {"start": 2, "total": 2}, [4, 3]),
    (ALL, {"start": 0, "total": 2}, [5, 4]),
    (ALL, {"start": 4}, [2, 1]),
    (ALL, {"start": 9}, []),
    (f"{ALL} LIMIT 3", {"start": 2}, [4, 3]),
    (f"{ALL} LIMIT 3", {"start": 3, "total": 5}, [3]),
    (f"{ALL} LIMIT 3", {"start": 9}, []),
    (f"{ALL} LIMIT 3 OFFSET 1", {"start": 2, "total": 1}, [3]),
    (f"{ALL} LIMIT 99999999999", {"max_rows": 1}, [5, 4]),
    (ALL, {"order": [("No", False)]}, [1, 2, 3, 4, 5]),
    (ALL, {"order": [("no", True)], "start": 2, "total": 1}, [4]),
    (ALL, {"order": [("TITLE", False)]}, [5, 1, 4, 2, 3]),
    (f"{ALL} LIMIT 2", {"order": [("no", False)]}, [4, 5]),
    (f"{ALL} LIMIT 3", {"order": [("no", False)], "total": 1}, [3]),
    (f"SELECT DISTINCT Id FROM {C}", {"order": [("Id", True)], "total": 2}, [5, 4]),
    (f"SELECT Id FROM {C} UNION SELECT 9", {"order": [("id", True)], "total": 2}, [9, 5]),
]


@pytest.mark.parametrize("text,options,expected", WINDOWS, ids=range(len(WINDOWS)))
def test_a_window_is_a_part_of_the_query_in_its_order(engine, text, options, expected):
    assert [row[0] for row in answer(engine, text, **options)] == expected


def test_order_takes_members_and_names_but_nothing_unknown():
    assert compiled(f"SELECT h.Id, c.Id FROM {C} c, {H} h", order=[("ID1", True)]).sql
    with pytest.raises(NotAllowed, match=r"Column Titel is not in the result; title is\."):
        compiled(ALL, order=[("Titel", False)])
    with pytest.raises(NotAllowed):
        compiled(ALL, order=[("Hits", False)])


# ---- Views


def test_views_have_the_columns_used_and_the_sites_of_the_name():
    statement = compiled(
        "SELECT a.Title FROM siteserver_Content a JOIN model_content b ON a.Id = b.ID WHERE b.Hits > 1"
    )
    found = {name: ([one.name for one in view.columns], view.site_ids) for name, view in statement.views.items()}
    assert found == {"v1": (["Id", "Title"], None), "v2": (["Id", "Hits"], (1,))}


def test_a_table_of_which_no_column_is_used_has_its_first():
    [view] = compiled(f"SELECT COUNT(*) FROM {C}").views.values()
    assert [column.name for column in view.columns] == ["Id"]


def test_a_limited_key_reaches_its_sites_only():
    catalogue = Catalogue.of([CONTENT, CHANNEL], [2], "siteserver_Content", {"model_content": (1,), "both": (1, 2)})
    assert compiled("SELECT Id FROM siteserver_Content", catalogue=catalogue).views["v1"].site_ids == (2,)
    assert compiled("SELECT Id FROM Both", catalogue=catalogue).views["v1"].site_ids == (2,)
    with pytest.raises(NotAllowed, match="Table model_content is not open to statements"):
        compiled("SELECT Id FROM model_content", catalogue=catalogue)


def test_one_table_named_twice_is_one_view():
    assert list(compiled(f"SELECT 1 FROM {C} a, {C.lower()} b").views) == ["v1"]


# ---- The alphabet


@pytest.mark.parametrize("text", [text for text, _ in ANSWERS], ids=range(len(ANSWERS)))
def test_the_text_has_no_word_of_the_client(text):
    for name in ENGINES:
        sql = compiled(text, name).sql
        assert sql.startswith("SELECT ")
        assert not re.search(r"['\\;]|--|/\*", sql)
        assert not re.search("DROP|Total|mine|flag", sql)
        assert re.search(r"LIMIT [0-9]+ OFFSET [0-9]+$", sql)


@pytest.mark.parametrize("name", ENGINES)
def test_every_parameter_is_used_and_equal_literals_share_one(name):
    statement = compiled(
        f"SELECT Title + 'x', Title + 'x', LEFT(Title, 1) FROM {C} GROUP BY Title, LEFT(Title, 1)", name
    )
    assert list(statement.parameters.values()).count("x") == 1
    assert all(re.search(rf"\b{parameter}\b", statement.sql) for parameter in statement.parameters)


FOREIGN = ["SELECT 'x'", "SELECT 1;", "SELECT 1 -- x", "SELECT 1 /* x */", 'SELECT "t1"."secret"', "SELECT pg_sleep(1)",
           "SELECT x", "DELETE FROM t1", 'SELECT "v1" FROM "sqlite_master"', "SELECT 1\nFROM", "SELECT \\",
           "SELECT 0x1F", "SELECT 1234567890123", "SELECT $1", "SELECT ?", "SELECT :p1x", "SELECT @x", "SELECT `x`",
           "SELECT 1e5", "SELECT [x]", "SELECT é", "SELECT {0}"]  # fmt: skip


@pytest.mark.parametrize("sql", FOREIGN)
def test_what_is_outside_the_alphabet_is_a_fault_of_ours(sql):
    for engine in ENGINES.values():
        with pytest.raises(AssertionError):
            alphabet.check(sql, engine, {"title"})


@pytest.mark.parametrize(
    "sql,name", [("SELECT :p1", "postgresql"), ("SELECT %(p1)s", "sqlite"), ("1 % 2", "postgresql")]
)
def test_an_engine_takes_its_own_placeholders_only(sql, name):
    with pytest.raises(AssertionError):
        alphabet.check(sql, ENGINES[name], set())


def test_texts_are_ordered_by_code_points_whatever_the_database_does():
    ordered = (
        f"SELECT MIN(Title) FROM {C} WHERE Title < 'x' AND Title BETWEEN 'a' AND 'b' GROUP BY Id ORDER BY MAX(Title)"
    )
    assert compiled(ordered, "postgresql").sql.count('COLLATE "C"') == 5


def test_a_catalogue_with_a_strange_name_is_a_fault_of_ours():
    odd = Table("Odd", "odd", (Column('x" FROM y', ValueKind.TEXT, "x"),))
    with pytest.raises(ValueError, match="catalogue"):
        compiled("SELECT 1 FROM Odd", catalogue=Catalogue.of([odd]))


def test_a_client_name_is_shortened_and_clean_in_a_refusal():
    name = "x" * 100 + "\n\x07"
    query = tree.Select((tree.Item(tree.ColumnName(name)),), tree.TableName(C))
    with pytest.raises(NotAllowed) as refused:
        compile_query(query, CATALOGUE, "sqlite", now=NOW, max_rows=1)
    assert len(refused.value.message) < 150
    assert refused.value.message.isprintable()


def test_a_long_result_name_is_cut():
    query = tree.Select((tree.Item(tree.Literal(1), text="n" * 9000), tree.Item(tree.Literal(1))))
    statement = compile_query(query, CATALOGUE, "sqlite", now=NOW, max_rows=1)
    assert [len(name) for name, _ in statement.columns] == [128, 7]
