import csv
import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from core import audit
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of, render_page
from core.lib import clock
from core.lib.cells import MAX_LENGTH, TOO_LONG, defused, is_formula
from core.tables.columns import Column
from core.tables.forms import ExportForm

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSX_ROWS = 100_000  # some 30 s of work; a sheet ends at 1,048,576
ROWS = 1000  # per query
_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_BOM = "\ufeff"  # spreadsheets need it to recognise UTF-8
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")  # a workbook's escape of one character, which openpyxl does not escape
_PART = 64 * 1024  # characters sent together

Row = Sequence[str]


class Export:
    export_action: str  # of the audit
    export_left_out: Sequence[str] = ()

    def __init__(self, page: BaseModelAdmin) -> None:
        self.page, self.opts = page, page.opts

    def table_columns(self, request: HttpRequest) -> list[Column]:
        raise NotImplementedError

    def may_export(self, request: HttpRequest) -> bool:
        raise NotImplementedError

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the id and cells of each record (at most ROWS), in the order of ids."""
        raise NotImplementedError

    def exported_site(self, request: HttpRequest) -> int | None:
        return None

    def exported_record(self, request: HttpRequest) -> Model | None:
        """Return the record whose parts are exported, for the audit."""
        return None

    def urls(self) -> list[URLPattern]:
        return [self._route("export/", "export", self.export_view)]

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Show the choice of columns; on POST return the filtered records as a file and note the export."""
        if not self.may_export(request):
            raise Http404
        columns = self.table_columns(request)
        form = ExportForm(columns, self.export_left_out, request.POST or None)
        if request.method == "POST" and form.is_valid():
            records: QuerySet[Any] = self.page.get_changelist_instance(request).get_queryset(request).order_by("pk")
            if form.cleaned_data["form"] == "csv" or not records[XLSX_ROWS:][:1]:
                chosen = [column for column in columns if column.name in form.cleaned_data["columns"]]
                return self._exported_file(request, records, chosen, form.cleaned_data)
            told = _("A workbook may have at most %(count)d rows. Narrow the list, or choose CSV.")
            form.add_error("form", ValidationError(told % {"count": XLSX_ROWS}))
        context = {"form": form, "list_query": request.GET.urlencode()}
        return self._table_page(request, "export", _("Export"), context)

    def _exported_file(
        self, request: HttpRequest, records: QuerySet[Any], columns: list[Column], chosen: dict[str, Any]
    ) -> HttpResponseBase:
        ending = chosen["form"]
        names = [column.name for column in columns]
        headings = [column.wire if chosen["headings"] == "names" else str(column.label) for column in columns]
        with transaction.atomic():
            # Names only: typed values may be anything.
            details = {"format": ending, "filters": sorted(request.GET.keys()), "columns": names[:40]}
            site_id = self.exported_site(request)
            audit.record(self.export_action, self.exported_record(request), site_id=site_id, **details)
        file_name = f"{self.opts.model_name}s-{clock.now():%Y%m%d-%H%M%S}.{ending}"
        rows = self._exported_rows(records, names)
        if ending == "xlsx":
            return FileResponse(as_xlsx(headings, rows), as_attachment=True, filename=file_name, content_type=XLSX_TYPE)
        separator = _SEPARATORS[chosen["separator"] or "comma"]
        headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
        parts = as_csv(headings, rows, separator)
        return StreamingHttpResponse(parts, content_type="text/csv; charset=utf-8", headers=headers)

    def _exported_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[list[str]]:
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


def as_csv(headings: Row, rows: Iterable[Row], separator: str) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    buffer.write(_BOM)
    writer.writerow(map(defused, headings))
    for row in rows:
        writer.writerow(map(defused, row))
        if buffer.tell() > _PART:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def as_xlsx(headings: Row, rows: Iterable[Row]) -> IO[bytes]:
    # Imported here and below: it would make each start of the service a twentieth slower.
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet()
    for row in chain([headings], rows):
        sheet.append([_cell(sheet, text) for text in row])
    file = tempfile.TemporaryFile(suffix=".xlsx")  # noqa: SIM115 - the response closes it
    workbook.save(file)
    file.seek(0)
    return file


def _cell(sheet: Any, text: str) -> Any:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell

    text = _ESCAPE.sub("_x005F_", ILLEGAL_CHARACTERS_RE.sub("", text))
    cell = WriteOnlyCell(sheet, value=TOO_LONG if len(text) >= MAX_LENGTH else text)
    # Never a formula, and marked to stay a text when edited.
    cell.data_type = "s"
    if is_formula(text):
        cell.quotePrefix = True
    return cell
