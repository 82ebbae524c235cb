from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from migration.values import flag, id_list, moment, names, number, settings, text

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize("value", ["True", "true", " TRUE ", "1", 1, True])
def test_reads_true(value):
    assert flag(value) is True


@pytest.mark.parametrize("value", ["False", "", "yes", None, 0, False])
def test_reads_anything_else_as_false(value):
    assert flag(value) is False


@pytest.mark.parametrize(("value", "read"), [(None, ""), ("a\0b", "ab"), ("\ud83dc", "c"), (12, "12")])
def test_reads_texts_that_databases_can_store(value, read):
    assert text(value) == read


@pytest.mark.parametrize(
    ("value", "read"),
    [(None, 0), (" 12 ", 12), ("-99", -99), (Decimal("12.00"), 12), (12.0, 12), ("twelve", 0), (float("nan"), 0)],
)
def test_reads_numbers(value, read):
    assert number(value) == read


@pytest.mark.parametrize(
    "value",
    [
        datetime(2017, 6, 20, 10, 52, 0, 999_000),
        datetime(2017, 6, 20, 2, 52, tzinfo=UTC),
        datetime(2017, 6, 20, 5, 52, tzinfo=timezone(timedelta(hours=3))),
        "2017-06-20 10:52:00",
        "2017-06-20T10:52:00.1234567",
        "2017-06-20T02:52:00+00:00",
    ],
)
def test_reads_dates_as_wall_clock_time(value):
    assert moment(value, SHANGHAI) == datetime(2017, 6, 20, 10, 52)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        datetime(1754, 1, 1),
        datetime(1, 1, 1, tzinfo=UTC),
        "1754-01-01 00:00:00",
        "0000-00-00 00:00:00",
        "soon",
    ],
)
def test_reads_never(value):
    assert moment(value, SHANGHAI) is None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (None, {}),
        (
            '{"pageSize": 20, "isCheck": true, "note": "_sqlquote_"}',
            {"pageSize": "20", "isCheck": "True", "note": "_sqlquote_"},
        ),
        ("PageSize=20/u0026note=it_sqlquote_s a_equals_b _sqldoulbeline_", {"pagesize": "20", "note": "it's a=b --"}),
    ],
)
def test_reads_both_forms_of_settings(value, read):
    told = []
    assert settings(value, lambda *finding: told.append(finding)) == read
    assert not told


@pytest.mark.parametrize(
    ("value", "read", "finding"),
    [
        *((text, {}, "Settings cannot be read and were left out.") for text in ('{"pageSize": }', '{"a":1,', "[1]")),
        ('<settings name="a" value="b" />', {}, "Settings cannot be read and were left out."),
        ("<settings><a>1</a>", {}, "Settings cannot be read and were left out."),
        ("pageSize=20&not", {"pagesize": "20"}, "A part of settings is no name with a value; it was left out."),
        ("nothing", {}, "A part of settings is no name with a value; it was left out."),
        (
            '{"a":"x\\u0000","b":"\\ud800"}',
            {"a": "x", "b": ""},
            "A text had characters that databases cannot store; they were removed.",
        ),
    ],
)
def test_settings_that_cannot_be_read_are_told_and_the_others_stay(value, read, finding):
    told = []
    assert settings(value, lambda sentence, detail: told.append(sentence)) == read
    assert told == [finding]


def test_reads_lists():
    assert names(" a,b,,a, c d ") == ["a", "b", "c d"]
    assert id_list("36, 37,x,-1,0,36") == [36, 37]
