"""The bases of all pages of records: who sees which rows, and what may be done to them."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from cms_api.back_end.ranks import Rank, rank_of, sites_of


class RecordPages(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows records and changes none; pages that allow more say so.

    What may be done to a record has rules (the trash, the figures of the tree, keys shown once) that a plain form
    would go round. Every act goes through the services of its app, which write the audit; Django's own log of
    changes stays empty.
    """

    # How a record leads to the number of its site; None: records of no site, not for site administrators.
    site_lookup: str | None = None
    # Whether ordinary administrators may be given these records by groups; else the highest rank alone.
    by_groups = True
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The records of the sites that the administrator looks after."""
        queryset = super().get_queryset(request)
        sites = sites_of(request.user)
        if sites is None:
            return queryset
        return queryset.filter(**{f"{self.site_lookup}__in": sites}) if self.site_lookup else queryset.none()

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """Whether the administrator may do the act (`view`, `add`, `change`, `delete`), to that record if given."""
        rank = rank_of(request.user)
        if rank is Rank.HIGHEST:
            return True
        if rank is Rank.SITES:
            return self.site_lookup is not None and (
                record is None or self._site_id(record) in (sites_of(request.user) or ())
            )
        return self.by_groups and request.user.has_perm(f"{self.opts.app_label}.{act}_{self.opts.model_name}")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may change may look, too."""
        return self.allows(request, "view", obj) or self.has_change_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the menu names the page."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes here."""
        return False

    def log_addition(self, *args: Any, **options: Any) -> None:  # type: ignore[override]
        """Nothing: services write the audit."""

    def log_change(self, *args: Any, **options: Any) -> None:  # type: ignore[override]
        """Nothing: services write the audit."""

    def log_deletions(self, *args: Any, **options: Any) -> list[Any]:
        """Nothing: services write the audit."""
        return []

    def _site_id(self, record: Model) -> int:
        value: Any = record
        for name in str(self.site_lookup).split("__"):
            value = getattr(value, name)
        return int(value)


class HighestRankPages(RecordPages):
    """Pages that exist for the highest rank only: for others their addresses lead nowhere."""

    by_groups = False
