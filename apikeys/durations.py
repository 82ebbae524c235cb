"""When a key ends, as commands take it."""

from datetime import date, datetime, time, timedelta

from cms_api.lib.durations import parse_duration


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
