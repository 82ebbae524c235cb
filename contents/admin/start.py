"""What the start page tells of contents: how many there are, what changed, and what is read most."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib.admin import AdminSite
from django.db import connection
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import formats
from django.utils.translation import gettext_lazy as _

from cms_api.admin.ranks import sites_of
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.shown import shown_moment, shown_number
from cms_api.admin.start.charts import Bar, Chart
from cms_api.admin.start.panels import Figure, Panel, Row, add_panel
from cms_api.lib import clock
from contents.admin.approval.waiting import WAITING, count_of
from contents.conditions import Condition, among, concatenate, fetch
from contents.flags import BITS, ListKind
from contents.models import Content, ListedCount, TrashedContent
from contents.services.approval import reach_of, waiting_for
from sites.models import Site

_ROWS = 5
_DAYS = 14
# Sites whose contents are told, the newest sites first; and of how many at once, each by an index range of its own.
_MOST_SITES, _AT_ONCE = 500, 100
# Contents that a chart counts; somebody who has just imported more sees none.
_MOST_DRAWN = 200_000
_ENOUGH = 1000  # contents in the trash, beyond which the number is not counted


def _contents(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "contents.Content")
    if page is None:
        return None
    address, sites = address_of(page), _site_ids(request)
    return Panel(
        "contents",
        _("Contents"),
        address,
        figures=_figures(site, request, address, sites),
        chart=_chart(address, sites),
    )


def _figures(site: AdminSite, request: HttpRequest, address: str, sites: Sequence[int]) -> list[Figure]:
    counts = ListedCount.objects.filter(kind=ListKind.CHANNEL, owner_id__in=sites)
    by_flags = dict(counts.values_list("flags").annotate(number=Sum("contents")))
    approved = sum(number for flags, number in by_flags.items() if flags & BITS["is_checked"])
    every = sum(by_flags.values())
    found = [
        Figure(_("in all"), shown_number(every), address),
        Figure(_("approved"), shown_number(approved), f"{address}?state=approved"),
        Figure(
            _("not approved"),
            shown_number(every - approved),
            f"{address}?state=pending",
            note=_("drafts, rejected and waiting"),
        ),
    ]
    if trash := page_of(site, request, "contents.TrashedContent"):
        gone = TrashedContent.objects.filter(trashed_at__isnull=False, site__in=sites)[: _ENOUGH + 1].count()
        told = f"{shown_number(_ENOUGH)}+" if gone > _ENOUGH else shown_number(gone)
        found.append(Figure(_("in the trash"), told, address_of(trash)))
    return found


def _chart(address: str, sites: Sequence[int]) -> Chart | None:
    today = clock.now().date()
    days = [today - timedelta(days=number) for number in reversed(range(_DAYS))]
    numbers = _added(sites, days[0], today + timedelta(days=1))
    if not numbers or sum(numbers.values()) > _MOST_DRAWN:
        return None
    bars = [
        Bar(
            formats.date_format(day, "MONTH_DAY_FORMAT"),
            numbers.get(f"{day:%Y-%m-%d}", 0),
            f"{address}?added_from={day:%Y-%m-%d}&added_to={day:%Y-%m-%d}",
        )
        for day in days
    ]
    return Chart(_("Added in the last %(days)d days") % {"days": _DAYS}, bars)


def _added(sites: Sequence[int], first: date, end: date) -> dict[str, int]:
    """How many contents were added on each day from the first one on, until `end`: one range of an index a site."""
    owner, span = among("owner_id", sites), (datetime.combine(first, time()), datetime.combine(end, time()))
    adapt = connection.ops.adapt_datetimefield_value
    sql = (
        "SELECT day, COUNT(*) FROM (SELECT substr(CAST(add_date AS text), 1, 10) AS day FROM contents_listedcontent "
        f"WHERE kind = {ListKind.CHANNEL.value} AND {owner.sql} AND is_checked IN (%s, %s) "
        f"AND add_date >= %s AND add_date < %s LIMIT {_MOST_DRAWN + 1}) added GROUP BY day"
    )
    return dict(fetch(sql, (*owner.params, True, False, *map(adapt, span))))


def _waiting(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "contents.Content")
    if page is None or not reach_of(request.user):
        return None
    waiting = waiting_for(request.user).select_related("channel")
    address, number = address_of(page, "waiting"), count_of(WAITING, request.user) or "0"
    rows = [
        Row(each.title, address_of(page, "change", each.pk), f"{each.channel}, {shown_moment(each.last_edit_date)}")
        for each in waiting.only("title", "last_edit_date", "channel__channel_name")[:_ROWS]
    ]
    figures = [Figure(_("can be decided by you now"), number, address)]
    told = _("Waits for your approval")
    return Panel("waiting", told, address, figures=figures, rows=rows, nothing=WAITING.nothing)


def _changed(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "contents.Content")
    if page is None:
        return None
    found = _first(_site_ids(request), "last_edit_date", "trashed_at IS NULL")
    rows = [
        Row(
            each.title,
            address_of(page, "change", each.pk),
            ", ".join(filter(None, [each.last_edit_user_name, shown_moment(each.last_edit_date)])),
        )
        for each in found
    ]
    return Panel("changed", _("Changed lately"), address_of(page), rows=rows, nothing=_("There are no contents yet."))


def _most_read(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, "contents.Content")
    if page is None:
        return None
    found = _first(_site_ids(request), "hits", "trashed_at IS NULL AND hits > 0")
    rows = [Row(each.title, address_of(page, "change", each.pk), shown_number(each.hits)) for each in found]
    nothing = _("No hits have been counted yet.")
    # Columns of a list are numbered after the one with the boxes.
    by_hits = f"?o=-{list(page.list_display).index('hits_shown') + 1}"
    return Panel("read", _("Read most"), f"{address_of(page)}{by_hits}", rows=rows, nothing=nothing)


def _first(sites: Sequence[int], column: str, condition: str) -> list[Content]:
    """The contents of the sites with the highest values of a column that an index by site holds."""
    found = [
        one
        for start in range(0, len(sites), _AT_ONCE)
        for one in _best(sites[start : start + _AT_ONCE], column, condition)
    ]
    numbers = [number for number, _ranked in sorted(found, key=lambda one: (one[1], one[0]), reverse=True)[:_ROWS]]
    rows = Content.objects.only("title", "hits", "last_edit_date", "last_edit_user_name").in_bulk(numbers)
    return [rows[number] for number in numbers if number in rows]


def _best(sites: Sequence[int], column: str, condition: str) -> list[tuple[int, Any]]:
    ranges = [
        Condition(
            # In parts, each the end of an index range: neither engine finds them for several sites at once.
            f"SELECT * FROM (SELECT id, {column} AS ranked FROM contents_content WHERE site_id = %s AND {condition} "
            f"ORDER BY {column} DESC, id DESC LIMIT {_ROWS}) of_site",
            (site_id,),
        )
        for site_id in sites
    ]
    merged = concatenate(" UNION ALL ", ranges)
    return fetch(f"{merged.sql} ORDER BY ranked DESC, id DESC LIMIT {_ROWS}", merged.params)


def _site_ids(request: HttpRequest) -> list[int]:
    own = sites_of(request.user)
    rows = Site.objects.order_by("-pk").values_list("pk", flat=True)
    return list((rows if own is None else rows.filter(pk__in=own))[:_MOST_SITES])


add_panel(10, "contents", _("Contents"), _contents)
add_panel(20, "waiting", _("Waits for your approval"), _waiting)
add_panel(30, "changed", _("Changed lately"), _changed)
add_panel(40, "read", _("Read most"), _most_read)
