"""The third fence: every construct into our own tree, or refused by name."""

import pytest

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling.expressions import WINDOW_FUNCTIONS
from sql_sandbox.compiling.functions import FUNCTIONS
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.refusals import BadSyntax, NotAllowed, Refused, TooLarge
from sql_sandbox.tree import (
    Aggregate,
    Between,
    Binary,
    Call,
    Case,
    Cast,
    ColumnName,
    CommonTable,
    Compound,
    Derived,
    Edge,
    Exists,
    Frame,
    InList,
    InQuery,
    IsNull,
    Item,
    Join,
    Like,
    Literal,
    OrderItem,
    Scalar,
    Select,
    Star,
    TableName,
    Unary,
    Window,
)

A, B, D = ColumnName("a"), ColumnName("b"), ColumnName("d")
NOW, TODAY = Call("now"), Call("today")
ONE = Select((Item(Literal(1), text="1"),))
T = TableName("t")


def L(value):
    return Literal(value)


def expression(text: str):
    """The tree of an expression, as the only item of a SELECT."""
    return read_statement(f"SELECT {text} AS x FROM t").items[0].expression


def weeks_until(date):
    days = Call("date_diff", (L("day"), L("0001-01-07"), date))
    return Binary("/", Binary("+", days, L(7)), L(7))


def add(unit, amount, date):
    return Call("date_add", (L(unit), L(amount), date))


def formatted(pattern, date=D):
    return Call("format_date", (date, L(pattern)))


EXPRESSIONS = [
    # Constants and operators
    ("1", L(1)),
    ("-5", L(-5)),
    ("- 5.25", L(-5.25)),
    (".5", L(0.5)),
    ("1e3", L(1000.0)),
    ("9223372036854775807", L(2**63 - 1)),
    ("'it''s'", L("it's")),
    ("N'标题'", L("标题")),
    ("NULL", L(None)),
    ("TRUE", L(True)),
    ("false", L(False)),
    ("(a)", A),
    ("[t].[a]", ColumnName("a", "t")),
    ("dbo.t.a", ColumnName("a", "t")),
    ("+a", A),
    ("-a", Unary("-", A)),
    ("a + b * 2", Binary("+", A, Binary("*", B, L(2)))),
    ("a - b / 2 % 3", Binary("-", A, Binary("%", Binary("/", B, L(2)), L(3)))),
    ("a + 'x'", Binary("+", A, L("x"))),
    ("a || b || 'x'", Binary("||", Binary("||", A, B), L("x"))),
    ("a = 1 OR b <> 2 AND NOT a < 3", Binary("or", Binary("=", A, L(1)),
        Binary("and", Binary("<>", B, L(2)), Unary("not", Binary("<", A, L(3)))))),
    ("a != 1", Binary("<>", A, L(1))),
    ("a == 1", Binary("=", A, L(1))),
    ("a <= 1 AND a >= b AND a > b", Binary("and", Binary("and", Binary("<=", A, L(1)), Binary(">=", A, B)),
        Binary(">", A, B))),
    # Predicates
    ("a IS NULL", IsNull(A)),
    ("a IS NOT NULL", IsNull(A, True)),
    ("NOT a IS NULL", IsNull(A, True)),
    ("a BETWEEN 1 AND b", Between(A, L(1), B)),
    ("a NOT BETWEEN 1 AND 2", Between(A, L(1), L(2), True)),
    ("a IN (1, '2')", InList(A, (L(1), L("2")))),
    ("a NOT IN (1)", InList(A, (L(1),), True)),
    ("a IN (SELECT 1)", InQuery(A, ONE)),
    ("a IN ((SELECT 1))", InQuery(A, ONE)),
    ("a NOT IN (SELECT 1)", InQuery(A, ONE, True)),
    ("EXISTS (SELECT 1)", Exists(ONE)),
    ("NOT EXISTS (SELECT 1)", Unary("not", Exists(ONE))),
    ("(SELECT 1)", Scalar(ONE)),
    ("a LIKE '%x_y%%'", Like(A, (None, "x", True, "y", None))),
    ("a NOT LIKE N'x'", Like(A, ("x",), True)),
    ("NOT a LIKE 'x'", Like(A, ("x",), True)),
    ("a ILIKE ''", Like(A, ())),
    ("a LIKE '!%!!%' ESCAPE '!'", Like(A, ("%!", None))),
    ("a NOT LIKE 'x!_' ESCAPE '!'", Like(A, ("x_",), True)),
    (r"a LIKE '50\%\x%'", Like(A, (r"50%\x", None))),
    (r"a LIKE '\%' ESCAPE ''", Like(A, (r"%",))),
    ("CASE WHEN a = 1 THEN 'x' WHEN b THEN 'y' ELSE 'z' END",
        Case(((Binary("=", A, L(1)), L("x")), (B, L("y"))), L("z"))),
    ("CASE a WHEN 1 THEN 2 END", Case(((Binary("=", A, L(1)), L(2)),))),
    # Functions of texts
    *((f"{name}(a)", Call("length", (A,))) for name in ("LEN", "len", "LENGTH", "CHAR_LENGTH")),
    ("UPPER(a)", Call("upper", (A,))),
    ("UCASE(a)", Call("upper", (A,))),
    ("LOWER(a)", Call("lower", (A,))),
    ("LCASE(a)", Call("lower", (A,))),
    ("LTRIM(RTRIM(a))", Call("ltrim", (Call("rtrim", (A,)),))),
    ("TRIM(a)", Call("trim", (A,))),
    ("LEFT(a, 2)", Call("left", (A, L(2)))),
    ("RIGHT(a, 2)", Call("right", (A, L(2)))),
    ("SUBSTRING(a, 1, 2)", Call("substring", (A, L(1), L(2)))),
    ("SUBSTR(a, 2)", Call("substring", (A, L(2)))),
    ("SUBSTRING(a FROM 1 FOR 2)", Call("substring", (A, L(1), L(2)))),
    ("REPLACE(a, 'x', b)", Call("replace", (A, L("x"), B))),
    ("CONCAT(a, b, 1)", Call("concat", (A, B, L(1)))),
    *((text, Call("position", (L("x"), A))) for text in
        ("CHARINDEX('x', a)", "INSTR(a, 'x')", "LOCATE('x', a)", "STRPOS(a, 'x')", "POSITION('x' IN a)")),
    # Choices and numbers
    *((f"{name}(a, b)", Call("coalesce", (A, B))) for name in ("ISNULL", "IFNULL", "NVL", "COALESCE")),
    ("ISNULL(a)", IsNull(A)),
    ("NULLIF(a, 0)", Call("nullif", (A, L(0)))),
    *((f"{name}(a > 1, 'x', b)", Case(((Binary(">", A, L(1)), L("x")),), B)) for name in ("IIF", "IF")),
    ("ABS(a)", Call("abs", (A,))),
    ("ROUND(a, 2)", Call("round", (A, L(2)))),
    ("FLOOR(a)", Call("floor", (A,))),
    ("CEILING(a)", Call("ceiling", (A,))),
    ("GREATEST(a, b)", Call("greatest", (A, B))),
    ("MOD(a, 2)", Binary("%", A, L(2))),
    # Dates
    *((text, NOW) for text in ("GETDATE()", "NOW()", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP()", "SYSDATETIME()",
        "datetime('now')", "datetime('now', 'localtime')", "NOW(3)")),
    *((text, TODAY) for text in ("CURDATE()", "CURRENT_DATE", "date('now')")),
    *((text, Call("date_part", (L("year"), D))) for text in
        ("YEAR(d)", "EXTRACT(YEAR FROM d)", "DATEPART(year, d)", "DATEPART(yyyy, d)", "date_part('year', d)")),
    ("DATEADD(day, -7, GETDATE())", add("day", -7, NOW)),
    ("DATEADD(wk, 2, d)", add("day", 14, D)),
    ("DATEADD(quarter, a, d)", Call("date_add", (L("month"), Binary("*", A, L(3)), D))),
    ("DATE_ADD(d, INTERVAL 7 DAY)", add("day", 7, D)),
    ("DATE_SUB(d, INTERVAL '1' MONTH)", add("month", -1, D)),
    ("NOW() - INTERVAL '7 days'", add("day", -7, NOW)),
    ("d + INTERVAL 1 YEAR", add("year", 1, D)),
    ("INTERVAL '2 weeks' + d", add("day", 14, D)),
    ("d + INTERVAL a HOUR", Call("date_add", (L("hour"), A, D))),
    ("datetime('now', '-7 days', '+1 month')", add("month", 1, add("day", -7, NOW))),
    ("date(d, '+1 day')", Cast(add("day", 1, Cast(D, ValueKind.DATE)), ValueKind.DATE, day_only=True)),
    ("DATEDIFF(day, a, b)", Call("date_diff", (L("day"), A, B))),
    ("DATEDIFF(b, a)", Call("date_diff", (L("day"), A, B))),
    ("DATEDIFF(week, a, b)", Binary("-", weeks_until(B), weeks_until(A))),
    ("strftime('%Y-%m', d)", formatted("%Y-%m", Cast(D, ValueKind.DATE))),
    ("DATE_FORMAT(d, '%Y年%m月 %H:%i:%s')", formatted("%Y年%m月 %H:%M:%S")),
    ("to_char(d, 'YYYY-MM-DD HH24:MI:SS')", formatted("%Y-%m-%d %H:%M:%S")),
    ("FORMAT(d, 'yyyy/MM/dd HH:mm:ss')", formatted("%Y/%m/%d %H:%M:%S")),
    ("DATE '2020-01-31'", Cast(L("2020-01-31"), ValueKind.DATE, day_only=True)),
    ("TIMESTAMP '2020-01-31 10:00'", Cast(L("2020-01-31 10:00"), ValueKind.DATE)),
    ("DATE(d)", Cast(D, ValueKind.DATE, day_only=True)),
    # Casts
    *((f"CAST(a AS {name})", Cast(A, ValueKind.INTEGER)) for name in
        ("INT", "INTEGER", "bigint", "SIGNED", "SIGNED INTEGER")),
    *((f"CAST(a AS {name})", Cast(A, ValueKind.NUMBER)) for name in ("FLOAT", "REAL", "DOUBLE PRECISION", "NUMERIC")),
    ("CAST(a AS DECIMAL(10, 2))", Call("round", (Cast(A, ValueKind.NUMBER), L(2)))),
    ("CAST(a AS DECIMAL(10))", Call("round", (Cast(A, ValueKind.NUMBER), L(0)))),
    *((f"CAST(a AS {name})", Cast(A, ValueKind.TEXT)) for name in ("TEXT", "NVARCHAR(MAX)", "CHAR")),
    ("CAST(a AS VARCHAR(10))", Cast(A, ValueKind.TEXT, length=10)),
    ("a::character varying(3)", Cast(A, ValueKind.TEXT, length=3)),
    ("a::int", Cast(A, ValueKind.INTEGER)),
    ("CAST(a AS DATE)", Cast(A, ValueKind.DATE, day_only=True)),
    *((f"CAST(a AS {name})", Cast(A, ValueKind.DATE)) for name in ("DATETIME", "TIMESTAMP")),
    ("CONVERT(int, a)", Cast(A, ValueKind.INTEGER)),
    ("CONVERT(a, CHAR)", Cast(A, ValueKind.TEXT)),
    ("CONVERT(a, CHAR(5))", Cast(A, ValueKind.TEXT, length=5)),
    ("CONVERT(varchar(10), d, 120)", Cast(formatted("%Y-%m-%d %H:%M:%S"), ValueKind.TEXT, length=10)),
    ("CONVERT(varchar, d, 23)", Cast(formatted("%Y-%m-%d"), ValueKind.TEXT)),
    ("CONVERT(char(8), d, 112)", Cast(formatted("%Y%m%d"), ValueKind.TEXT, length=8)),
    ("CONVERT(date, '2020-01-31', 120)", Cast(L("2020-01-31"), ValueKind.DATE, day_only=True)),
    # JSON
    ("JSON_VALUE(a, '$.b.c')", Call("json_value", (A, L("b.c")))),
    ("JSON_VALUE(CONVERT(VARCHAR(MAX), a), N'lax $.b')", Call("json_value", (Cast(A, ValueKind.TEXT), L("b")))),
    ("JSON_UNQUOTE(JSON_EXTRACT(a, '$.b[0].c'))", Call("json_value", (A, L("b[0].c")))),
    ("a ->> '$.b'", Call("json_value", (A, L("b")))),
    ("a->>'b'", Call("json_value", (A, L("b")))),
    # Aggregates and windows
    ("COUNT(*)", Aggregate("count")),
    ("COUNT(ALL a)", Aggregate("count", A)),
    ("COUNT(DISTINCT a)", Aggregate("count", A, True)),
    ("SUM(a + b)", Aggregate("sum", Binary("+", A, B))),
    ("AVG(a)", Aggregate("avg", A)),
    ("MIN(a)", Aggregate("min", A)),
    ("max(a)", Aggregate("max", A)),
    ("ROW_NUMBER() OVER (ORDER BY a DESC, b)",
        Window(Call("row_number"), order=(OrderItem(A, True), OrderItem(B)))),
    ("COUNT(*) OVER ()", Window(Aggregate("count"))),
    ("LAG(a, 1, 0) OVER (PARTITION BY b ORDER BY a)",
        Window(Call("lag", (A, L(1), L(0))), (B,), (OrderItem(A),))),
    ("SUM(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)", Window(Aggregate("sum", A),
        order=(OrderItem(B),), frame=Frame("ROWS", Edge.UNBOUNDED_PRECEDING, Edge.CURRENT_ROW))),
    ("LAST_VALUE(a) OVER (ORDER BY b RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", Window(
        Call("last_value", (A,)), order=(OrderItem(B),),
        frame=Frame("RANGE", Edge.CURRENT_ROW, Edge.UNBOUNDED_FOLLOWING))),
    ("SUM(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING)", Window(Aggregate("sum", A),
        order=(OrderItem(B),), frame=Frame("ROWS", Edge.UNBOUNDED_PRECEDING, Edge.CURRENT_ROW))),
]  # fmt: skip


@pytest.mark.parametrize("text,meant", EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_an_expression_is_read(text, meant):
    assert expression(text) == meant


def select(*items, **clauses):
    return Select(tuple(Item(one, text=one.name) for one in items), **{"relation": T, **clauses})


STAR = Item(Star())
QUERIES = [
    ("SELECT 1", ONE),
    ("(SELECT 1)", ONE),
    ("SELECT 1;", ONE),
    ("SELECT TOP 12 * FROM t", Select((STAR,), T, limit=12)),
    ("SELECT TOP (5) a FROM dbo.t", select(A, limit=5)),
    ("SELECT DISTINCT TOP 5 a FROM t", select(A, limit=5, distinct=True)),
    ("SELECT TOP 5 DISTINCT a FROM t", select(A, limit=5, distinct=True)),
    ("SELECT ALL a FROM t LIMIT 5", select(A, limit=5)),
    ("SELECT a FROM t LIMIT 5, 10", select(A, limit=10, offset=5)),
    ("SELECT a FROM t LIMIT 10 OFFSET 5", select(A, limit=10, offset=5)),
    ("SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
        select(A, limit=10, offset=5, order=(OrderItem(A),))),
    ("SELECT a FROM t FETCH FIRST ROW ONLY", select(A, limit=1)),
    ("SELECT t.*, u.* FROM t, u",
        Select((Item(Star("t")), Item(Star("u"))), T, (Join("CROSS", TableName("u")),))),
    ("SELECT a FROM t x LEFT OUTER JOIN u AS y ON x.a = y.b", select(A, relation=TableName("t", "x"), joins=(
        Join("LEFT", TableName("u", "y"), Binary("=", ColumnName("a", "x"), ColumnName("b", "y"))),))),
    ("SELECT a FROM t JOIN u USING (a, b) RIGHT JOIN v USING (a) FULL OUTER JOIN w USING (a) CROSS JOIN x",
        select(A, joins=(
            Join("INNER", TableName("u"), using=("a", "b")), Join("RIGHT", TableName("v"), using=("a",)),
            Join("FULL", TableName("w"), using=("a",)), Join("CROSS", TableName("x"))))),
    ("SELECT a FROM (SELECT 1) x", select(A, relation=Derived(ONE, "x"))),
    ("SELECT a FROM ((SELECT 1)) AS x (a, [b])", select(A, relation=Derived(ONE, "x", ("a", "b")))),
    ("SELECT a FROM (SELECT 1)", select(A, relation=Derived(ONE))),
    ("SELECT a FROM t WHERE a = 1 GROUP BY a, b HAVING COUNT(*) > 1 ORDER BY 1 DESC, a ASC", select(A,
        where=Binary("=", A, L(1)), group=(A, B), having=Binary(">", Aggregate("count"), L(1)),
        order=(OrderItem(L(1), True), OrderItem(A)))),
    ("SELECT a FROM t GROUP BY 1", select(A, group=(L(1),))),
    (";SELECT a FROM t (NOLOCK);;", select(A)),
    ("SELECT a FROM t WHERE a LIKE '%' + N'港' + CONCAT('_', '%')", select(A, where=Like(A, (None, "港", True, None)))),
    ("SELECT a AS x, a y, a AS 'z', a 'w', a AS [v], u = a FROM t", Select((
        Item(A, "x"), Item(A, "y"), Item(A, "z"), Item(A, "w"), Item(A, "v"), Item(A, "u")), T)),
    ("SELECT 1 UNION SELECT 1", Compound("UNION", ONE, ONE)),
    ("SELECT 1 UNION ALL SELECT 1 ORDER BY 1 LIMIT 2 OFFSET 3",
        Compound("UNION ALL", ONE, ONE, (OrderItem(L(1)),), 2, 3)),
    ("SELECT 1 EXCEPT SELECT 1", Compound("EXCEPT", ONE, ONE)),
    ("SELECT 1 UNION SELECT 1 INTERSECT SELECT 1", Compound("UNION", ONE, Compound("INTERSECT", ONE, ONE))),
    ("(SELECT 1) UNION (SELECT 1) LIMIT 1", Compound("UNION", ONE, ONE, limit=1)),
    ("(SELECT 1 UNION SELECT 1) EXCEPT SELECT 1", Compound("EXCEPT", Compound("UNION", ONE, ONE), ONE)),
    ("(SELECT a FROM t) ORDER BY a LIMIT 2", select(A, order=(OrderItem(A),), limit=2)),
    ("(SELECT a FROM t LIMIT 3) ORDER BY a LIMIT 2",
        Select((STAR,), Derived(select(A, limit=3)), order=(OrderItem(A),), limit=2)),
    ("SELECT TOP 3 a FROM t UNION SELECT TOP 2 a FROM t", Compound("UNION", select(A, limit=3), select(A, limit=2))),
    ("WITH x AS (SELECT 1), y (a, b) AS (SELECT 1) SELECT a FROM t",
        select(A, tables=(CommonTable("x", ONE), CommonTable("y", ONE, ("a", "b"))))),
    ("WITH x AS (SELECT 1) SELECT 1 UNION SELECT 1", Compound("UNION", ONE, ONE, tables=(CommonTable("x", ONE),))),
    ("SELECT a FROM (WITH x AS (SELECT 1) SELECT 1) y",
        select(A, relation=Derived(Select(ONE.items, tables=(CommonTable("x", ONE),)), "y"))),
]  # fmt: skip


@pytest.mark.parametrize("text,meant", QUERIES, ids=[text for text, _ in QUERIES])
def test_a_query_is_read(text, meant):
    assert read_statement(text) == meant


def test_the_statement_of_the_template_that_lists_contents_is_read():
    query = read_statement(
        "SELECT TOP 12 * FROM (SELECT ROW_NUMBER() OVER(ORDER BY AddDate DESC) AS rownumber, * FROM"
        " siteserver_Content_1 WHERE id IN (SELECT id FROM (SELECT id, JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),"
        "N'lax $.applyFromTime') AS applyFromTime FROM siteserver_Content_1 ) AS tmp  WHERE SiteId='688' AND ChannelId"
        " IN('690','691'))) temp where rownumber > 0 ORDER BY AddDate DESC"
    )
    contents = TableName("siteserver_Content_1")
    column = ColumnName
    path = Call("json_value", (Cast(column("SettingsXml"), ValueKind.TEXT), L("applyFromTime")))
    inner = Select((Item(column("id"), text="id"), Item(path, "applyFromTime")), contents)
    of_site = Binary("=", column("SiteId"), L("688"))
    ids = Select(
        (Item(column("id"), text="id"),),
        Derived(inner, "tmp"),
        where=Binary("and", of_site, InList(column("ChannelId"), (L("690"), L("691")))),
    )
    order = (OrderItem(column("AddDate"), True),)
    number = Item(Window(Call("row_number"), order=order), "rownumber")
    numbered = Select((number, STAR), contents, where=InQuery(column("id"), ids))
    assert query == Select(
        (STAR,),
        Derived(numbered, "temp"),
        where=Binary(">", column("rownumber"), L(0)),
        order=order,
        limit=12,
    )


@pytest.mark.parametrize(
    "item,text",
    [
        ("COUNT(*)", "COUNT(*)"),
        ("count( * )", "count( * )"),
        ("[Id]", "[Id]"),
        ("a\n  +  1", "a + 1"),
        ("CASE WHEN a = 1 THEN ',' END", "CASE WHEN a = 1 THEN ',' END"),
        ("(SELECT 1)", "(SELECT 1)"),
        ("CONCAT(a, '" + "x" * 200 + "')", "CONCAT(a, '" + "x" * 89),
        ("a AS x", ""),
        ("*", ""),
    ],
)
def test_an_item_without_a_name_keeps_what_was_written(item, text):
    assert read_statement(f"SELECT b, {item} FROM t").items[1].text == text


@pytest.mark.parametrize(
    "statement,reason",
    [
        ("SELECT DISTINCT ON (a) a FROM t", "DISTINCT ON"),
        ("SELECT AS STRUCT 1", "A word in this place"),
        ("SELECT a AS (b, c) FROM t", "list of aliases"),
        ("SELECT (1, 2)", "list in brackets"),
        ("SELECT * FROM t WHERE (a, b) IN ((1, 2))", "list in brackets"),
        ("SELECT 'a' 'b'", "follow each other"),
        ("SELECT a << 2 FROM t", "<< is"),
        ("SELECT a AT TIME ZONE 'UTC' FROM t", "AT TIME ZONE"),
        ("SELECT * FROM t WHERE a IS TRUE", "after IS"),
        ("SELECT * FROM t WHERE a IS NOT DISTINCT FROM b", "IS NOT DISTINCT FROM"),
        ("SELECT * FROM t WHERE a IN b", "IN without brackets"),
        ("SELECT a BETWEEN SYMMETRIC 1 AND 2 FROM t", "BETWEEN SYMMETRIC"),
        ("SELECT * FROM t WHERE a LIKE b", "pattern after LIKE"),
        ("SELECT * FROM t WHERE a LIKE '%' || b", "pattern after LIKE"),
        ("SELECT * FROM t WHERE a LIKE 'x' ESCAPE 'ab'", "ESCAPE"),
        ("SELECT * FROM t WHERE a = 'x' ESCAPE '!'", "cannot be read|ESCAPE"),
        ("SELECT a.b.c.d FROM t", "database's name"),
        ("SELECT a.b.c.d.e FROM t", "qualified name"),
        ("SELECT sys.t.a FROM t", "sys"),
        ("SELECT sys.t.* FROM t", "sys"),
        ("SELECT dbo.LEN(a) FROM t", "qualified name"),
        ("SELECT * FROM information_schema.tables", "information_schema"),
        ("SELECT * FROM master.dbo.t", "database's name"),
        ("SELECT * FROM (a JOIN b ON 1 = 1)", "join in brackets"),
        ("SELECT * FROM LEN('a')", "not functions"),
        ("SELECT * FROM dbo.LEN('a')", "not functions"),
        ("SELECT LEN(DISTINCT a) FROM t", "DISTINCT is"),
        ("SELECT LEN(*) FROM t", r"\* is"),
        ("SELECT COUNT(t.*) FROM t", r"\* is allowed only"),
        ("SELECT COUNT(DISTINCT a, b) FROM t", "one DISTINCT"),
        ("SELECT COUNT() FROM t", "a different number of arguments: 1"),
        ("SELECT SUBSTRING(a) FROM t", "a different number of arguments: 2 to 3"),
        ("SELECT COALESCE() FROM t", "a different number of arguments: 1 or more"),
        ("SELECT ROW_NUMBER() FROM t", "without OVER"),
        ("SELECT LEN(a) OVER () FROM t", "before OVER"),
        ("SELECT NOW() OVER () FROM t", "before OVER"),
        ("SELECT SUM(a) OVER w FROM t", "A name in this place"),
        ("SELECT SUM(a) OVER (w ORDER BY a) FROM t", "A name in this place"),
        ("SELECT SUM(a) OVER (ORDER BY b ROWS 5 PRECEDING) FROM t", "frame"),
        ("SELECT SUM(a) OVER (ORDER BY b GROUPS UNBOUNDED PRECEDING) FROM t", "frame"),
        ("SELECT SUM(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED FOLLOWING AND a PRECEDING) FROM t", "frame"),
        ("SELECT SUM(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING EXCLUDE GROUP) FROM t", "EXCLUDE"),
        ("SELECT a FROM t NOT INDEXED", "INDEXED"),
        ("WITH x AS NOT MATERIALIZED (SELECT 1) SELECT * FROM x", "MATERIALIZED"),
        ("WITH x AS MATERIALIZED (SELECT 1) SELECT * FROM x", "MATERIALIZED"),
        ("SELECT a FROM t GROUP BY ALL", "GROUP BY ALL"),
        ("SELECT a FROM t LIMIT 1 + 1", "number of rows"),
        ("SELECT a FROM t LIMIT (SELECT 1)", "number of rows"),
        ("SELECT a FROM t LIMIT -1", "number of rows"),
        ("SELECT a FROM t LIMIT 1.5", "number of rows"),
        ("SELECT a FROM t LIMIT 9999999999999999999", "number of rows"),
        ("SELECT a FROM t LIMIT 1 BY a", "BY in this place"),
        ("SELECT a FROM t OFFSET '1'", "number of rows"),
        ("SELECT TOP (a) a FROM t", "number of rows"),
        ("SELECT 9223372036854775808", "too large"),
        ("SELECT 1e999", "too large"),
        ("SELECT 1 EXCEPT ALL SELECT 1", "EXCEPT ALL"),
        ("SELECT 1 UNION BY NAME SELECT 1", "BY NAME"),
        ("SELECT INTERVAL '1 day'", "INTERVAL without a date"),
        ("SELECT d + INTERVAL '1 day 2 hours' FROM t", "one unit"),
        ("SELECT d * INTERVAL '1 day' FROM t", "INTERVAL without a date"),
        ("SELECT DATEADD(foo, 1, d) FROM t", "foo is not a supported date unit"),
        ("SELECT DATEADD(a.day, 1, d) FROM t", "date unit must be a word"),
        ("SELECT EXTRACT(WEEK FROM d) FROM t", "count weeks differently"),
        ("SELECT datetime(d, 'start of month') FROM t", "one unit"),
        ("SELECT DATE_FORMAT(d, '%W') FROM t", "%W is not supported in date formats"),
        ("SELECT DATE_FORMAT(d, '%') FROM t", "% is not supported in date formats"),
        ("SELECT DATE_FORMAT(d, a) FROM t", "must be a text literal"),
        ("SELECT to_char(d, 'Day') FROM t", "D is not supported in date formats"),
        ("SELECT FORMAT(a, '0.0%') FROM t", "% is not supported in date formats"),
        ("SELECT CONVERT(varchar, d, 999) FROM t", "style 999"),
        ("SELECT CONVERT(int, d, 120) FROM t", "style 120"),
        ("SELECT CONVERT(date, '01/02/2020', 101)", "style 101"),
        ("SELECT CAST(a AS bytea) FROM t", "type BYTEA"),
        ("SELECT CAST(a AS TIME) FROM t", "type TIME"),
        ("SELECT a::regclass FROM t", "type REGCLASS"),
        ("SELECT JSON_VALUE(a, b) FROM t", "JSON path"),
        ("SELECT JSON_VALUE(a, '$') FROM t", "JSON path"),
        ("SELECT JSON_VALUE(a, '$.*') FROM t", "JSON path"),
        ("SELECT JSON_VALUE(a, 'b') FROM t", "JSON path"),
    ],
)
def test_a_construct_without_a_rule_is_refused_by_name(statement, reason):
    with pytest.raises(Refused, match=reason) as refusal:
        read_statement(statement)
    assert isinstance(refusal.value, NotAllowed | BadSyntax)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM t JOIN u",
        "SELECT * FROM t CROSS JOIN u ON 1 = 1",
        "SELECT * FROM t OUTER JOIN u ON 1 = 1",
        "SELECT * FROM t LEFT INNER JOIN u ON 1 = 1",
        "SELECT a FROM t GROUP BY",
        "SELECT a FROM t ORDER BY",
        "SELECT a FROM t WHERE a IN ()",
        "SELECT CASE END",
        "SELECT CAST(a AS VARCHAR(1, 2)) FROM t",
        "SELECT CAST(a AS VARCHAR(b)) FROM t",
        "SELECT -.5.25",
        "SELECT FROM t",
        "SELECT a AS '' FROM t",
        'WITH "" AS (SELECT 1 AS a) SELECT a FROM ""',
        "SELECT a FROM ''",
        "SELECT a FROM t ''",
    ],
)
def test_a_construct_that_lacks_something_is_bad_syntax(statement):
    with pytest.raises(BadSyntax):
        read_statement(statement)


def chained(count: int, part: str, between: str) -> str:
    return between.join([part] * count)


LIMITS = [
    ("SELECT * FROM " + chained(12, "t", ", "), "SELECT * FROM " + chained(13, "t", ", "), "12 tables"),
    (chained(12, "SELECT 1", " UNION "), chained(13, "SELECT 1", " UNION "), "12 SELECTs"),
    ("SELECT " + "(SELECT " * 7 + "1" + ")" * 7, "SELECT " + "(SELECT " * 8 + "1" + ")" * 8, "8 deep"),
    ("SELECT " + chained(58, "1", "+"), "SELECT " + chained(62, "1", "+"), "60 deep"),
    (f"SELECT 1 IN ({chained(200, '1', ',')})", f"SELECT 1 IN ({chained(201, '1', ',')})", "200 values"),
    (f"SELECT a LIKE '{'x' * 100}'", f"SELECT a LIKE '{'x' * 101}'", "100 characters"),
    (f"SELECT a LIKE '{'%x' * 8}'", f"SELECT a LIKE '{'_' * 9}'", "8 wildcards"),
]


@pytest.mark.parametrize("largest,too_large,reason", LIMITS, ids=[reason for _, _, reason in LIMITS])
def test_a_limit_of_cost_is_kept_to_the_last(largest, too_large, reason):
    read_statement(largest)
    with pytest.raises(TooLarge, match=reason):
        read_statement(too_large)


def test_a_statement_has_a_limit_of_parts():
    with pytest.raises(TooLarge, match="1200 parts"):
        read_statement("SELECT " + chained(14, chained(50, "1", "+"), ", "))


def called(node) -> set[str]:
    """The names of the functions anywhere in a tree, those before OVER left out."""
    if isinstance(node, tuple):
        return set().union(*(called(one) for one in node))
    parts = [getattr(node, field) for field in getattr(type(node), "__slots__", ())]
    if isinstance(node, Window):
        parts = [*getattr(node.function, "arguments", ()), node.partition, node.order]
    names = {node.name} if isinstance(node, Call) else set()
    return names.union(*(called(part) for part in parts))


def test_every_function_that_reading_makes_is_known_to_the_compiler():
    made = set().union(*(called(meant) for _, meant in EXPRESSIONS))
    assert {"length", "position", "date_add", "format_date", "json_value"} <= made
    assert made <= {*FUNCTIONS, *WINDOW_FUNCTIONS}
