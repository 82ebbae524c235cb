"""The pages that read a file: uploaded, looked at as a preview, and handed on to be stored."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.crypto import get_random_string
from django.utils.decorators import method_decorator
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from cms_api.back_end.large_forms import takes_files
from cms_api.back_end.tables import kept as store
from cms_api.back_end.tables import left_out
from cms_api.back_end.tables.base_pages import TableBase
from cms_api.back_end.tables.columns import Column, match, readable, unread
from cms_api.back_end.tables.forms import MatchForm, UploadForm
from cms_api.back_end.tables.preview import Preview
from cms_api.back_end.tables.reading import Table, most_rows, read_table
from cms_api.back_end.tables.resource import TableResource
from cms_api.back_end.tables.storing import FileGone
from cms_api.models import KeptTable

Choices = dict[str, Any]


class ImportPages(TableBase):
    """Pages of records with a button that imports them; a class beside RecordPages.

    `cms_api.jobs.table_imports.ImportJobs` stores the rows.
    """

    import_action: str  # of the audit

    def may_import(self, request: HttpRequest) -> bool:
        """Whether the administrator may import anything at all."""
        raise NotImplementedError

    def upload_form(self, request: HttpRequest) -> UploadForm:
        """The form of the first page."""
        return UploadForm(*self._uploaded(request))

    def import_choices(self, form: UploadForm) -> Choices:
        """What was chosen beside the file, to be kept with it."""
        return {}

    def import_columns(self, request: HttpRequest, choices: Choices) -> list[Column]:
        """The columns that the file may have."""
        return self.table_columns(request)

    def offered_columns(self, request: HttpRequest) -> list[Column]:
        """What the first page says that a file may have."""
        return readable(self.table_columns(request))

    def import_resource(self, request: HttpRequest, choices: Choices) -> TableResource:
        """What reads the rows. Raises Http404 when what was chosen is not there any more."""
        raise NotImplementedError

    def import_site(self, choices: Choices) -> int | None:
        """The site into which the records go, for the audit."""
        return None

    def import_target(self, choices: Choices) -> Model | None:
        """The record into which the others go, for the audit; None where there is none."""
        return None

    def import_site_name(self, choices: Choices) -> str:
        """The name of that site; "" where there is none."""
        return ""

    def import_address(self, choices: Choices) -> str:
        """Where the records are looked at afterwards."""
        return self._address("changelist")

    def store_import(self, request: HttpRequest, kept: KeptTable, leaves_out: bool) -> HttpResponse:
        """Have the file stored as the preview has shown it; `leaves_out`: without the wrong rows."""
        raise NotImplementedError

    # ---- addresses

    def get_urls(self) -> list[URLPattern]:
        """Those of the pages, and those of the import."""
        view, name = self.admin_site.admin_view, self._view_name
        own: list[URLPattern] = [
            path("import/", takes_files("CMS_IMPORT_MAX_BYTES")(view(self.import_view)), name=name("import")),
            path("import/<slug:kept_id>/", view(self.import_preview_view), name=name("import_preview")),
            path("import/<slug:kept_id>/left-out/", view(self.import_left_out_view), name=name("import_left_out")),
            *super().get_urls(),  # type: ignore[misc]
        ]
        return own

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """The first page, and the file that it sends."""
        if not self.may_import(request):
            raise Http404
        form = self.upload_form(request)
        if request.method != "POST" or not form.is_valid():
            context = {"form": form, "columns": self.offered_columns(request), "most_rows": most_rows()}
            return self._table_page(request, "upload", _("Import"), context)
        choices = self.import_choices(form)
        columns = self.import_columns(request, choices)
        read = {column.name for column in readable(columns)}
        choices["matches"] = [name if name in read else "" for name in match(form.table.headings, columns)]
        file_name = str(form.cleaned_data["file"].name)
        kept = store.keep(self.opts.label_lower, _own_id(request), file_name, form.content, choices)
        return HttpResponseRedirect(self.preview_address(kept.pk))

    @method_decorator(sensitive_post_parameters())
    def import_preview_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """What the file would do; a POST corrects what the headings mean, does it, or gives it up."""
        if not self.may_import(request):
            raise Http404
        kept = store.find(_own_id(request), self.opts.label_lower, kept_id)
        if kept is None:
            messages.warning(request, str(FileGone()))
            return HttpResponseRedirect(self._address("changelist"))
        if request.method != "POST":
            return self._show_import_preview(request, kept)
        if "give_up" in request.POST:
            kept.delete()
            messages.info(request, _("Nothing was imported."))
            return HttpResponseRedirect(self._address("changelist"))
        if "import" in request.POST:
            return self.store_import(request, kept, "leave_out" in request.POST)
        return self._match_import_anew(request, kept)

    def import_left_out_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """The wrong rows as a file: of a preview as they are wrong now, of an import those that it left out."""
        if not self.may_import(request):
            raise Http404
        if kept := store.find(_own_id(request), self.left_out_kind, kept_id):
            return _csv_answer(kept.name, store.read(kept))
        if kept := store.find(_own_id(request), self.opts.label_lower, kept_id):
            table, resource = self.kept_table(kept), self.import_resource(request, kept.choices)
            rows = resource.plan(table, kept.choices["matches"])
            return _csv_answer(left_out.file_name(kept.name), left_out.as_file(table, rows, resource.columns))
        messages.warning(request, str(FileGone()))
        return HttpResponseRedirect(self._address("changelist"))

    # ---- the preview

    def _show_import_preview(
        self, request: HttpRequest, kept: KeptTable, form: MatchForm | None = None
    ) -> HttpResponse:
        table = self.kept_table(kept)
        resource = self.import_resource(request, kept.choices)
        rows = resource.plan(table, kept.choices["matches"])
        seen = resource.digests(rows)
        # What was shown before as something else, because somebody has changed it meanwhile.
        stale = frozenset(row.number for row, was, now in zip(rows, kept.seen_rows, seen, strict=False) if was != now)
        kept.seen = ",".join(seen)
        kept.save(update_fields=["seen"])
        columns = self.import_columns(request, kept.choices)
        form = form or MatchForm(table.headings, columns, kept.choices["matches"])
        context = {
            "kept": kept,
            "preview": Preview(rows, columns, request.GET, stale),
            "unread": unread(table.headings, kept.choices["matches"], columns),
            "match_form": form,
            "address": self.preview_address(kept.pk),
            "left_out_address": self.left_out_address(kept.pk),
            "token": get_random_string(32),
        }
        return self._table_page(request, "preview", _("Import: preview"), context)

    def _match_import_anew(self, request: HttpRequest, kept: KeptTable) -> HttpResponse:
        table = self.kept_table(kept)
        columns = self.import_columns(request, kept.choices)
        form = MatchForm(table.headings, columns, kept.choices["matches"], request.POST)
        if not form.is_valid():
            return self._show_import_preview(request, kept, form=form)
        kept.choices, kept.seen = kept.choices | {"matches": form.matches}, ""
        kept.save(update_fields=["choices", "seen"])
        return HttpResponseRedirect(self.preview_address(kept.pk))

    # ---- parts

    def kept_table(self, kept: KeptTable) -> Table:
        """The table of the file."""
        return read_table(store.read(kept))

    def _uploaded(self, request: HttpRequest) -> tuple[Any, ...]:
        return (request.POST, request.FILES) if request.method == "POST" else ()

    def preview_address(self, kept_id: UUID | str) -> str:
        """The address of the preview of the file of that number."""
        return self._address("import_preview", kept_id)

    def left_out_address(self, kept_id: UUID | str) -> str:
        """Where the wrong rows of the file of that number are downloaded."""
        return self._address("import_left_out", kept_id)

    @property
    def left_out_kind(self) -> str:
        """The kind of kept files that hold the rows which an import has left out."""
        return f"{self.opts.label_lower}.left_out"


def _csv_answer(name: str, data: bytes) -> HttpResponse:
    answer = HttpResponse(data, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer


def _own_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def asked_by(administrator: Any) -> HttpRequest:
    """A request of nobody but the administrator, by which pages tell their rights where no browser asks."""
    request = HttpRequest()
    request.user = administrator
    return request
