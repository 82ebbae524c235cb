"""The calendar of publications and withdrawals, a month or a week on a page."""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import formats
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from contents.admin.actions.schedule import SCHEDULE
from contents.admin.writing.schedule import describe_stored
from contents.models import ContentSchedule
from contents.services import schedules
from contents.services.schedules import TIMES
from contents.storing.locking import Seen
from core.admin.action_views import undo_button
from core.admin.admin_actions import Changed
from core.admin.error_messages import tell
from core.admin.formatting import format_day
from core.admin.numbers import read_number
from core.admin.places import Places
from core.admin.views import address_of, render_page
from core.lib import clock
from core.lib.errors import ServiceError
from sites.admin.choosing import site_choices
from sites.admin.menu import site_of_list

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_MAX_ROWS = 1000  # schedules on a page


@dataclass(frozen=True, slots=True)
class Event:
    at: datetime
    schedule: ContentSchedule
    name: str  # of the time: publish_at, unpublish_at

    @property
    def is_publication(self) -> bool:
        return self.name == "publish_at"


@dataclass(frozen=True, slots=True)
class Day:
    date: date
    is_of_month: bool
    is_today: bool
    events: list[Event]


def calendar_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Show the times of a month, by default the current one, or of a week, in the administrator's sites or in one."""
    if not page.has_view_permission(request):
        raise PermissionDenied
    today = clock.now().date()
    places: Places = page.seen_places(request.user)
    site, choices = site_of_list(request, places), site_choices(request, places)
    place = {"site": str(site or "")} if "site" in request.GET else {}
    week, month = _asked_day(request.GET.get("week", "")), _asked_month(request.GET.get("month", ""))
    first = week or month or today.replace(day=1)
    week_start = (formats.get_format("FIRST_DAY_OF_WEEK") - 1) % 7
    weeks = calendar.Calendar(week_start).monthdatescalendar(first.year, first.month)
    earlier, later = (_month_query(first + timedelta(days=days), place) for days in (-1, 31))
    present = _month_query(today, place)
    if week:
        weeks = [days for days in weeks if week in days]
        earlier, later = (_week_query(weeks[0][0] + timedelta(days=days), place) for days in (-7, 7))
        present = _week_query(today, place)
    rows = _visible(page, request, site)
    events, has_more = _events_of(rows, weeks[0][0], weeks[-1][-1])
    context = {
        "title": _("Calendar of publications"),
        "caption": _caption(weeks[0]) if week else formats.date_format(first, "YEAR_MONTH_FORMAT"),
        "chosen_month": _as_month(first),
        "weekdays": [(formats.date_format(day, "l"), formats.date_format(day, "D")) for day in weeks[0]],
        "weeks": [[_day(day, None if week else first, today, events) for day in days] for days in weeks],
        "week": week,
        "earlier": earlier,
        "later": later,
        "present": present,
        "as_month": _month_query(first, place),
        "as_week": _week_query(today if not week and first == today.replace(day=1) else first, place),
        "everywhere": (_week_query if week else _month_query)(first, {"site": ""}),
        "is_empty": not events,
        "has_more": has_more,
        "failed": rows.exclude(failure="").order_by("content_id")[:100],
        "sites": choices if len(choices) > 1 else [],
        "site": site,
        "has_view_permission": True,
        "may_move": page.allows(request, "approve"),
        "query": request.GET.urlencode(),
    }
    request.menu_entry = address_of(page, "calendar")  # type: ignore[attr-defined]  # for the menu
    return render_page(page, request, "contents/calendar.html", context)


def next_days(page: Any, request: HttpRequest, days: int) -> list[Day]:
    """Return the days from today with their times; one statement."""
    today = clock.now().date()
    dates = [today + timedelta(days=number) for number in range(days)]
    events, _has_more = _events_of(_visible(page, request, None), dates[0], dates[-1])
    return [_day(day, None, today, events) for day in dates]


def move_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Move a time to another day; its hour stays."""
    sent = request.POST
    back = f"{address_of(page, 'calendar')}?{QueryDict(sent.get('query', '')).urlencode()}"
    if sent.get("from") == "start":
        back = reverse("admin:index")
    if request.method != "POST":  # reloaded, or opened by its address
        return HttpResponseRedirect(back)
    name, day = sent.get("name", ""), _asked_day(sent.get("day", ""))
    number, version = (read_number(sent.get(key)) for key in ("content", "version"))
    places = page.places(request.user, "approve")
    schedule = _visible(page, request, None).filter(pk=number).first() if number else None
    if schedule is None or name not in TIMES or day is None or not page.is_in(places, schedule.content):
        raise Http404
    former = getattr(schedule, name)
    seen = Seen(schedule.site_id, schedule.pk)
    try:
        moment = datetime.combine(day, former.time() if former else time.min)
        stored = schedules.reschedule(seen, request.user, name, moment, version or 0)
    except ServiceError as refusal:
        told = {"name": schedule.content.title, "text": tell(refusal)}
        messages.error(request, _("%(name)s: %(text)s") % told)
    else:
        undo = undo_button(page, request, SCHEDULE, [Changed(stored.pk, stored.version)], back)
        messages.success(request, format_html("{}{}", describe_stored(schedule.content.title, stored), undo))
    return HttpResponseRedirect(back)


def _visible(page: Any, request: HttpRequest, site: int | None) -> QuerySet[ContentSchedule]:
    rows = ContentSchedule.objects.filter(content__trashed_at=None).select_related("content__site", "content__channel")
    rows = rows.defer("content__settings_xml", "content__summary", "content__site__settings")
    places: Places = page.seen_places(request.user)
    rows = places.narrow(rows, "site_id", "content__channel")
    return rows if site is None else rows.filter(site_id=site)


def _asked_month(text: str) -> date | None:
    found = _MONTH.fullmatch(text)
    year = int(found[1]) if found else 0
    return date(year, int(found[2]), 1) if found and 1900 <= year < 9000 else None


def _asked_day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
    return found if found and 1900 <= found.year < 9000 else None


def _as_month(day: date) -> str:
    return f"{day.year:04}-{day.month:02}"


def _month_query(day: date, place: dict[str, str]) -> str:
    return urlencode({"month": _as_month(day), **place})


def _week_query(day: date, place: dict[str, str]) -> str:
    return urlencode({"week": f"{day:%Y-%m-%d}", **place})


def _caption(days: list[date]) -> str:
    return f"{format_day(days[0])} – {format_day(days[-1])}"


def _events_of(rows: QuerySet[ContentSchedule], first: date, last: date) -> tuple[list[Event], bool]:
    """The times of the days, sorted, and true if there are more schedules than a page shows."""
    start, end = datetime.combine(first, time.min), datetime.combine(last, time.max)
    within = [Q((f"{name}__range", (start, end))) for name in TIMES]
    found = list(rows.filter(within[0] | within[1]).order_by("content_id")[: _MAX_ROWS + 1])
    return sorted(_events(found[:_MAX_ROWS]), key=lambda event: event.at), len(found) > _MAX_ROWS


def _events(schedules: Iterable[ContentSchedule]) -> Iterator[Event]:
    for schedule in schedules:
        for name in TIMES:
            if (at := getattr(schedule, name)) is not None:
                yield Event(at, schedule, name)


def _day(day: date, first: date | None, today: date, events: list[Event]) -> Day:
    return Day(
        day,
        first is None or day.month == first.month,
        day == today,
        [event for event in events if event.at.date() == day],
    )
