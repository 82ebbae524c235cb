"""Formatting of moments and numbers as in cms_api/formats: `2026-11-21 16:29` and `1,234,567`."""

from datetime import date, datetime
from typing import Any

from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def format_date_time(moment: datetime | None, *, exact: bool = False) -> str:
    if moment is None:
        return ""
    return str(formats.date_format(moment, "Y-m-d H:i:s" if exact else "DATETIME_FORMAT"))


def format_day(day: date | None) -> str:
    return str(formats.date_format(day, "DATE_FORMAT")) if day else ""


def moment_markup(moment: datetime, day: str = "") -> SafeString:
    """Return the markup of date and time for lists; `day` replaces the date, such as "today"."""
    return format_html(
        '<time datetime="{}" title="{}">{} <span>{}</span></time>',
        moment.isoformat(),
        format_date_time(moment),
        day or format_day(moment),
        formats.date_format(moment, "TIME_FORMAT"),
    )


def format_number(number: int) -> str:
    return str(formats.number_format(number, force_grouping=True))


def yes_or_no(value: bool | None) -> str:
    return "–" if value is None else _("yes") if value else _("no")


def format_value(value: Any) -> str:
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return _("(empty)") if value is None or value == "" else str(value)
