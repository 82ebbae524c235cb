"""The list of contents as Django's admin knows it, read by contents.admin.list.finding."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, PAGE_VAR, ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from cms_api.lib.statement_limit import TooSlow
from contents.admin.list.finding import Found, Search
from contents.admin.list.params import FILTERS, ORDER, QUERY, ROWS, read_asked
from contents.admin.list.sources import Place
from contents.conditions import join
from contents.models import Content
from sites.models import Site

AS_ON_SITE = "site"  # the order of pages: pinned ones first
_KNOWN = frozenset(
    [*FILTERS, QUERY, ROWS, ORDER, PAGE_VAR, ALL_VAR, ERROR_FLAG, IS_FACETS_VAR, IS_POPUP_VAR, TO_FIELD_VAR]
)
ROW_CHOICES, _DEFAULT_ROWS = (20, 50, 100), 50
ROWS_COOKIE = "cms_rows"
# Sites that are read one by one, each by its own range of an index.
_MOST_SITES = 30


class FoundPaginator(Paginator):  # type: ignore[type-arg]
    """Leads to as many rows as can be reached, and tells how many there are."""

    def __init__(self, found: Found, per_page: int) -> None:
        super().__init__([], per_page)
        self._found = found

    @cached_property
    def count(self) -> int:
        return self._found.reach

    @property
    def is_cut(self) -> bool:
        """Whether there are more than `total`."""
        return not self._found.is_exact

    @property
    def total(self) -> int:
        """How many match, or at least how many."""
        return self._found.total

    @property
    def is_estimate(self) -> bool:
        """Whether there are about `total`."""
        return self._found.is_estimate

    @property
    def has_unreached(self) -> bool:
        """Whether some match to which no page leads."""
        return self._found.total > self._found.reach or self.is_cut


class ContentList(ChangeList):
    """The list; whatever its address asks for that is no filter of ours is refused."""

    is_slow = False

    def get_filters(self, request: HttpRequest) -> Any:
        if others := set(self.filter_params) - _KNOWN:
            raise DisallowedModelAdminLookup(f"The list is not filtered by {', '.join(sorted(others))}.")
        has_active = any(request.GET.get(name, "").strip() for name in FILTERS)
        return [], False, {}, False, has_active

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        """What matches, for acts and exports; pages are read another way."""
        *_, self.has_active_filters = self.get_filters(request)
        self.filter_specs: list[Any] = []
        self.has_filters = False
        self.asked = read_asked(request.GET.dict())
        ordering = self.get_ordering(request, self.root_queryset)
        self.search = Search(self.asked, self._place(request), [_plain(each) for each in ordering])
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
        return [_plain(each) for each in super().get_ordering(request, queryset)]

    def get_ordering_field_columns(self) -> dict[int, Any]:
        """Django's; the columns by which the list is sorted now."""
        if self.params.get(ORDER) == AS_ON_SITE:
            return {}
        if ORDER in self.params:
            return super().get_ordering_field_columns()
        return {self.list_display.index("edited"): "desc"} if "edited" in self.list_display else {}

    def get_results(self, request: HttpRequest) -> None:
        self.list_per_page = rows_of(request)
        found = self._find(self.page_num)
        if not found.numbers and self.page_num != 1:
            # Somebody has deleted the last rows meanwhile, or typed a number.
            self.page_num = 1
            found = self._find(1)
        self.paginator = FoundPaginator(found, self.list_per_page)
        self.result_count, self.full_result_count = found.total, None
        self.show_full_result_count = False
        self.show_admin_actions = bool(found.numbers)
        self.can_show_all, self.multi_page = False, found.reach > self.list_per_page
        self.result_list = self._rows(found.numbers)

    def _find(self, page: int) -> Found:
        page = min(max(page, 1), 10**9)
        try:
            return self.search.page((page - 1) * self.list_per_page, self.list_per_page)
        except TooSlow:
            self.is_slow = True
            return Found((), 0)

    def _rows(self, numbers: Sequence[int]) -> list[Content]:
        rows = self.apply_select_related(self.root_queryset).in_bulk(list(numbers))
        found = [rows[number] for number in numbers if number in rows]
        for content in found:
            content.sought = self.asked.words  # for the marks in its row
        return found

    def _place(self, request: HttpRequest) -> Place:
        own = sites_of(request.user)
        if self.asked.site_id is not None:
            is_seen = own is None or self.asked.site_id in own
            return Place((self.asked.site_id,) if is_seen else (0,), own)
        sites = Site.objects.order_by("pk").values_list("pk", flat=True)
        found = tuple((sites if own is None else sites.filter(pk__in=own))[: _MOST_SITES + 1])
        if not found:
            return Place((0,), own)
        return Place(found if len(found) <= _MOST_SITES else (), own, is_everything=own is None)


def rows_of(request: HttpRequest) -> int:
    """How many rows a page has: as the address says, else as was chosen last."""
    for given in (request.GET.get(ROWS), request.COOKIES.get(ROWS_COOKIE)):
        number = read_number(given)
        if number in ROW_CHOICES:
            return number
    return _DEFAULT_ROWS


def _plain(key: Any) -> str:
    """The name of a column of contents, whatever Django makes of it."""
    name = str(key)
    return {"pk": "id", "-pk": "-id"}.get(name, name)
