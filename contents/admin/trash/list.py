"""The list of the trash: read within its time limit, with what the audit tells of each row."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.lib import clock
from cms_api.lib.statement_limit import TooSlow, statement_limit

_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
}


class TrashList(ChangeList):
    """Rows are read at once; where finding them takes too long the list is empty and `is_slow`."""

    is_slow = False

    def get_results(self, request: HttpRequest) -> None:
        """Django's, within the limit."""
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                super().get_results(request)
                self.result_list = list(self.result_list)
        except TooSlow:
            self.is_slow, self.queryset = True, self.queryset.none()
            super().get_results(request)
            self.result_list = []
        self.show_admin_actions = bool(self.result_list)


class DeletedFilter(SimpleListFilter):
    """What was moved to the trash lately."""

    title = _("deleted")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(trashed_at__gte=clock.now() - _PERIODS[str(self.value())][1])
