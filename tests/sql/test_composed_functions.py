"""Functions that are put together from others, with their values on each engine."""

import pytest

from sql_sandbox.refusals import NotAllowed, TooLarge
from tests.sql.running import ENGINE_NAMES, answer, compiled, opened


@pytest.fixture(scope="module", params=ENGINE_NAMES)
def engine(request):
    """A database with five contents and three channels."""
    with opened(request.param) as database:
        yield database


# Of content 1, unless a row has a number: Title "Alpha", Attribute "7", Hits 5, AddDate 2024-01-31 10:20:30. Content 4
# has a title, "_under!score\\", and no other value.
VALUES = [
    ("CONCAT_WS('-', Title, Hits, NULL, Attribute)", "Alpha-5-7"),
    ("CONCAT_WS(', ', NULL, Title)", "Alpha"),
    ("CONCAT_WS(Title, 'a', 'b')", "aAlphab"),
    ("CONCAT_WS('-', NULL, NULL)", ""),
    ("CONCAT_WS(NULL, 'a', 'b')", None),
    ("STUFF(Title, 2, 3, 'xy')", "Axya"),
    ("STUFF(Title, 1, 0, 'xy')", "xyAlpha"),
    ("STUFF(Title, 5, 99, '')", "Alph"),
    ("STUFF(Title, 5, 1, NULL)", "Alph"),
    ("STUFF(Title, 0, 1, 'x')", None),
    ("STUFF(Title, 6, 1, 'x')", None),
    ("STUFF(Title, 1, -1, 'x')", None),
    ("STUFF(Attribute, 1, 1, 'x')", None, 4),
    ("STUFF(Title, CHARINDEX('ph', Title), LEN('ph'), 'f')", "Alfa"),
    ("FIND_IN_SET('b', 'a,b,c')", 2),
    ("FIND_IN_SET(Title, 'Beta,Alpha')", 2),
    ("FIND_IN_SET('alpha', CONCAT('x,', Title))", 0),
    ("FIND_IN_SET('a,b', 'a,b')", 0),
    ("FIND_IN_SET('', '')", 0),
    ("FIND_IN_SET('', 'a,,b')", 2),
    ("FIND_IN_SET('a', Attribute)", None, 4),
    ("FIND_IN_SET(Attribute, 'a')", None, 4),
    ("SUBSTRING_INDEX('www.museum.org', '.', 1)", "www"),
    ("SUBSTRING_INDEX('www.museum.org', '.', 2)", "www.museum"),
    ("SUBSTRING_INDEX('www.museum.org', '.', 9)", "www.museum.org"),
    ("SUBSTRING_INDEX('www.museum.org', '.', -1)", "org"),
    ("SUBSTRING_INDEX('www.museum.org', '.', -2)", "museum.org"),
    ("SUBSTRING_INDEX('www.museum.org', '.', -3)", "www.museum.org"),
    ("SUBSTRING_INDEX('www.museum.org', '.', 0)", ""),
    ("SUBSTRING_INDEX('a<br>b<br>c', '<br>', 2)", "a<br>b"),
    ("SUBSTRING_INDEX(Title, 'x', 1)", "Alpha"),
    ("SUBSTRING_INDEX(Title, 'p', -1)", "ha"),
    ("SUBSTRING_INDEX('aaa', 'aa', 1)", ""),
    ("SUBSTRING_INDEX('', ',', 2)", ""),
    ("SUBSTRING_INDEX(Attribute, ',', 1)", None, 4),
    ("PATINDEX('%ph%', Title)", 3),
    ("PATINDEX('%PH%', Title)", 0),
    ("PATINDEX('Al%', Title)", 1),
    ("PATINDEX('ph%', Title)", 0),
    ("PATINDEX('%pha', Title)", 3),
    ("PATINDEX('%Al', Title)", 0),
    ("PATINDEX('Alpha', Title)", 1),
    ("PATINDEX('%[_]%', Title)", 1, 4),
    ("PATINDEX('%a%', Attribute)", None, 4),
    ("PATINDEX('a%', Attribute)", None, 4),
    ("TRY_CAST('abc' AS int)", None),
    ("TRY_CAST('12' AS int)", 12),
    ("TRY_CAST(Title AS int)", None),
    ("TRY_CAST(Attribute AS int)", 7),
    ("TRY_CAST('2024-02-30' AS date)", None),
    ("TRY_CAST('abc' AS decimal(9, 2))", None),
    ("TRY_CONVERT(int, 'x')", None),
    ("TRY_CONVERT(varchar(2), Title)", "Al"),
    ("DATENAME(month, AddDate)", "January"),
    ("DATENAME(month, '2026-09-01')", "September"),
    ("DATENAME(weekday, AddDate)", "Wednesday"),
    ("DATENAME(dw, '2026-11-22')", "Sunday"),
    ("DATENAME(year, AddDate)", "2024"),
    ("DATENAME(week, AddDate)", "5"),
    ("DATENAME(month, AddDate)", None, 4),
    ("DATEPART(weekday, AddDate)", 4),
    ("DATEPART(dw, '0001-01-01')", 2),
    ("DATEPART(week, AddDate)", 5),
    ("DATEPART(week, '2026-01-01')", 1),
    ("DATEPART(week, '2026-01-03 23:59:59')", 1),
    ("DATEPART(week, '2026-01-04')", 2),
    ("DATEPART(wk, '2023-01-01')", 1),
    ("DATEPART(ww, '2024-12-31')", 53),
    ("DATEPART(week, '0001-12-31')", 53),
    ("DATEPART(quarter, AddDate)", 1),
    ("EOMONTH(AddDate)", "2024-01-31 00:00:00"),
    ("EOMONTH(AddDate, 1)", "2024-02-29 00:00:00"),
    ("EOMONTH('2026-12-24', -1)", "2026-11-30 00:00:00"),
    ("EOMONTH('9999-12-15')", "9999-12-31 00:00:00"),
    ("EOMONTH('9999-12-15', 1)", None),
    ("EOMONTH(AddDate)", None, 4),
    ("TO_DAYS('0001-01-01')", 366),
    ("TO_DAYS('2007-10-07')", 733321),
    ("TO_DAYS(AddDate)", 739281),
    ("UNIX_TIMESTAMP('1970-01-02')", 86400),
    ("UNIX_TIMESTAMP(AddDate)", 1706696430),
    ("UNIX_TIMESTAMP('1969-12-31 23:59:59')", -1),
    ("DATEDIFF(week, '0001-01-06', '0001-01-07')", 1),
]


@pytest.mark.parametrize(("text", "expected", "row"), [(*case, 1)[:3] for case in VALUES], ids=lambda value: str(value))
def test_a_function_has_the_same_value_on_both_engines(engine, text, expected, row):
    # In a condition too, where an engine may work it out beforehand.
    statement = f"SELECT {text} AS v FROM siteserver_Content WHERE Id = {row}"
    assert answer(engine, statement) == [(expected,)]


def test_the_present_is_the_moment_of_the_statement(engine):
    statement = "SELECT UNIX_TIMESTAMP() - UNIX_TIMESTAMP(NOW()) AS v, EOMONTH(NOW()) AS m"
    ((difference, month),) = answer(engine, statement)
    assert difference == 0
    assert month.endswith("00:00:00")


def test_rows_are_divided_into_parts(engine):
    statement = "SELECT NTILE(2) OVER (ORDER BY Id) AS n FROM siteserver_Content ORDER BY Id"
    assert answer(engine, statement) == [(1,), (1,), (1,), (2,), (2,)]


REFUSED = [
    (
        "SUBSTRING_INDEX(Title, Attribute, 1)",
        "The delimiter of SUBSTRING_INDEX must be a text literal of 1 to 100 characters",
    ),
    ("SUBSTRING_INDEX(Title, '', 1)", "The delimiter of SUBSTRING_INDEX"),
    ("SUBSTRING_INDEX(Title, ',', Id)", "The count of SUBSTRING_INDEX must be an integer literal from -20 to 20"),
    ("SUBSTRING_INDEX(Title, ',', 21)", "The count of SUBSTRING_INDEX"),
    ("SUBSTRING_INDEX(Title, ',', 1.5)", "The count of SUBSTRING_INDEX"),
    ("PATINDEX(Title, 'a')", "The pattern of PATINDEX must be a text literal with % before or after it"),
    ("PATINDEX('%a%b%', Title)", "The pattern of PATINDEX"),
    ("PATINDEX('%a_', Title)", "The pattern of PATINDEX"),
    ("PATINDEX('%', Title)", "The pattern of PATINDEX"),
    ("PATINDEX('%[0-9]%', Title)", r"A list of characters such as \[0-9\] is not supported"),
    ("TRY_CAST(Hits AS date)", "Column Hits is a whole number and cannot be used as a date."),
    ("CAST('abc' AS int)", "abc cannot be read as a whole number."),
    ("EXTRACT(WEEK FROM AddDate)", r"SQL dialects count weeks differently; use DATEPART\(week, …\)\."),
    ("DATEPART(century, AddDate)", "century is not a supported date unit"),
    ("NTILE(0) OVER (ORDER BY Id)", "The number of groups of NTILE"),
    ("NTILE(Id) OVER (ORDER BY Id)", "The number of groups of NTILE"),
    ("NTILE(2)", "NTILE without OVER"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_has_no_common_meaning_is_refused_with_its_reason(text, reason):
    with pytest.raises(NotAllowed, match=reason):
        compiled(f"SELECT {text} AS v FROM siteserver_Content")


@pytest.mark.parametrize("text", ["SUBSTRING_INDEX({}, 'a', 20)", "STUFF({}, 1, 1, 'a')", "EOMONTH({0}, TO_DAYS({0}))"])
def test_functions_within_each_other_are_counted_before_they_are_written_out(text):
    nested = "Title"
    for _ in range(7):
        nested = text.format(nested)
    with pytest.raises(TooLarge, match=r"The statement has more than 1200 parts\."):
        compiled(f"SELECT {nested} AS v FROM siteserver_Content")


def test_a_function_that_is_called_often_is_counted_each_time():
    repeated = ", ".join(["SUBSTRING_INDEX(Title, 'a', 20)"] * 50)
    with pytest.raises(TooLarge, match=r"The statement has more than 1200 parts\."):
        compiled(f"SELECT {repeated} FROM siteserver_Content")
