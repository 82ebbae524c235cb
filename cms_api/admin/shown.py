"""Moments and numbers as pages show them, in the forms of cms_api/formats: `2026-11-21 16:29` and `1,234,567`.

What files and the interface hold is none of this: it has the forms of the wire.
"""

from datetime import date, datetime
from typing import Any

from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def shown_moment(moment: datetime | None, *, exact: bool = False) -> str:
    """Day and time to the minute, or to the second; empty for None."""
    if moment is None:
        return ""
    return str(formats.date_format(moment, "Y-m-d H:i:s" if exact else "DATETIME_FORMAT"))


def shown_day(day: date | None) -> str:
    """The day; empty for None."""
    return str(formats.date_format(day, "DATE_FORMAT")) if day else ""


def moment_markup(moment: datetime, day: str = "") -> SafeString:
    """Day and time as lists show them, the time apart; `day` are other words for the day, such as "today"."""
    return format_html(
        '<time datetime="{}" title="{}">{} <span>{}</span></time>',
        moment.isoformat(),
        shown_moment(moment),
        day or shown_day(moment),
        formats.date_format(moment, "TIME_FORMAT"),
    )


def shown_number(number: int) -> str:
    """The number with commas between thousands, whatever the language of the page."""
    return str(formats.number_format(number, force_grouping=True))


def shown_value(value: Any) -> str:
    """The value of a member in words."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return _("(empty)") if value is None or value == "" else str(value)
