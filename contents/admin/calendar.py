"""The calendar of publications and withdrawals, a month on a page."""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import formats
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from contents.models import ContentSchedule
from contents.services.schedules import TIMES
from core.admin.numbers import read_number
from core.admin.places import Places
from core.admin.views import address_of, render_page
from core.lib import clock
from sites.admin.choosing import site_choices

_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_MAX_ROWS = 1000  # schedules on a page


@dataclass(frozen=True, slots=True)
class Event:
    at: datetime
    schedule: ContentSchedule
    is_publication: bool


@dataclass(frozen=True, slots=True)
class Day:
    date: date
    is_of_month: bool
    is_today: bool
    events: list[Event]


def calendar_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Show the times of a month, by default the current one, in all sites of the administrator or in one."""
    if not page.has_view_permission(request):
        raise PermissionDenied
    today = clock.now().date()
    first = _asked_month(request.GET.get("month", "")) or today.replace(day=1)
    week_start = (formats.get_format("FIRST_DAY_OF_WEEK") - 1) % 7
    weeks = calendar.Calendar(week_start).monthdatescalendar(first.year, first.month)
    site = read_number(request.GET.get("site", ""))
    rows = _visible(page, request, site)
    start = datetime.combine(weeks[0][0], time.min)
    end = datetime.combine(weeks[-1][-1], time.max)
    within = [Q((f"{name}__range", (start, end))) for name in TIMES]
    found = list(rows.filter(within[0] | within[1]).order_by("content_id")[: _MAX_ROWS + 1])
    events = sorted(_events(found[:_MAX_ROWS]), key=lambda event: event.at)
    choices = site_choices(request, page.seen_places(request.user))
    context = {
        "title": _("Calendar of publications"),
        "month": formats.date_format(first, "YEAR_MONTH_FORMAT"),
        "chosen_month": _as_month(first),
        "weekdays": [(formats.date_format(day, "l"), formats.date_format(day, "D")) for day in weeks[0]],
        "weeks": [[_day(day, first, today, events) for day in week] for week in weeks],
        "earlier": _query(first - timedelta(days=1), site),
        "later": _query(first + timedelta(days=31), site),
        "present": _query(today, site),
        "has_more": len(found) > _MAX_ROWS,
        "failed": rows.exclude(failure="").order_by("content_id")[:100],
        "sites": choices if len(choices) > 1 else [],
        "site": site,
        "has_view_permission": True,
    }
    request.menu_entry = address_of(page, "calendar")  # type: ignore[attr-defined]  # for the menu
    return render_page(page, request, "contents/calendar.html", context)


def _visible(page: Any, request: HttpRequest, site: int | None) -> QuerySet[ContentSchedule]:
    rows = ContentSchedule.objects.filter(content__trashed_at=None).select_related("content__site")
    rows = rows.defer("content__settings_xml", "content__summary", "content__site__settings")
    places: Places = page.seen_places(request.user)
    rows = places.narrow(rows, "site_id", "content__channel")
    return rows if site is None else rows.filter(site_id=site)


def _asked_month(text: str) -> date | None:
    found = _MONTH.fullmatch(text)
    year = int(found[1]) if found else 0
    return date(year, int(found[2]), 1) if found and 1900 <= year < 9000 else None


def _as_month(day: date) -> str:
    return f"{day.year:04}-{day.month:02}"


def _query(day: date, site: int | None) -> str:
    return urlencode({"month": _as_month(day)} | ({} if site is None else {"site": site}))


def _events(schedules: Iterable[ContentSchedule]) -> Iterator[Event]:
    for schedule in schedules:
        for name in TIMES:
            if (at := getattr(schedule, name)) is not None:
                yield Event(at, schedule, name == "publish_at")


def _day(day: date, first: date, today: date, events: list[Event]) -> Day:
    return Day(day, day.month == first.month, day == today, [event for event in events if event.at.date() == day])
