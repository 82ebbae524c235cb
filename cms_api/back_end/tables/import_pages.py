"""The pages that read a file: uploaded, looked at as a preview, and stored in one transaction or not at all."""

from typing import Any

from django.contrib import messages
from django.db import Error, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from cms_api import audit
from cms_api.back_end.tables import kept as store
from cms_api.back_end.tables.columns import Column, match
from cms_api.back_end.tables.forms import MatchForm, UploadForm
from cms_api.back_end.tables.preview import Preview, counts_of
from cms_api.back_end.tables.reading import Table, most_rows, read_table
from cms_api.back_end.tables.resource import PlannedRow, TableResource
from cms_api.models import KeptTable

Choices = dict[str, Any]


class ImportPages:
    """Pages of records with a button that imports them; a class beside RecordPages."""

    admin_site: Any
    opts: Any
    import_action: str  # of the audit

    def may_import(self, request: HttpRequest) -> bool:
        """Whether the administrator may import anything at all."""
        raise NotImplementedError

    def table_columns(self, request: HttpRequest) -> list[Column]:
        """All columns that a table may have."""
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

    def import_resource(self, request: HttpRequest, choices: Choices) -> TableResource:
        """What reads the rows. Raises Http404 when what was chosen is not there any more."""
        raise NotImplementedError

    def import_site(self, choices: Choices) -> int | None:
        """The site into which the records go, for the audit."""
        return None

    # ---- addresses

    def get_urls(self) -> list[URLPattern]:
        """Those of the pages, and those of the import."""
        name, view = f"{self.opts.app_label}_{self.opts.model_name}_import", self.admin_site.admin_view
        own: list[URLPattern] = [
            path("import/", view(self.import_view), name=name),
            path("import/<slug:kept_id>/", view(self.import_preview_view), name=f"{name}_preview"),
            *super().get_urls(),  # type: ignore[misc]
        ]
        return own

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """The first page, and the file that it sends."""
        if not self.may_import(request):
            raise Http404
        form = self.upload_form(request)
        if request.method != "POST" or not form.is_valid():
            context = {"form": form, "columns": self._readable(request), "most_rows": most_rows()}
            return self._table_page(request, "back_end/tables/upload.html", _("Import"), context)
        choices = self.import_choices(form)
        choices["matches"] = match(form.table.headings, list(self.import_columns(request, choices)))
        choices["matches"] = self._readable_only(request, choices)
        file_name = str(form.cleaned_data["file"].name)
        kept = store.keep(self.opts.label_lower, _own_id(request), file_name, form.content, choices)
        return HttpResponseRedirect(self._preview_address(kept))

    @method_decorator(sensitive_post_parameters())
    def import_preview_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """What the file would do; a POST corrects what the headings mean, does it, or gives it up."""
        if not self.may_import(request):
            raise Http404
        kept = store.find(_own_id(request), self.opts.label_lower, kept_id)
        if kept is None:
            messages.warning(
                request, _("The file is not kept any more: it was imported or given up, or it is too old.")
            )
            return HttpResponseRedirect(self._address("changelist"))
        if request.method != "POST":
            return self._show_import_preview(request, kept)
        if "give_up" in request.POST:
            kept.delete()
            messages.info(request, _("Nothing was imported."))
            return HttpResponseRedirect(self._address("changelist"))
        return self._import_kept(request, kept) if "import" in request.POST else self._match_import_anew(request, kept)

    # ---- the preview

    def _show_import_preview(
        self, request: HttpRequest, kept: KeptTable, stale: frozenset[int] = frozenset(), form: MatchForm | None = None
    ) -> HttpResponse:
        table = self._kept_table(kept)
        resource = self.import_resource(request, kept.choices)
        rows = resource.plan(table, kept.choices["matches"])
        kept.seen = ",".join(resource.digests(rows))
        kept.save(update_fields=["seen"])
        columns = self.import_columns(request, kept.choices)
        form = form or MatchForm(table.headings, columns, kept.choices["matches"])
        preview = Preview(rows, columns, request.GET, stale)
        context = {"kept": kept, "preview": preview, "match_form": form, "address": self._preview_address(kept)}
        return self._table_page(request, "back_end/tables/preview.html", _("Import: preview"), context)

    def _match_import_anew(self, request: HttpRequest, kept: KeptTable) -> HttpResponse:
        table = self._kept_table(kept)
        columns = self.import_columns(request, kept.choices)
        form = MatchForm(table.headings, columns, kept.choices["matches"], request.POST)
        if not form.is_valid():
            return self._show_import_preview(request, kept, form=form)
        kept.choices = kept.choices | {"matches": form.matches}
        kept.save(update_fields=["choices"])
        return HttpResponseRedirect(self._preview_address(kept))

    # ---- the import

    def _import_kept(self, request: HttpRequest, kept: KeptTable) -> HttpResponse:
        leaves_out = "leave_out" in request.POST
        try:
            with transaction.atomic():
                # Of two clicks at once the second finds no file any more.
                held = KeptTable.objects.select_for_update().filter(pk=kept.pk).first()
                rows, stale = self._store_kept(request, held, leaves_out) if held else ([], frozenset())
                is_done = held is not None and not stale and (leaves_out or not counts_of(rows)["wrong"])
                if is_done and held is not None:
                    self._note_import(kept, rows)
                    held.delete()
                else:
                    transaction.set_rollback(True)
        except Error:
            messages.error(request, _("The database could not do it now. Nothing was stored; try again in a moment."))
            return HttpResponseRedirect(self._preview_address(kept))
        if held is None:
            return HttpResponseRedirect(self._preview_address(kept))
        if not is_done:
            return self._tell_not_done(request, kept, stale)
        messages.success(request, _report(counts_of(rows)))
        return HttpResponseRedirect(self._after_import(kept))

    def _store_kept(
        self, request: HttpRequest, kept: KeptTable, leaves_out: bool
    ) -> tuple[list[PlannedRow], frozenset[int]]:
        """The rows as they are stored, and the numbers of those that are not any more what the preview showed."""
        table, matches = self._kept_table(kept), kept.choices["matches"]
        resource = self.import_resource(request, kept.choices)
        resource.is_storing = True
        rows = resource.plan(table, matches)
        seen = kept.seen.split(",")
        stale = frozenset(
            row.number for row, was, now in zip(rows, seen, resource.digests(rows), strict=False) if was != now
        )
        if len(seen) != len(rows) or stale or (counts_of(rows)["wrong"] and not leaves_out):
            return rows, stale or frozenset(row.number for row in rows if len(seen) != len(rows))
        return resource.plan(table, matches, storing=True), frozenset()

    def _note_import(self, kept: KeptTable, rows: list[PlannedRow]) -> None:
        counts = counts_of(rows)
        details: dict[str, Any] = {"created": counts["new"], "updated": counts["changed"], "left_out": counts["wrong"]}
        audit.note(self.import_action, site_id=self.import_site(kept.choices), file=kept.name[:100], **details)

    def _tell_not_done(self, request: HttpRequest, kept: KeptTable, stale: frozenset[int]) -> HttpResponse:
        if stale:
            told = _(
                "Nothing was stored: somebody has changed what %(count)d rows are about. Look at the preview again."
            )
            messages.error(request, told % {"count": len(stale)})
        else:
            messages.error(request, _("Nothing was stored: there are wrong rows."))
        return self._show_import_preview(request, kept, stale)

    def _after_import(self, kept: KeptTable) -> str:
        return self._address("changelist")

    # ---- parts

    def _kept_table(self, kept: KeptTable) -> Table:
        return read_table(store.read(kept))

    def _readable(self, request: HttpRequest) -> list[Column]:
        return [column for column in self.table_columns(request) if not column.is_read_only]

    def _readable_only(self, request: HttpRequest, choices: Choices) -> list[str]:
        read = {column.name for column in self.import_columns(request, choices) if not column.is_read_only}
        return [name if name in read else "" for name in choices["matches"]]

    def _uploaded(self, request: HttpRequest) -> tuple[Any, ...]:
        return (request.POST, request.FILES) if request.method == "POST" else ()

    def _preview_address(self, kept: KeptTable) -> str:
        return self._address("import_preview", kept.pk)

    def _address(self, view: str, *arguments: Any) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{view}", args=arguments)

    def _table_page(self, request: HttpRequest, template: str, title: str, context: dict[str, Any]) -> HttpResponse:
        own = {"title": title, "opts": self.opts, "list_address": self._address("changelist")}
        return TemplateResponse(request, template, self.admin_site.each_context(request) | own | context)


def _own_id(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


def _report(counts: dict[str, int]) -> str:
    told = _("The file was imported: %(new)d new, %(changed)d changed, %(unchanged)d unchanged, %(wrong)d left out.")
    return told % counts
