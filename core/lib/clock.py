from datetime import datetime, timedelta

from django.db.backends.base.base import BaseDatabaseWrapper

_SECOND, _MINUTE = timedelta(seconds=1), timedelta(minutes=1)
_STEP = timedelta(microseconds=10)


def now() -> datetime:
    """Return the wall-clock time of CMS_TIME_ZONE, to the second: the wire form has no fraction."""
    return datetime.now().replace(microsecond=0)


def steady(later: timedelta = timedelta()) -> datetime:
    """Return a time that only grows, for ends, claims and pauses; `later` is elapsed time.

    It is the wall-clock time, except while clocks that went back repeat an hour: there it stays within the last second
    before the change, ten microseconds for each second. So it can be stored and compared like any other time.
    """
    return after(now(), later)


def after(start: datetime, later: timedelta) -> datetime:
    """Return the steady time `later` after the wall-clock time `start`."""
    moment = datetime.fromtimestamp(start.timestamp() + later.total_seconds()).replace(microsecond=0)
    if not moment.fold:
        return moment
    end = moment.replace(second=0, fold=0)  # becomes the first time that is not repeated
    while _repetition(end):
        end += _MINUTE
    passed = moment.replace(fold=0) - (end - _repetition(moment))
    return end - _SECOND + _STEP * (passed // _SECOND + 1)


def _repetition(moment: datetime) -> timedelta:
    """Return how far clocks go back within the hour of the time; zero if they do not."""
    return timedelta(seconds=moment.replace(fold=1).timestamp() - moment.replace(fold=0).timestamp())


def date_text(sql: str, connection: BaseDatabaseWrapper) -> str:
    """Return SQL for a date and time in the wire form, so that a record needs no conversion."""
    return f"left({sql}::text, 19)" if connection.vendor == "postgresql" else f"substr({sql}, 1, 19)"
