"""Lengths of time as commands take them."""

from datetime import datetime, timedelta

import pytest
from django.core.management.base import CommandError

from apikeys.management.commands.create_api_key import parse_end
from core.lib.durations import parse_duration

NOW = datetime(2026, 11, 20, 9, 30)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("0", timedelta(0)),
        ("0m", timedelta(0)),
        ("30m", timedelta(minutes=30)),
        ("24h", timedelta(hours=24)),
        ("7d", timedelta(days=7)),
        (" 7D ", timedelta(days=7)),
        ("99999d", timedelta(days=99999)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text, duration):
    assert parse_duration(text) == duration


BAD = ["", "7", "d", "-7d", "7 d", "1.5h", "7w", "7days", "1h30m", "999999d", "７d", "2027-01-31", "none", "\x00"]


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"is not a duration; write 30m, 24h or 7d\."):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("90d", NOW + timedelta(days=90)),
        ("1m", NOW + timedelta(minutes=1)),
        ("2027-01-31", datetime(2027, 1, 31)),
        (" 2026-11-21 ", datetime(2026, 11, 21)),
    ],
)
def test_an_end_is_a_length_of_time_from_now_or_the_beginning_of_a_day(text, end):
    assert parse_end(text, NOW) == end


@pytest.mark.parametrize("text", ["0", "0d", "2026-11-20", "2026-11-19", "0001-01-01"])
def test_an_end_lies_in_the_future(text):
    with pytest.raises(CommandError, match="is not in the future"):
        parse_end(text, NOW)


@pytest.mark.parametrize("text", ["", "soon", "2027-02-30", "2027-1-31", "31.01.2027", "2027-01-31 10:00", "-1d"])
def test_any_other_end_is_refused_with_a_sentence(text):
    with pytest.raises(CommandError, match="neither a duration such as 90d nor a date such as 2027-01-31"):
        parse_end(text, NOW)
