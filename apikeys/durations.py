"""Lengths of time as commands take them: `30m`, `24h`, `7d`, or 0 for none."""

import re
from datetime import date, datetime, time, timedelta

_DURATION = re.compile(r"(\d{1,5})([mhd])", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def parse_duration(text: str) -> timedelta:
    """`30m`, `24h`, `7d` or `0`. Raises ValueError with a sentence."""
    text = text.strip()
    if text == "0":
        return timedelta(0)
    match = _DURATION.fullmatch(text.lower())
    if match is None:
        raise ValueError(f"{text!r} is not a length of time; write 30m, 24h or 7d.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def parse_end(text: str, now: datetime) -> datetime:
    """When something ends: a length of time from now, or the beginning of a day such as 2027-01-31.

    Raises ValueError with a sentence, also for an end that is not in the future.
    """
    try:
        end = datetime.combine(date.fromisoformat(text.strip()), time())
    except ValueError:
        end = now + _parse_life(text)
    if end <= now:
        raise ValueError(f"{text!r} is not in the future.")
    return end


def _parse_life(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is neither a length of time such as 90d nor a day such as 2027-01-31.") from error
