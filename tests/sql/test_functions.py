"""Every operator and function, with its value on each engine."""

import pytest

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling import functions
from sql_sandbox.compiling.expressions import WINDOW_FUNCTIONS
from sql_sandbox.compiling.operations import ENGINES
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.refusals import NotAllowed
from sql_sandbox.tree import Aggregate, Binary, Call, Cast, ColumnName, InList, Literal, Unary
from tests.sql.running import CATALOGUE, ENGINE_NAMES, NOW, opened
from tests.sql.running import SETTINGS as SETTINGS_TEXT


@pytest.fixture(scope="module", params=ENGINE_NAMES)
def engine(request):
    """A database with five contents and three channels."""
    with opened(request.param) as database:
        yield database


def value(engine, expression, row=1):
    """The expression's value for the content with that id."""
    query = tree.Select(
        (tree.Item(expression),), tree.TableName("siteserver_Content"), where=Binary("=", ID, Literal(row))
    )
    compiled = compile_query(query, CATALOGUE, engine.name, now=NOW, max_rows=5)
    [[found]] = engine.run(compiled)
    [(_, kind)] = compiled.columns
    return bool(found) if kind is ValueKind.BOOLEAN and found is not None else found


def literal(argument):
    """An argument of a table row: expressions stay, everything else is a literal."""
    plain = isinstance(argument, str | int | float) or argument is None
    return Literal(argument) if plain else argument


def call(name, *arguments):
    return Call(name, tuple(map(literal, arguments)))


def binary(operator, left, right):
    return Binary(operator, literal(left), literal(right))


ID, TITLE, BODY, HITS, PRICE, TOP, DATE, ATTRIBUTE, SETTINGS = (
    ColumnName(name)
    for name in ("Id", "Title", "Content", "Hits", "Price", "IsTop", "AddDate", "Attribute", "Settings")
)
NOTHING = call("nullif", TITLE, TITLE)
BIG = Cast(Literal("9223372036854775807"), ValueKind.INTEGER)

CALLS = [
    # Texts
    (call("length", TITLE), 5),
    (call("length", ID), 1),
    (call("upper", "äb"), "ÄB"),
    (call("lower", "ÄB"), "äb"),
    (call("trim", "  a  "), "a"),
    (call("ltrim", "  a  "), "a  "),
    (call("rtrim", "  a  "), "  a"),
    (call("substring", TITLE, 2, 3), "lph"),
    (call("substring", TITLE, 2), "lpha"),
    (call("substring", TITLE, 0, 3), "Al"),
    (call("substring", TITLE, -5, 3), ""),
    (call("substring", TITLE, 2, -1), ""),
    (call("substring", TITLE, binary("+", ID, 1), ID), "l"),
    (call("substring", TITLE, 1, BIG), "Alpha"),
    (call("substring", TITLE, BIG, 2), ""),
    (call("substring", TITLE, 1, None), None),
    (call("left", TITLE, 2), "Al"),
    (call("left", TITLE, -2), ""),
    (call("left", TITLE, Unary("-", ID)), ""),
    (call("right", TITLE, 2), "ha"),
    (call("right", TITLE, 0), ""),
    (call("right", TITLE, ID), "a"),
    (call("right", TITLE, 99), "Alpha"),
    (call("split_part", TITLE, "p", 1), "Al"),
    (call("split_part", TITLE, "p", -1), "ha"),
    (call("split_part", TITLE, "p", 3), ""),
    (call("split_part", TITLE, "p", -3), ""),
    (call("replace", TITLE, "p", "'"), "Al'ha"),
    (call("replace", TITLE, "", "x"), "Alpha"),
    (call("concat", TITLE, None, ID, TOP), "Alpha1True"),
    (call("position", "p", TITLE), 3),
    (call("position", "P", TITLE), 0),
    # Any kind
    (call("coalesce", None, NOTHING, TITLE), "Alpha"),
    (call("coalesce", HITS, ""), "5"),
    (call("coalesce", HITS, "0"), 5),
    (call("coalesce", TOP, 0), "True"),
    (call("coalesce", SETTINGS, "{}"), SETTINGS_TEXT),
    (call("json_value", call("coalesce", SETTINGS, "{}"), "on"), "true"),
    (call("coalesce", SETTINGS, "no object"), SETTINGS_TEXT),
    (call("concat", 1.5, call("today"), Literal(True)), "1.52024-02-29 00:00:00True"),
    (call("coalesce", Literal(None), Literal(None)), None),
    (call("coalesce", Call("nullif", (DATE, DATE)), "2020-1-2"), "2020-01-02 00:00:00"),
    (call("nullif", TITLE, "Alpha"), None),
    (call("nullif", HITS, "5"), None),
    (call("nullif", HITS, PRICE), 5),
    (call("greatest", HITS, 3, NOTHING), "5"),
    (call("greatest", HITS, 7), 7),
    (call("greatest", "a", "B", "ä"), "ä"),
    (call("least", "a", "B", "ä"), "B"),
    (call("least", PRICE, HITS), 1.5),
    (call("least", None, DATE), "2024-01-31 10:20:30"),
    # Numbers
    (call("abs", Unary("-", HITS)), 5),
    (call("abs", Unary("-", PRICE)), 1.5),
    (call("abs", binary("-", Unary("-", BIG), 1)), None),
    (call("round", PRICE), 2.0),
    (call("round", Unary("-", PRICE)), -2.0),
    (call("round", 2.345, 2), 2.35),
    (call("round", binary("*", PRICE, 1000), -3), 2000.0),
    (call("round", HITS, 2), 5),
    (call("floor", Unary("-", PRICE)), -2.0),
    (call("floor", HITS), 5),
    (call("ceiling", PRICE), 2.0),
    # Dates
    (call("now"), "2024-02-29 12:30:15"),
    (call("today"), "2024-02-29 00:00:00"),
    (call("date_part", "year", DATE), 2024),
    (call("date_part", "month", DATE), 1),
    (call("date_part", "day", DATE), 31),
    (call("date_part", "hour", DATE), 10),
    (call("date_part", "minute", DATE), 20),
    (call("date_part", "second", DATE), 30),
    (call("date_add", "year", 1, "2024-02-29"), "2025-02-28 00:00:00"),
    (call("date_add", "month", 1, DATE), "2024-02-29 10:20:30"),
    (call("date_add", "month", -11, DATE), "2023-02-28 10:20:30"),
    (call("date_add", "day", -31, DATE), "2023-12-31 10:20:30"),
    (call("date_add", "hour", 14, DATE), "2024-02-01 00:20:30"),
    (call("date_add", "minute", 40, DATE), "2024-01-31 11:00:30"),
    (call("date_add", "second", 1700000000, "1970-01-01"), "2023-11-14 22:13:20"),
    (call("date_add", "second", 5000000000, "1970-01-01"), "2128-06-11 08:53:20"),
    (call("date_diff", "year", DATE, "2025-01-01"), 1),
    (call("date_diff", "month", DATE, "2024-02-01"), 1),
    (call("date_diff", "day", DATE, "2024-02-01 00:00"), 1),
    (call("date_diff", "day", DATE, "2024-01-30 23:59:59"), -1),
    (call("date_diff", "hour", DATE, "2024-01-31 11:00"), 1),
    (call("date_diff", "minute", DATE, "2024-01-31 10:21"), 1),
    (call("date_diff", "second", DATE, "2024-01-31 10:20:00"), -30),
    (call("format_date", DATE, "%Y/%m/%d"), "2024/01/31"),
    (call("format_date", DATE, 'on %d.%m. "at" %H:%M:%S\\'), 'on 31.01. "at" 10:20:30\\'),
    # JSON
    (call("json_value", SETTINGS, "a.b[1]"), "two"),
    (call("json_value", SETTINGS, "a.b[2]"), "1.50"),
    (call("json_value", SETTINGS, "a.b[3]"), None),
    (call("json_value", SETTINGS, "a.b[9]"), None),
    (call("json_value", SETTINGS, "a.b"), None),
    (call("json_value", SETTINGS, "a"), None),
    (call("json_value", SETTINGS, "on"), "true"),
    (call("json_value", SETTINGS, "name"), "Boß"),
    (call("json_value", SETTINGS, "x y"), '"q"'),
    (call("json_value", SETTINGS, "missing.far"), None),
    (call("json_value", Cast(SETTINGS, ValueKind.TEXT), "on"), "true"),
]


@pytest.mark.parametrize("expression,expected", CALLS, ids=[f"{one.name}-{n}" for n, (one, _) in enumerate(CALLS)])
def test_functions_have_the_same_value_on_both_engines(engine, expression, expected):
    found = value(engine, expression)
    assert found == expected
    assert type(found) is type(expected) or {type(found), type(expected)} <= {int, float}


def test_every_function_has_a_row():
    tested = {expression.name for expression, _ in CALLS}
    assert tested == set(functions.FUNCTIONS)


OPERATORS = [
    (binary("+", HITS, 2), 7),
    (binary("-", HITS, 7), -2),
    (binary("*", HITS, HITS), 25),
    (binary("/", HITS, 2), 2),
    (binary("/", Unary("-", HITS), 2), -2),
    (binary("%", HITS, 3), 2),
    (binary("%", Unary("-", HITS), 3), -2),
    (binary("/", HITS, 0), None),
    (binary("%", HITS, 0), None),
    (binary("+", PRICE, HITS), 6.5),
    (binary("-", HITS, PRICE), 3.5),
    (binary("*", PRICE, 2), 3.0),
    (binary("/", HITS, PRICE), 5 / 1.5),
    (binary("/", PRICE, 0), None),
    (binary("+", TITLE, "!"), "Alpha!"),
    (binary("+", TITLE, ID), "Alpha1"),
    (binary("||", ID, TITLE), "1Alpha"),
    (binary("||", TITLE, None), None),
    (binary("+", DATE, 1), "2024-02-01 10:20:30"),
    (binary("+", ID, DATE), "2024-02-01 10:20:30"),
    (binary("-", DATE, ID), "2024-01-30 10:20:30"),
    (binary("-", ATTRIBUTE, 1), 6.0),
    (binary("+", TOP, 1), 2),
    (Unary("-", HITS), -5),
    (Unary("-", PRICE), -1.5),
    (Unary("-", Unary("-", HITS)), 5),
    (Unary("-", Unary("-", Literal(5))), 5),
    (binary("=", HITS, 5), True),
    (binary("=", HITS, "5"), True),
    (binary("=", HITS, "5.5"), False),
    (binary("=", "5", HITS), True),
    (binary("<>", TITLE, "alpha"), True),
    (binary("=", ATTRIBUTE, 7), True),
    (binary("=", ATTRIBUTE, binary("+", ID, 6)), True),
    (binary(">", ATTRIBUTE, 10), False),
    (binary(">", HITS, PRICE), True),
    (binary("=", TOP, "true"), True),
    (binary("=", TOP, "TRUE"), True),
    (binary("=", TOP, 1), True),
    (binary("=", TOP, "0"), False),
    (binary("=", TOP, Literal(True)), True),
    (binary("=", TOP, ID), True),
    (binary("<>", TOP, "no flag"), True),
    (binary("=", binary(">", HITS, 1), 1), True),
    (binary("=", binary(">", HITS, 1), HITS), False),
    (binary("=", binary(">", HITS, 1), TOP), True),
    (binary("=", DATE, "2024-01-31 10:20:30"), True),
    (binary("=", DATE, "2024/1/31T10:20:30"), True),
    (binary("=", DATE, "20240131"), False),
    (binary(">=", DATE, "2024-01-31"), True),
    (binary("<", DATE, call("now")), True),
    (binary("=", SETTINGS, "x"), False),
    (binary("<", "B", "a"), True),
    (binary("<", TITLE, "a"), True),
    (binary("<=", TITLE, BODY), False),
    (binary("=", "5", 5), True),
    (binary("=", HITS, None), None),
    (binary("and", TOP, binary(">", HITS, 1)), True),
    (binary("or", 0, HITS), True),
    (Unary("not", TOP), False),
    (binary("+", HITS, Literal(True)), 6),
    (binary("=", HITS, Literal(True)), False),
    (Unary("-", Literal(None)), None),
    (tree.IsNull(HITS), False),
    (tree.IsNull(HITS, negated=True), True),
    (tree.Between(HITS, Literal(5), Literal("6")), True),
    (tree.Between(HITS, Literal(6), Literal(7), negated=True), True),
    (tree.Between(TITLE, Literal("A"), Literal("B")), True),
    (tree.Between(HITS, Literal(1.5), Literal(7)), True),
    (tree.Between(DATE, Literal("2024-01-01"), Literal("2024-02-01")), True),
    (tree.Like(TITLE, ("ALP", None)), True),
    (tree.Like(TITLE, ("alph", True)), True),
    (tree.Like(TITLE, ("%",)), False),
    (tree.Like(TITLE, ("Al", None), negated=True), False),
    (tree.Like(HITS, ("5",)), True),
    (tree.Like(DATE, ("2024-01", None)), True),
    (InList(HITS, (Literal(5), Literal("6"))), True),
    (InList(HITS, (Literal(1.5), Literal(5), TITLE)), True),
    (InList(HITS, (Literal(6),), negated=True), True),
    (InList(HITS, (Literal(6), Literal(None))), None),
    (tree.Case(((binary(">", HITS, 1), Literal("x")),)), "x"),
    (tree.Case(((binary(">", HITS, 9), HITS),), PRICE), 1.5),
    (tree.Case(((binary(">", HITS, 1), TOP),), Literal(0)), "True"),
    (tree.Case(((binary(">", HITS, 1), Literal("n/a")),), HITS), "n/a"),
    (tree.Case(((binary(">", HITS, 1), Literal(None)),)), None),
]


@pytest.mark.parametrize("expression,expected", OPERATORS, ids=range(len(OPERATORS)))
def test_operators_have_the_same_value_on_both_engines(engine, expression, expected):
    found = value(engine, expression)
    assert found == expected
    assert isinstance(found, bool) is isinstance(expected, bool)


@pytest.mark.parametrize(
    "row,pattern,expected",
    [
        (3, (None, "100%"), True),
        (3, (None, "10%"), False),
        (4, ("_under!score\\",), True),
        (4, ("xunder", None), False),
        (4, (None, "\\"), True),
        (1, ("_lpha",), False),
        (3, ("ä", None), True),
        (3, (None, "ERUNG", None), True),
        (3, ("ÄNDERUNG", None), True),
        (5, (), True),
    ],
)
def test_patterns_mean_their_characters(engine, row, pattern, expected):
    assert value(engine, tree.Like(TITLE, pattern), row) is expected


CASTS = [
    (Cast(HITS, ValueKind.TEXT), "5"),
    (Cast(PRICE, ValueKind.TEXT), "1.5"),
    (Cast(Literal(3.0), ValueKind.TEXT), "3"),
    (Cast(binary("*", PRICE, 1e20), ValueKind.TEXT), "1.5e+20"),
    (Cast(binary("*", PRICE, 1e14), ValueKind.TEXT), "150000000000000"),
    (Cast(binary("*", PRICE, 1e15), ValueKind.TEXT), "1.5e+15"),
    (Cast(binary("/", PRICE, 10000), ValueKind.TEXT), "0.00015"),
    (Cast(binary("/", PRICE, -100000), ValueKind.TEXT), "-1.5e-05"),
    (Cast(binary("/", Literal(1.0), 3), ValueKind.TEXT), "0.3333333333333333"),
    (Cast(PRICE, ValueKind.INTEGER), 1),
    (Cast(Unary("-", PRICE), ValueKind.INTEGER), -1),
    (Cast(binary("*", PRICE, 1e30), ValueKind.INTEGER), None),
    (Cast(DATE, ValueKind.TEXT), "2024-01-31 10:20:30"),
    (Cast(DATE, ValueKind.TEXT, length=10), "2024-01-31"),
    (Cast(TITLE, ValueKind.TEXT, length=2), "Al"),
    (Cast(DATE, ValueKind.DATE, day_only=True), "2024-01-31 00:00:00"),
    (Cast(TOP, ValueKind.INTEGER), 1),
    (Cast(TOP, ValueKind.NUMBER), 1.0),
    (Cast(binary(">", HITS, 1), ValueKind.INTEGER), 1),
    (Cast(binary(">", HITS, 1), ValueKind.TEXT), "True"),
    (Cast(Literal("2024-2-3"), ValueKind.DATE), "2024-02-03 00:00:00"),
    (Cast(Literal(" 12 "), ValueKind.INTEGER), 12),
    (Cast(Literal(None), ValueKind.INTEGER), None),
]


@pytest.mark.parametrize("expression,expected", CASTS, ids=range(len(CASTS)))
def test_casts_have_the_same_value_on_both_engines(engine, expression, expected):
    assert value(engine, expression) == expected


NOTHINGS = [
    *(call(name, BODY) for name in ("length", "upper", "lower", "trim", "ltrim", "rtrim")),
    *(call(name, PRICE) for name in ("abs", "round", "floor", "ceiling")),
    call("substring", BODY, 1, 2),
    call("substring", TITLE, HITS, 2),
    call("left", TITLE, HITS),
    call("right", TITLE, HITS),
    call("right", BODY, 2),
    call("split_part", ATTRIBUTE, "a", 2),
    call("replace", TITLE, "a", ATTRIBUTE),
    call("position", ATTRIBUTE, TITLE),
    call("greatest", HITS, PRICE),
    *(call("date_part", unit, DATE) for unit in ("year", "month", "day", "hour", "minute", "second")),
    *(call("date_add", unit, ID, DATE) for unit in ("year", "month", "day", "hour", "minute", "second")),
    *(call("date_diff", unit, DATE, call("now")) for unit in ("year", "month", "day", "hour", "minute", "second")),
    call("date_add", "day", HITS, call("now")),
    call("format_date", DATE, "%Y"),
    call("json_value", SETTINGS, "a"),
    *(Cast(TITLE, kind) for kind in (ValueKind.INTEGER, ValueKind.NUMBER, ValueKind.DATE)),
    *(Cast(PRICE, kind) for kind in (ValueKind.INTEGER, ValueKind.TEXT)),
    Cast(DATE, ValueKind.TEXT),
    Cast(DATE, ValueKind.DATE, day_only=True),
    Unary("-", HITS),
    binary("+", HITS, 1),
    binary("<", BODY, "x"),
    tree.Like(BODY, (None,)),
]


@pytest.mark.parametrize("expression", NOTHINGS, ids=range(len(NOTHINGS)))
def test_null_makes_null_on_both_engines(engine, expression):
    assert value(engine, expression, row=4) is None


def test_what_lies_beyond_the_calendar_is_no_error(engine):
    # The year 9999 plus some thousand is NULL or a date with five digits; neither ends the statement.
    value(engine, call("date_add", "year", binary("*", HITS, 2000), "9999-12-31"))
    assert value(engine, call("date_add", "month", binary("*", ID, 11), "9999-01-15")) == "9999-12-15 00:00:00"


# What a column may hold, and what each cast makes of it.
TEXTS = [
    ("7", 7, 7.0, None),
    (" -12 ", -12, -12.0, None),
    ("+5", 5, 5.0, None),
    ("1.5", None, 1.5, None),
    ("1e3", None, 1000.0, None),
    (".5", None, 0.5, None),
    ("5.", None, 5.0, None),
    ("", None, None, None),
    ("x", None, None, None),
    ("12\n", None, None, None),
    ("٣", None, None, None),
    ("1_000", None, None, None),
    ("nan", None, None, None),
    ("9223372036854775808", None, 9223372036854775808.0, None),
    ("2024-02-29", None, None, "2024-02-29 00:00:00"),
    ("2023-02-29", None, None, None),
    ("2000-02-29 10:20", None, None, "2000-02-29 10:20:00"),
    ("1900-02-29", None, None, None),
    ("2024-04-31", None, None, None),
    ("2024-12-31T23:59:59.999", None, None, "2024-12-31 23:59:59"),
    ("2024-12-31 24:00:00", None, None, None),
    ("0000-01-01", None, None, None),
    ("2024-1-1", None, None, None),
]


@pytest.mark.parametrize("text,integer,number,date", TEXTS)
def test_a_text_that_cannot_be_read_as_a_value_is_null(engine, text, integer, number, date):
    # The text is a value of a row here, not a literal, which would be read when compiling.
    stored = call("replace", TITLE, "Alpha", text)
    expected = {ValueKind.INTEGER: integer, ValueKind.NUMBER: number, ValueKind.DATE: date}
    assert {kind: value(engine, Cast(stored, kind)) for kind in expected} == expected


WINDOWS = [
    (Call("row_number"), [1, 2, 1, 2, 1]),
    (Call("rank"), [1, 2, 1, 2, 1]),
    (Call("dense_rank"), [1, 2, 1, 2, 1]),
    (call("lag", ID), [None, 1, None, 3, None]),
    (call("lag", HITS, 1, 0), [0, 5, 0, -7, 0]),
    (call("lead", ID, 1, -1), [2, -1, 4, -1, -1]),
    (call("ntile", 2), [1, 2, 1, 2, 1]),
    (call("first_value", ID), [1, 1, 3, 3, 5]),
    (call("last_value", ID), [1, 2, 3, 4, 5]),
    (Aggregate("count"), [1, 2, 1, 2, 1]),
    (Aggregate("count", HITS), [1, 2, 1, 1, 1]),
    (Aggregate("sum", HITS), [5, 5, -7, -7, 2147483647]),
    (Aggregate("avg", HITS), [5, 2.5, -7, -7, 2147483647]),
    (Aggregate("min", TITLE), ["Alpha", "Alpha", "Änderung 100%", "_under!score\\", ""]),
]


def column(engine, expression, **clauses):
    """The expression's values in the order of the contents' ids."""
    order = (tree.OrderItem(ID),) if "group" not in clauses else ()
    query = tree.Select((tree.Item(expression),), tree.TableName("siteserver_Content"), order=order, **clauses)
    compiled = compile_query(query, CATALOGUE, engine.name, now=NOW, max_rows=99)
    return [found for (found,) in engine.run(compiled)]


@pytest.mark.parametrize("function,expected", WINDOWS, ids=[function.name for function, _ in WINDOWS])
def test_window_functions_go_over_the_rows_of_their_part(engine, function, expected):
    window = tree.Window(function, (ColumnName("ChannelId"),), (tree.OrderItem(ID),))
    assert column(engine, window) == expected


def test_every_window_function_has_a_row():
    assert {function.name for function, _ in WINDOWS if isinstance(function, Call)} == WINDOW_FUNCTIONS


def test_frames_bound_a_window(engine):
    frame = tree.Frame("ROWS", tree.Edge.CURRENT_ROW, tree.Edge.UNBOUNDED_FOLLOWING)
    window = tree.Window(Aggregate("count"), (), (tree.OrderItem(ID, descending=True),), frame)
    assert column(engine, window) == [1, 2, 3, 4, 5]


AGGREGATES = [
    (Aggregate("count"), 5),
    (Aggregate("count", HITS), 4),
    (Aggregate("count", TOP, distinct=True), 2),
    (Aggregate("sum", HITS), 2147483645),
    (Aggregate("sum", binary("*", HITS, HITS)), 4611686014132420683),
    (Aggregate("sum", tree.Case(((binary("=", ID, 1), PRICE),))), 1.5),
    (Aggregate("sum", binary("=", TOP, "true")), 2),
    (Aggregate("sum", Cast(TOP, ValueKind.INTEGER)), 2),
    (Aggregate("sum", ATTRIBUTE), 19.0),
    (Aggregate("sum", HITS, distinct=True), 2147483645),
    (Aggregate("avg", ID), 3.0),
    (Aggregate("avg", ID, distinct=True), 3.0),
    (Aggregate("min", HITS), -7),
    (Aggregate("max", TITLE), "Änderung 100%"),
    (Aggregate("min", DATE), "1999-02-28 05:06:07"),
    (Aggregate("max", TOP), "True"),
    (Aggregate("max", PRICE), 1e20),
    (binary("/", Aggregate("sum", HITS), Aggregate("count")), 429496729),
]


@pytest.mark.parametrize("expression,expected", AGGREGATES, ids=range(len(AGGREGATES)))
def test_aggregates_have_the_same_value_on_both_engines(engine, expression, expected):
    query = tree.Select((tree.Item(expression),), tree.TableName("siteserver_Content"))
    compiled = compile_query(query, CATALOGUE, engine.name, now=NOW, max_rows=99)
    [[found]] = engine.run(compiled)
    assert found == pytest.approx(expected) if isinstance(expected, float) else found == expected


def test_a_sum_beyond_64_bits_is_no_error(engine):
    assert column(engine, Aggregate("sum", BIG), group=(binary("-", ID, ID),)) == [None]


REFUSED = [
    (call("sleep", 5), "Function sleep is not available here."),
    (call("length"), "Function length takes 1 arguments, not 0."),
    (call("substring", TITLE), "Function substring takes 2 to 3 arguments, not 1."),
    (call("row_number"), r"Function row_number needs OVER \(…\)."),
    (call("json_value", TITLE, "a"), "Column Title is not a JSON column"),
    (call("json_value", call("nullif", TITLE, ""), "a"), "is not a JSON column"),
    (call("json_value", SETTINGS, TITLE), "must be a text literal"),
    (call("json_value", SETTINGS, "a..b"), "is not a path"),
    (call("format_date", DATE, "%p"), "not supported in date formats"),
    (call("date_part", "century", DATE), "century is not a date unit"),
    (call("round", PRICE, ID), "number of digits"),
    (call("greatest", Literal(True), Literal(False)), "does not take conditions"),
    (binary("%", PRICE, 2), "% takes whole numbers"),
    (binary("*", DATE, 2), "Column AddDate is a date and cannot be used as a whole number."),
    (binary("*", HITS, "abc"), "abc is not a number"),
    (binary("=", HITS, "abc"), "Column Hits is a whole number, and abc cannot be compared with it."),
    (binary("=", DATE, "soon"), "Column AddDate is a date, and soon cannot be compared with it."),
    (binary("=", DATE, binary("=", ID, 1)), "A condition cannot be combined with a date."),
    (binary("=", DATE, "2024-13-01"), "cannot be compared with it"),
    (binary("=", DATE, 5), "Column AddDate is a date"),
    (binary("and", TITLE, TOP), "Column Title is a text, where a condition is needed."),
    (Cast(Literal("abc"), ValueKind.INTEGER), "abc cannot be read as a whole number."),
    (Cast(HITS, ValueKind.DATE), "Column Hits is a whole number and cannot be used as a date."),
    (InList(HITS, ()), "IN needs at least one value."),
    (Aggregate("sum"), r"SUM needs a value, not \*."),
    (Aggregate("min", binary("=", ID, 1)), "MIN does not take conditions"),
    (tree.Window(Aggregate("count", ID, distinct=True)), "DISTINCT is not supported in a window."),
    (tree.Window(call("lag", ID, HITS)), "The offset of lag"),
    (tree.Window(call("upper", TITLE)), "is not a supported window function"),
    (tree.Window(Aggregate("sum", tree.Window(Aggregate("count")))), "is not allowed inside"),
    (tree.Window(Aggregate("count"), frame=tree.Frame("ROWS", tree.Edge.UNBOUNDED_FOLLOWING, tree.Edge.CURRENT_ROW)),
     "begins after its end"),
]  # fmt: skip


@pytest.mark.parametrize("expression,reason", REFUSED, ids=range(len(REFUSED)))
def test_what_does_not_fit_is_refused_with_its_reason(expression, reason):
    query = tree.Select((tree.Item(expression),), tree.TableName("siteserver_Content"))
    with pytest.raises(NotAllowed, match=reason):
        compile_query(query, CATALOGUE, "sqlite", now=NOW, max_rows=5)


def test_both_engines_have_every_operation():
    sqlite, postgresql = ENGINES["sqlite"], ENGINES["postgresql"]
    assert set(sqlite.templates) == set(postgresql.templates)
