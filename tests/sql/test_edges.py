"""Where engines and dialects would differ: the ends of the calendar, names with a schema, brackets in patterns."""

import pytest

from sql_sandbox.compiling.kinds import LONGEST_JSON
from sql_sandbox.compiling.sqlite_functions import FUNCTIONS
from sql_sandbox.reading.statement import read_statement
from sql_sandbox.refusals import NotAllowed
from tests.sql.running import ENGINE_NAMES, answer, compiled, opened


@pytest.fixture(scope="module", params=ENGINE_NAMES)
def engine(request):
    """A database with five contents and three channels."""
    with opened(request.param) as database:
        yield database


# Of content 1, whose AddDate is 2024-01-31 10:20:30, unless a row has a number. Content 4 has none.
DATES = [
    ("DATEADD(year, 99999999, AddDate)", None),
    ("DATEADD(year, 7975, AddDate)", "9999-01-31 10:20:30"),
    ("DATEADD(year, 7976, AddDate)", None),
    ("DATEADD(month, 12 * 7976, AddDate)", None),
    ("DATEADD(day, 1, '9999-12-31')", None),
    ("DATEADD(second, 1, '9999-12-31 23:59:59')", None),
    ("DATEADD(second, -1, '0001-01-01')", None),
    ("DATEADD(day, -1, '0001-01-01')", None),
    ("DATEADD(hour, -23, '0001-01-01 23:00:00')", "0001-01-01 00:00:00"),
    ("DATEADD(minute, 1, AddDate)", None, 4),
]


@pytest.mark.parametrize(("text", "expected", "row"), [(*case, 1)[:3] for case in DATES], ids=str)
def test_dates_end_with_the_years_1_and_9999_on_both_engines(engine, text, expected, row):
    assert answer(engine, f"SELECT {text} AS v FROM siteserver_Content WHERE Id = {row}") == [(expected,)]


def test_a_name_with_a_schema_is_a_table_and_no_common_table(engine):
    common = "WITH siteserver_Channel AS (SELECT 7 AS Id) SELECT MIN(Id) AS n FROM "
    assert answer(engine, f"{common}siteserver_Channel") == [(7,)]
    assert answer(engine, f"{common}dbo.siteserver_Channel") == [(10,)]
    with pytest.raises(NotAllowed, match=r"Table x is not open to statements\."):
        compiled("WITH x(id) AS (SELECT 1) SELECT * FROM dbo.x", engine.name)


@pytest.mark.parametrize(("condition", "hint"), [
    ("LIKE '[a-h]%'", r"write \[\[\] for the bracket itself\."),
    ("LIKE '[^x]%'", r"write \[\[\] for the bracket itself\."),
    ("LIKE '[a-h]%' ESCAPE '!'", r"write !\[ for the bracket itself\."),
])  # fmt: skip
def test_a_list_of_characters_in_a_pattern_is_refused(condition, hint):
    with pytest.raises(NotAllowed, match=hint):
        compiled(f"SELECT Id FROM siteserver_Content WHERE Title {condition}")


@pytest.mark.parametrize("pattern", ["[[]a%", "a]%", "[", "100[%]", "[]"])
def test_a_bracket_that_begins_no_list_stands_for_itself(pattern):
    assert read_statement(f"SELECT Id FROM siteserver_Content WHERE Title LIKE '{pattern}'")


@pytest.mark.parametrize(("letter", "over", "value"), [("x", 0, "y"), ("x", 1, None), ("é", 0, "y"), ("é", 1, None)])
def test_sqlite_looks_for_values_in_json_of_a_mebibyte_at_most(letter, over, value):
    _, json_value = FUNCTIONS["cms_json_value"]
    start, end = '{"a": "y", "b": "', '"}'
    room = LONGEST_JSON - len(start + end)
    padding = " " * (room % len(letter.encode()) + over)
    text = start + letter * (room // len(letter.encode())) + end + padding
    assert len(text.encode()) == LONGEST_JSON + over
    assert json_value(text, '["a"]') == value
