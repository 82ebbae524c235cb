"""The change list of contents; contents.admin.list.finding reads it."""

from typing import Any

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, PAGE_VAR, ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from contents.admin.list.finding import Found, Search
from contents.admin.list.last_edits import with_drafts
from contents.admin.list.params import FILTERS, ORDER, QUERY, ROWS, read_asked
from contents.admin.list.sources import SearchedSites, tops_in
from contents.searching import excerpts
from contents.services.schedules import schedules_of
from contents.sql_fragments import join
from core.admin.numbers import read_number
from core.admin.places import Places
from core.lib.statement_limit import TooSlow
from media_library.covers import covers_of
from sites.models import Site

AS_ON_SITE = "site"  # the order on pages: pinned first
_KNOWN = frozenset(
    [*FILTERS, QUERY, ROWS, ORDER, PAGE_VAR, ALL_VAR, ERROR_FLAG, IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR]
)
ROW_CHOICES, _DEFAULT_ROWS = (20, 50, 100), 50
ROWS_COOKIE = "cms_rows"
# Sites read one by one, each by its own index range.
_MAX_SITES = 30


class ContentList(ChangeList):
    """Rejects query parameters other than the known filters."""

    is_slow = False

    def get_filters(self, request: HttpRequest) -> Any:
        if others := set(self.filter_params) - _KNOWN:
            raise DisallowedModelAdminLookup(f"The list is not filtered by {', '.join(sorted(others))}.")
        has_active = any(request.GET.get(name, "").strip() for name in FILTERS)
        return [], False, {}, False, has_active

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        *_, self.has_active_filters = self.get_filters(request)
        self.filter_specs: list[Any] = []
        self.has_filters = False
        self.asked = read_asked(request.GET.dict())
        ordering = self.get_ordering(request, self.root_queryset)
        self.search = Search(self.asked, searched_sites(self.model_admin, request, self.asked.site_id), ordering)
        filters = [*FILTERS, QUERY, *([ORDER] if self.search.is_by_hits else [])]
        self.clear_all_filters_qs = self.get_query_string(remove=filters)
        queryset = self.apply_select_related(self.root_queryset).order_by(*ordering)
        if self.asked.unread:
            return queryset.none()
        narrowed = join(self.search.conditions)
        return queryset.extra(where=[narrowed.sql], params=list(narrowed.params))  # noqa: S610 - our own SQL

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        if self.params.get(ORDER) == AS_ON_SITE:
            return ["-is_top", "-channel_id", "-taxis", "-id"]
        names = map(str, super().get_ordering(request, queryset))
        return [{"pk": "id", "-pk": "-id"}.get(name, name) for name in names]

    def get_ordering_field_columns(self) -> dict[int, Any]:
        if self.params.get(ORDER) == AS_ON_SITE:
            return {}
        if ORDER in self.params:
            return super().get_ordering_field_columns()
        return {self.list_display.index("edited"): "desc"} if "edited" in self.list_display else {}

    def get_results(self, request: HttpRequest) -> None:
        given = (request.GET.get(ROWS), request.COOKIES.get(ROWS_COOKIE))  # the last choice
        self.list_per_page = next((rows for rows in map(read_number, given) if rows in ROW_CHOICES), _DEFAULT_ROWS)
        self.found = self._find(self.page_num)
        if not self.found.numbers and self.page_num != 1:
            # Rows were deleted, or the number was typed.
            self.page_num = 1
            self.found = self._find(1)
        self.paginator = Paginator(range(self.found.reach), self.list_per_page)
        self.result_count, self.full_result_count = self.found.total, None
        self.show_full_result_count = False
        self.show_admin_actions = bool(self.found.numbers)
        self.can_show_all, self.multi_page = False, self.found.reach > self.list_per_page
        rows = self.apply_select_related(with_drafts(self.root_queryset)).in_bulk(list(self.found.numbers))
        self.result_list = [rows[number] for number in self.found.numbers if number in rows]
        planned = schedules_of(content.pk for content in self.result_list)
        covers = covers_of((content.site_id, content.image_url) for content in self.result_list)
        pieces = excerpts(self.result_list, self.asked.words) if self.asked.words else {}
        page: Any = self.model_admin
        query = request.GET.urlencode()  # of the list, to which the short form returns
        for content in self.result_list:
            if page.has_change_permission(request, content):
                content.list_query = query
            content.cover = covers.get((content.site_id, content.image_url), "")
            content.planned = planned.get(content.pk)
            content.sought = self.asked.words  # for highlighting
            content.found_piece = pieces.get(content.pk, "")

    def did_you_mean(self) -> dict[str, str] | None:
        """Return the query with corrected words and the address of its list, if the list is empty."""
        if self.found.total or self.is_slow or (query := self.search.correction()) is None:
            return None
        return {"query": query, "address": self.get_query_string({QUERY: query}, [PAGE_VAR])}

    def _find(self, page: int) -> Found:
        page = min(max(page, 1), 10**9)
        try:
            return self.search.page((page - 1) * self.list_per_page, self.list_per_page)
        except TooSlow:
            self.is_slow = True
            return Found((), 0)


def searched_sites(page: Any, request: HttpRequest, site_id: int | None = None) -> SearchedSites:
    """Return the site, or all that the administrator sees."""
    places: Places = page.seen_places(request.user)
    own = None if places.everywhere else places.site_ids | places.branch_site_ids
    if site_id is not None:
        found: tuple[int, ...] = (site_id if places.touches_site(site_id) else 0,)
        return SearchedSites(found, own, places=places, tops=tops_in(places, found))
    sites = Site.objects.order_by("pk").values_list("pk", flat=True)
    found = tuple((sites if own is None else sites.filter(pk__in=own))[: _MAX_SITES + 1])
    if not found:
        return SearchedSites((0,), own, places=places)
    tops = tops_in(places, own or ())
    sites_searched = found if len(found) <= _MAX_SITES else ()
    return SearchedSites(sites_searched, own, places, tops)
