"""The page that writes what a list shows to a file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from cms_api import audit
from cms_api.admin.pages import RecordPages
from cms_api.admin.registered import address_of
from cms_api.admin.views import render_page
from cms_api.lib import clock
from cms_api.tables.columns import Column
from cms_api.tables.forms import ExportForm
from cms_api.tables.writing import SEPARATORS, XLSX_ROWS, XLSX_TYPE, as_csv, as_xlsx

ROWS = 1000  # of one statement


class Export:
    """The export of the records of a page: its view, and what subclasses say of columns and rows."""

    export_action: str  # of the audit
    # Columns that are offered without being ticked.
    export_left_out: Sequence[str] = ()

    def __init__(self, page: RecordPages) -> None:
        self.page, self.opts = page, page.opts

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """The columns that are written."""
        raise NotImplementedError

    def may_export(self, request: HttpRequest) -> bool:
        """Whether the administrator may take the records away as a file."""
        raise NotImplementedError

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """The number and the cells of each of the records, of which there are at most ROWS, in the order of numbers."""
        raise NotImplementedError

    def exported_site(self, request: HttpRequest) -> int | None:
        """The site whose records the list shows, if it is one."""
        return None

    def urls(self) -> list[URLPattern]:
        """The addresses of the views, for `get_urls` of the page."""
        return [self._route("export/", "export", self.export_view)]

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Ask for columns; on a POST the file of what the list's filters choose, which the audit notes."""
        if not self.may_export(request):
            raise Http404
        columns = self.table_columns(request)
        form = ExportForm(columns, self.export_left_out, request.POST or None)
        if request.method == "POST" and form.is_valid():
            records = self._exported_records(request)
            if form.cleaned_data["form"] == "csv" or not records[XLSX_ROWS:][:1]:
                chosen = [column for column in columns if column.name in form.cleaned_data["columns"]]
                return self._exported_file(request, records, chosen, form.cleaned_data)
            told = _("A workbook has at most %(count)d rows here. Narrow the list, or choose CSV.")
            form.add_error("form", ValidationError(told % {"count": XLSX_ROWS}))
        context = {"form": form, "list_query": request.GET.urlencode()}
        return self._table_page(request, "export", _("Export"), context)

    def _exported_records(self, request: HttpRequest) -> QuerySet[Any]:
        changelist = self.page.get_changelist_instance(request)
        records: QuerySet[Any] = changelist.get_queryset(request).order_by("pk")
        return records

    def _exported_file(
        self, request: HttpRequest, records: QuerySet[Any], columns: list[Column], chosen: dict[str, Any]
    ) -> HttpResponseBase:
        ending = chosen["form"]
        names = [column.name for column in columns]
        headings = [column.wire if chosen["headings"] == "names" else str(column.label) for column in columns]
        with transaction.atomic():
            # Without what was typed, which may be anything.
            details = {"format": ending, "filters": sorted(request.GET.keys()), "columns": names[:40]}
            audit.note(self.export_action, site_id=self.exported_site(request), **details)
        file_name = f"{self.opts.model_name}s-{clock.now():%Y%m%d-%H%M%S}.{ending}"
        rows = self._exported_rows(records, names)
        if ending == "xlsx":
            return FileResponse(as_xlsx(headings, rows), as_attachment=True, filename=file_name, content_type=XLSX_TYPE)
        separator = SEPARATORS[chosen["separator"] or "comma"]
        headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
        parts = as_csv(headings, rows, separator)
        return StreamingHttpResponse(parts, content_type="text/csv; charset=utf-8", headers=headers)

    def _exported_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[list[str]]:
        """The rows, a bounded number at a time; each statement begins after the last record before it."""
        last: int | None = 0
        while last is not None:
            part = records.filter(pk__gt=last)[:ROWS]
            last = None
            for number, cells in self.table_rows(part, names):
                last = number
                yield cells

    def _route(self, place: str, name: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
        full_name = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        return path(place, self.page.admin_site.admin_view(view), name=full_name)

    def _table_page(self, request: HttpRequest, template: str, title: str, context: dict[str, Any]) -> HttpResponse:
        shared = {"title": title, "list_address": address_of(self.page)}
        return render_page(self.page, request, f"cms_admin/tables/{template}.html", shared | context)
