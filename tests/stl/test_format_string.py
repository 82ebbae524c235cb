"""`formatString`: dates in .NET's formats."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lib.errors import InvalidInput
from core.stl.dates import format_date

MOMENT = datetime(2018, 2, 23, 10, 32, 5)


@pytest.mark.parametrize(
    ("format_string", "written"),
    [
        ("", "2018-02-23"),
        ("  ", "2018-02-23"),
        ("yyyy-MM-dd HH:mm:ss", "2018-02-23 10:32:05"),
        (" yyyy-MM-dd ", "2018-02-23"),
        ("yyyy年M月d日", "2018年2月23日"),
        ("MM/dd HH:mm", "02/23 10:32"),
        ("ddd, MMM d", "Fri, Feb 23"),
        ("h:mm tt", "10:32 AM"),
        ("{0:yyyy}", "2018"),
        ("{0:yyyy}年{0:MM}", "2018年02"),
        ("{0:yyyy", "2018"),
        ("yyyy}", "2018"),
        ("{0}", "02/23/2018 10:32:05"),
        ("d", "02/23/2018"),
        ("D", "Friday, 23 February 2018"),
        ("{0:d}", "02/23/2018"),
    ],
)
def test_formats_of_channel_and_content(format_string, written):
    assert format_date(MOMENT, format_string, completed=True) == written


@pytest.mark.parametrize(
    ("format_string", "written"),
    [
        ("", "2018-02-23"),
        (" yyyy ", " 2018 "),
        ("{0:yyyy}", "2018"),
        ("in {0:yyyy}, {{{0:d}}}", "in 2018, {02/23/2018}"),
        ("{yyyy}", "{2018}"),
    ],
)
def test_elsewhere_the_format_is_taken_as_it_was_given(format_string, written):
    assert format_date(MOMENT, format_string, completed=False) == written


@pytest.mark.parametrize(
    ("format_string", "written"),
    [
        ("f", "Friday, 23 February 2018 10:32"),
        ("F", "Friday, 23 February 2018 10:32:05"),
        ("g", "02/23/2018 10:32"),
        ("G", "02/23/2018 10:32:05"),
        ("m", "February 23"),
        ("M", "February 23"),
        ("o", "2018-02-23T10:32:05.0000000"),
        ("O", "2018-02-23T10:32:05.0000000"),
        ("r", "Fri, 23 Feb 2018 10:32:05 GMT"),
        ("R", "Fri, 23 Feb 2018 10:32:05 GMT"),
        ("s", "2018-02-23T10:32:05"),
        ("t", "10:32"),
        ("T", "10:32:05"),
        ("u", "2018-02-23 10:32:05Z"),
        ("y", "2018 February"),
        ("Y", "2018 February"),
    ],
)
def test_a_single_letter_is_a_standard_format(format_string, written):
    assert format_date(MOMENT, format_string, completed=True) == written


@pytest.mark.parametrize(
    ("format_string", "written"),
    [
        ("%d %M %y", "5 3 7"),
        ("%d", "5"),
        ("d dd ddd dddd ddddd", "5 05 Sat Saturday Saturday"),
        ("M MM MMM MMMM MMMMM", "3 03 Mar March March"),
        ("y yy yyy yyyy yyyyy", "7 07 2107 2107 02107"),
        ("h hh H HH hhh HHH", "3 03 15 15 03 15"),
        ("m mm s ss", "4 04 9 09"),
        ("t tt ttt", "P PM PM"),
        ("f ff fff ffffff fffffff", "0 01 012 012000 0120000"),
        ("s.F s.FF s.FFFF", "9 9.01 9.012"),
        ("gg g", "A.D. A.D."),
        ("yyyyK", "2107"),
        ("'day' d \"of\" \\M: M", "day 5 of M: 3"),
        (r"'a\'b' 'c\\'", "a'b c\\"),
        ("'' x", " x"),
        ("a-b_.年", "a-b_.年"),
        ("%年", "年"),
    ],
)
def test_letters_of_a_custom_format(format_string, written):
    moment = datetime(2107, 3, 5, 15, 4, 9, 12_000)
    assert format_date(moment, format_string, completed=False) == written


@pytest.mark.parametrize(("hour", "written"), [(0, "12 AM"), (1, "1 AM"), (12, "12 PM"), (13, "1 PM"), (23, "11 PM")])
def test_hours_of_the_twelve_hour_clock(hour, written):
    assert format_date(MOMENT.replace(hour=hour), "h tt", completed=True) == written


@pytest.mark.parametrize(
    ("zone", "month", "written"),
    [
        ("Asia/Shanghai", 1, "+8 +08 +08:00"),
        ("UTC", 1, "+0 +00 +00:00"),
        ("America/New_York", 1, "-5 -05 -05:00"),
        ("America/New_York", 7, "-4 -04 -04:00"),
        ("Asia/Kolkata", 1, "+5 +05 +05:30"),
        ("America/St_Johns", 1, "-3 -03 -03:30"),
    ],
)
def test_offsets_are_those_of_the_time_zone_at_that_moment(settings, zone, month, written):
    settings.TIME_ZONE = zone
    assert format_date(MOMENT.replace(month=month), "z zz zzz", completed=True) == written


@pytest.mark.parametrize("never", [None, datetime(1, 1, 1), datetime(1754, 1, 1)])
@pytest.mark.parametrize("format_string", ["", "yyyy"])
def test_a_date_that_never_happened_is_empty(never, format_string):
    assert format_date(never, format_string, completed=True) == ""


@pytest.mark.parametrize("completed", [True, False])
@pytest.mark.parametrize(
    "format_string",
    [
        *("a", "U", "-", "/", "年", "'", "'abc", 'yyyy "x', "yyyy\\", "yyyy%", "%%", "%'", "ffffffff", "y" * 101),
        *("{0:yyyy}}", "{0,5:yyyy}", "{0:yyyy{0:MM}}", "{0:yyyy}{1}"),
    ],
)
def test_refuses_a_bad_format(format_string, completed):
    with pytest.raises(InvalidInput, match=r"^The formatString .*\.$") as refusal:
        format_date(MOMENT, format_string, completed=completed)
    assert (refusal.value.code, refusal.value.members) == ("bad_format", {"member": "formatString"})


FORMATS = st.text(st.sampled_from("dMyhHmsftzgKF%'\"\\{}0:/ -年") | st.characters(codec="utf-8"), max_size=120)


@given(moment=st.datetimes(min_value=datetime(1755, 1, 1)), format_string=FORMATS, completed=st.booleans())
def test_answers_or_refuses_whatever_is_sent(moment, format_string, completed):
    try:
        assert isinstance(format_date(moment, format_string, completed=completed), str)
    except InvalidInput as refusal:
        assert refusal.code == "bad_format"
