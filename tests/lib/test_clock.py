"""The steady time only grows, also while clocks that went back repeat an hour."""

from datetime import datetime, timedelta

import pytest

from core.lib import clock

CHANGES = ["02:00", "02:59:59", "02:00", "02:00:01", "02:30", "02:59:59", "03:00", "04:00"]
FOLDS = [0, 0, 1, 1, 1, 1, 0, 0]


def test_it_grows_with_every_second(autumn):
    found = []
    for text, fold in zip(CHANGES, FOLDS, strict=True):
        autumn(text, fold)
        found.append(clock.steady())
    assert found == sorted(set(found))


@pytest.mark.parametrize("text", ["01:00", "02:00", "02:59:59", "03:00", "12:00"])
def test_it_is_the_time_on_the_wall_unless_an_hour_is_repeated(autumn, text):
    autumn(text)
    assert clock.steady() == clock.now()


def test_a_repeated_hour_stays_within_the_last_second_before_the_change(autumn):
    autumn("02:59:58", 1)
    assert clock.steady().replace(microsecond=0) == datetime(2026, 10, 25, 2, 59, 59)


@pytest.mark.parametrize(
    "start,later,end,fold",
    [
        ("02:45", {"minutes": 30}, "02:15", 1),
        ("02:15", {"hours": 1}, "02:15", 1),
        ("02:30", {"hours": 2}, "03:30", 0),
        ("01:30", {"minutes": 30}, "02:00", 0),
    ],
)
def test_a_span_is_elapsed_time(autumn, start, later, end, fold):
    autumn(start)
    due, began = clock.steady(timedelta(**later)), clock.steady()
    autumn(end, fold)
    assert clock.steady() == due
    assert clock.steady(-timedelta(**later)) == began


def test_a_span_is_elapsed_time_in_spring(autumn):
    assert clock.after(datetime(2026, 3, 29, 1, 59, 58), timedelta(seconds=5)) == datetime(2026, 3, 29, 3, 0, 3)
