"""The tables of records that have both ways: to a file, and back by a job."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from cms_api.back_end.tables.export_pages import ExportPages
from cms_api.jobs.table_imports import ImportJobs


class TablePages(ExportPages, ImportJobs):
    """Pages of records with the buttons Export and Import; a class beside RecordPages."""

    allows: Any

    def may_import(self, request: HttpRequest) -> bool:
        """Whoever may add or change records."""
        return bool(self.allows(request, "add") or self.allows(request, "change"))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with the ways to and from tables."""
        tools = {"may_export": self.may_export(request), "may_import": self.may_import(request)}
        shown: HttpResponse = super().changelist_view(request, tools | (extra_context or {}))  # type: ignore[misc]
        return shown
