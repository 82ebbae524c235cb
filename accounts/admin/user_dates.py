"""The filter of users by when they joined."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from cms_api.lib import clock

_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
    "year": (_("in the last 365 days"), timedelta(days=365)),
}


class Joined(admin.SimpleListFilter):
    """Users who were made lately."""

    title = _("created")
    parameter_name = "joined"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The periods."""
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        """Users made in the period."""
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(create_date__gte=clock.now() - _PERIODS[str(self.value())][1])
