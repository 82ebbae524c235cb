"""Formatting of moments and numbers as in cms_api/formats: `2026-11-21 16:29` and `1,234,567`."""

from datetime import date, datetime, timedelta
from typing import Any

from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _

from core.lib import clock

_RECENT = timedelta(days=7)


def format_date_time(moment: datetime | None, *, exact: bool = False) -> str:
    if moment is None:
        return ""
    return str(formats.date_format(moment, "Y-m-d H:i:s" if exact else "DATETIME_FORMAT"))


def format_day(day: date | None) -> str:
    return str(formats.date_format(day, "DATE_FORMAT")) if day else ""


def moment_markup(moment: datetime) -> SafeString:
    """Return the markup of a moment in words, with the exact time on hover."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        format_date_time(moment, exact=True),
        tell_moment(moment),
    )


def tell_moment(moment: datetime) -> str:
    """Return `just now`, `2 hours ago` or `in 3 days`; beyond a week the date."""
    now = clock.now()
    if abs(moment - now) >= _RECENT:
        return format_day(moment)
    if abs(moment - now) < timedelta(minutes=1):
        return _("just now")
    if moment > now:
        return _("in %(time)s") % {"time": timeuntil(moment, now, depth=1)}
    return _("%(time)s ago") % {"time": timesince(moment, now, depth=1)}


def format_number(number: int) -> str:
    return str(formats.number_format(number, force_grouping=True))


def yes_or_no(value: bool | None) -> str:
    return "–" if value is None else _("yes") if value else _("no")


def format_value(value: Any) -> str:
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return _("(empty)") if value is None or value == "" else str(value)
