"""The time, as it is stored and answered."""

from datetime import datetime


def now() -> datetime:
    """The wall-clock time of CMS_TIME_ZONE, to the second: the wire form has no fraction."""
    return datetime.now().replace(microsecond=0)
