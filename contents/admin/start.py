"""Contents on the start page: first steps and panels."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.contrib.admin import AdminSite
from django.db import connection
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from contents.admin.approval import REVIEW, UNFINISHED, WAITING, reasons_of
from contents.admin.calendar import next_days
from contents.admin.list.last_edits import DATE, IS_LATER, IS_NOT_LATER, LATER_DRAFTS, last_edit_of, with_drafts
from contents.admin.list.sources import ROW, top_ids, within
from contents.flags import BITS, ListKind
from contents.models import Content, ListedCount, TrashedContent
from contents.services import drafts
from contents.services.approval import DRAFT, DecisionKind, reach_of, unfinished_of, waiting_for
from contents.sql_fragments import SqlFragment, among, concatenate, fetch
from core.admin.formatting import format_number, moment_markup
from core.admin.places import Places
from core.admin.ranks import Rank, rank_of
from core.admin.start import Bar, Card, Chart, Figure, Panel, Row, add_first_steps, add_panel
from core.admin.views import address_of, page_of
from core.lib import clock
from media_library.covers import covers_of
from sites.admin.choosing import seen_sites
from sites.models import Site, trashed_site_ids

_ROWS = 5
_CHANNELS = 3  # with a button to add to each
_DAYS = 14
# Sites shown, the newest first, and how many are queried together, each by its own index range.
_MAX_SITES, _AT_ONCE = 500, 100
_MAX_DRAWN = 200_000  # contents per chart; no chart beyond that, such as after a large import
_ENOUGH = 1000  # contents in the trash that are counted
_ALL_SITES = "site="  # which panels show; lists of work are narrowed to the site of the menu by default


def _contents(site: AdminSite, request: HttpRequest) -> Panel | None:
    page: Any = page_of(site, request, Content)
    if page is None or rank_of(request.user) is Rank.ORDINARY:  # who writes needs no statistics
        return None
    address, owners = address_of(page), _owners(page, request)
    counts = ListedCount.objects.filter(kind=ListKind.CHANNEL, owner_id__in=owners)
    by_flags = dict(counts.values_list("flags").annotate(number=Sum("contents")))
    approved = sum(number for flags, number in by_flags.items() if flags & BITS["is_checked"])
    every = sum(by_flags.values())
    note = _("drafts, rejected and waiting")
    figures = [
        Figure(_("in all"), format_number(every), address),
        Figure(_("approved"), format_number(approved), f"{address}?state=approved"),
        Figure(_("not approved"), format_number(every - approved), f"{address}?state=pending", note=note),
    ]
    trash: Any = page_of(site, request, TrashedContent)
    if trash:
        trashed = TrashedContent.objects.filter(trashed_at__isnull=False).exclude(site_id__in=trashed_site_ids())
        places = trash.seen_places(request.user)
        trashed = trashed.filter(site__in=owners) if places.everywhere else places.narrow(trashed, "site", "channel")
        gone = trashed[: _ENOUGH + 1].count()
        told = f"{format_number(_ENOUGH)}+" if gone > _ENOUGH else format_number(gone)
        figures.append(Figure(_("in the trash"), told, address_of(trash)))
    return Panel("contents", _("Contents"), address, figures=figures, chart=_chart(address, owners))


def _chart(address: str, owners: Sequence[int]) -> Chart | None:
    today = clock.now().date()
    days = [today - timedelta(days=number) for number in reversed(range(_DAYS))]
    span = [datetime.combine(day, time()) for day in (days[0], today + timedelta(days=1))]
    owner = among("owner_id", owners)
    sql = (
        "SELECT day, COUNT(*) FROM (SELECT substr(CAST(add_date AS text), 1, 10) AS day FROM contents_listedcontent "
        f"WHERE kind = {ListKind.CHANNEL.value} AND {owner.sql} AND is_checked IN (%s, %s) "
        f"AND add_date >= %s AND add_date < %s LIMIT {_MAX_DRAWN + 1}) added GROUP BY day"
    )
    adapt = connection.ops.adapt_datetimefield_value
    numbers = dict(fetch(sql, (*owner.params, True, False, *map(adapt, span))))
    if not numbers or sum(numbers.values()) > _MAX_DRAWN:
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


def _writing(site: AdminSite, request: HttpRequest) -> Panel | None:
    """Show the administrator's drafts and rejected contents, and buttons to add to recently used channels."""
    page: Any = page_of(site, request, Content)
    if page is None or not page.has_change_permission(request):
        return None
    begun = unfinished_of(request.user).only("title", "checked_level", "last_edit_date")[:_ROWS]
    drafted = drafts.unfinished_of(request.user).select_related("content")
    drafted = drafted.only("checked_level", "edited_at", "reasons", "content__title")[:_ROWS]
    reasons = reasons_of([each for each in begun if each.checked_level > DRAFT])
    found = [(each.last_edit_date, each.checked_level, each, reasons.get(each.pk, ""), "change") for each in begun]
    found += [(each.edited_at, each.checked_level, each.content, each.reasons, "draft") for each in drafted]
    found.sort(key=lambda one: (one[1] > DRAFT, one[0]), reverse=True)
    rows = []
    for moment, level, content, why, view in found[:_ROWS]:
        state = str(DecisionKind.REJECTED.label) if level > DRAFT else ""
        told = _told(_(": ").join([state, why]) if why and state else state, moment)
        rows.append(Row(content.title, address_of(page, view, content.pk), told, is_worrying=level > DRAFT))
    add, buttons = address_of(page, "add"), []
    if page.has_add_permission(request):
        channels = {content.channel_id: content for content in _recent(page, request)}.values()
        buttons = [
            (_("Add to %(channel)s") % {"channel": content.channel}, f"{add}?channel={content.channel_id}")
            for content in list(channels)[:_CHANNELS]
            if page.allows(request, "add", content)
        ]
    return Panel(
        "writing",
        _("Continue writing"),
        f"{address_of(page, 'unfinished')}?{_ALL_SITES}",
        rows=rows,
        buttons=buttons,
        nothing=UNFINISHED.nothing,
    )


def _week(site: AdminSite, request: HttpRequest) -> Panel | None:
    page: Any = page_of(site, request, Content)
    if page is None:
        return None
    context = {"days": next_days(page, request, 7), "may_move": page.allows(request, "approve")}
    address = f"{address_of(page, 'calendar')}?week={clock.now():%Y-%m-%d}&{_ALL_SITES}"
    return Panel("week", _("The next seven days"), address, template="contents/next_days.html", context=context)


def _waiting(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, Content)
    if page is None or not reach_of(request.user):
        return None
    waiting = waiting_for(request.user).select_related("channel")
    drafted = drafts.waiting_for(request.user).select_related("content").only("edited_at", "editor", "content__title")
    rows = [
        Row(each.content.title, address_of(page, "draft", each.pk), _told(each.editor, each.edited_at))
        for each in drafted[:_ROWS]
    ]
    rows += [
        Row(each.title, address_of(page, REVIEW, each.pk), _told(each.channel, each.last_edit_date))
        for each in waiting.only("title", "last_edit_date", "channel__channel_name")[: _ROWS - len(rows)]
    ]
    address = f"{address_of(page, 'waiting')}?{_ALL_SITES}"
    return Panel("waiting", _("Waiting for your approval"), address, rows=rows, nothing=WAITING.nothing)


def _changed(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, Content)
    if page is None:
        return None
    rows, recent = [], _recent(page, request)
    covers = covers_of((each.site_id, each.image_url) for each in recent)
    for each in recent:
        moment, name = last_edit_of(each)
        cover = covers.get((each.site_id, each.image_url), "")
        rows.append(Row(each.title, address_of(page, "change", each.pk), _told(name, moment), cover=cover))
    return Panel(
        "changed", _("Recently changed"), address_of(page), rows=rows, nothing=_("There are no content items yet.")
    )


def _recent(page: Any, request: HttpRequest) -> list[Content]:
    """Return the contents changed last; read once for all panels."""
    if not hasattr(request, "recent_contents"):
        request.recent_contents = _first(page, request, DATE, "trashed_at IS NULL")  # type: ignore[attr-defined]
    return request.recent_contents  # type: ignore[attr-defined,no-any-return]


def _told(name: object, moment: datetime) -> SafeString:
    return format_html("{}, {}", name, moment_markup(moment)) if name else moment_markup(moment)


def _most_read(site: AdminSite, request: HttpRequest) -> Panel | None:
    page = page_of(site, request, Content)
    if page is None:
        return None
    found = _first(page, request, "hits", "trashed_at IS NULL AND hits > 0")
    rows = [Row(each.title, address_of(page, "change", each.pk), format_number(each.hits)) for each in found]
    # Column 0 of the list has the checkboxes.
    address = f"{address_of(page)}?o=-{list(page.list_display).index('hits_shown') + 1}"
    return Panel("read", _("Most viewed items"), address, rows=rows, nothing=_("No views have been counted yet."))


def _first(page: Any, request: HttpRequest, column: str, condition: str) -> list[Content]:
    places: Places = page.seen_places(request.user)
    sites, found = _site_ids(page, request), list[tuple[int, Any]]()
    limit = concatenate("", [SqlFragment(f" AND {one.sql}", one.params) for one in within(places)])
    of_site = f"{ROW}.site_id = %s"
    tables = [(ROW, f"{ROW}.{column}", of_site)]
    if column == DATE:
        tables = [(ROW, f"{ROW}.{column}", f"{of_site} AND {IS_NOT_LATER}")]
        tables.append((LATER_DRAFTS, "draft.edited_at", f"draft.site_id = %s AND {IS_LATER}"))
    for start in range(0, len(sites), _AT_ONCE):
        ranges = [
            SqlFragment(
                # One subquery per site: neither engine uses the index for several sites.
                f"SELECT * FROM (SELECT {ROW}.id, {ranked} AS ranked FROM {table} WHERE {place} "
                f"AND {condition}{'' if is_whole else limit.sql} "
                f"ORDER BY {ranked} DESC, {ROW}.id DESC LIMIT {_ROWS}) of_site",
                (site_id, *(() if is_whole else limit.params)),
            )
            for site_id in sites[start : start + _AT_ONCE]
            for is_whole in [places.covers_site(site_id)]
            for table, ranked, place in tables
        ]
        merged = concatenate(" UNION ALL ", ranges)
        found += fetch(f"{merged.sql} ORDER BY ranked DESC, id DESC LIMIT {_ROWS}", merged.params)
    numbers = [number for number, _ranked in sorted(found, key=lambda one: (one[1], one[0]), reverse=True)[:_ROWS]]
    shown = Content.objects.select_related("channel").only(
        *("title", "hits", "last_edit_date", "last_edit_user_name", "image_url", "site_id"),
        *("channel__channel_name", "channel__parents_path"),
    )
    rows = with_drafts(shown).in_bulk(numbers)
    return [rows[number] for number in numbers if number in rows]


def _owners(page: Any, request: HttpRequest) -> list[int]:
    """The channels whose lists have all that the administrator sees."""
    places: Places = page.seen_places(request.user)
    return sorted(top_ids(places) or ()) if places.branch_ids else _site_ids(page, request)


def _site_ids(page: Any, request: HttpRequest) -> list[int]:
    """Return the sites that the administrator sees, the newest first; read once for all panels."""
    if not hasattr(request, "newest_sites"):
        places: Places = page.seen_places(request.user)
        rows = Site.objects.order_by("-pk").values_list("pk", flat=True)
        own = rows if places.everywhere else rows.filter(pk__in=places.site_ids | places.branch_site_ids)
        request.newest_sites = list(own[:_MAX_SITES])  # type: ignore[attr-defined]
    return request.newest_sites  # type: ignore[attr-defined,no-any-return]


def _first_content(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    contents, sites = (page_of(site, request, model) for model in (Content, Site))
    has_sites = sites is None or seen_sites(request).exists()
    if sites and sites.has_add_permission(request):
        sentence = _(
            "Content items belong to the channels of a site. Create a site in a few steps, empty or from a template."
        )
        yield Card("sites", _("Create the first site"), sentence, address_of(sites, "add"), has_sites)
    if contents and has_sites and contents.has_add_permission(request):
        sentence = _("Choose a channel, then write. Save the content item as a draft until it is finished.")
        has_contents = contents.get_queryset(request).exists()
        yield Card("contents", _("Add the first content item"), sentence, address_of(contents, "add"), has_contents)


add_first_steps(10, _first_content)
add_panel(10, "writing", _("Continue writing"), _writing)
add_panel(20, "waiting", _("Waiting for your approval"), _waiting)
add_panel(30, "week", _("The next seven days"), _week)
add_panel(40, "changed", _("Recently changed"), _changed)
add_panel(50, "contents", _("Contents"), _contents)
add_panel(55, "read", _("Most viewed items"), _most_read)
