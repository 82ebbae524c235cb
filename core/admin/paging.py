from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import connection
from django.http import HttpRequest

from core.lib.statement_limit import TooSlow, statement_limit

# Rows that a list counts and pages through; filters and the search find the rest.
MAX = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to MAX rows, since a full count would read the whole table for each page."""

    @cached_property
    def count(self) -> int:
        return min(self._counted, MAX)

    @property
    def is_cut(self) -> bool:
        return self._counted > MAX

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: MAX + 1].count())


class LimitedChangeList(ChangeList):
    """Shows an empty list with `is_slow` if the query takes too long."""

    is_slow = False

    def get_results(self, request: HttpRequest) -> None:
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                super().get_results(request)
                self.result_list = list(self.result_list)
        except TooSlow:
            self.is_slow, self.queryset = True, self.queryset.none()
            super().get_results(request)
            self.result_list = []
        self.show_admin_actions = bool(self.result_list)
