"""Pages of records with a way to tables and back: exported at once, imported after a preview.

Up to SHORT rows are stored within the request, more by a process of its own. Either way all rows do in one transaction
what the preview has shown, or nothing, and the page of a job tells of it.
"""

from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.crypto import get_random_string
from django.utils.decorators import method_decorator
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from cms_api import audit
from cms_api.admin.large_forms import takes_files
from cms_api.admin.refusals import tell as tell_refusal
from cms_api.admin.registered import address_of
from cms_api.jobs import asking
from cms_api.jobs.addresses import page_of
from cms_api.jobs.kinds import Report
from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.models import KeptTable
from cms_api.tables import kept as store
from cms_api.tables import storing
from cms_api.tables.columns import Column, match, readable, unread
from cms_api.tables.export import Export
from cms_api.tables.forms import MatchForm, UploadForm
from cms_api.tables.preview import Preview, counts_of, left_out_file, left_out_name, problems_of
from cms_api.tables.reading import Table, most_rows
from cms_api.tables.resource import PlannedRow, TableResource, Tell, tell_nobody

# Rows that are stored within the request; they take a second or two.
SHORT = 200
_TOLD = 100  # rows left out that the report tells
_LIVING = (Job.State.WAITING, Job.State.RUNNING, Job.State.DONE)

Choices = dict[str, Any]


class Planned(NamedTuple):
    """Rows that can be stored, the file that they are of, and those of it that are left out as a file; b"" if none."""

    kept: KeptTable
    resource: TableResource
    rows: list[PlannedRow]
    left_out: bytes


class Tables(Export):
    """The export and import of the records of a page, which lists their `urls` and shows the `tools` above its list.

    Such a page has them as `tables`. The app registers the kind of job: `import_kind(import_job, …)`.
    """

    import_action: str  # of the audit
    import_job: str

    def may_import(self, request: HttpRequest) -> bool:
        """Whoever may add or change records."""
        return bool(self.page.allows(request, "add") or self.page.allows(request, "change"))

    def upload_form(self, request: HttpRequest) -> UploadForm:
        """The form of the first page."""
        return UploadForm(*self._uploaded(request))

    def import_choices(self, form: UploadForm) -> Choices:
        """What was chosen beside the file, to be kept with it; of a site also `site`, its number, and `site_name`."""
        return {}

    def import_columns(self, request: HttpRequest) -> list[Column]:
        """What the first page says that a file may have."""
        return self.table_columns(request)

    def import_resource(self, request: HttpRequest, choices: Choices) -> TableResource:
        """What reads the rows. Raises Http404 when what was chosen is not there any more."""
        raise NotImplementedError

    # ---- addresses

    def urls(self) -> list[URLPattern]:
        """The addresses of the views, for `get_urls` of the page."""
        return [
            self._route("import/", "import", self.import_view),
            self._route("import/<slug:kept_id>/", "import_preview", self.import_preview_view),
            self._route("import/<slug:kept_id>/left-out/", "import_left_out", self.import_left_out_view),
            *super().urls(),
        ]

    def tools(self, request: HttpRequest) -> dict[str, bool]:
        """What the list shows of the ways to and from tables."""
        return {"may_export": self.may_export(request), "may_import": self.may_import(request)}

    @takes_files("CMS_IMPORT_MAX_BYTES")
    def import_view(self, request: HttpRequest) -> HttpResponse:
        """The first page, and the file that it sends."""
        if not self.may_import(request):
            raise Http404
        form = self.upload_form(request)
        if request.method != "POST" or not form.is_valid():
            context = {"form": form, "columns": readable(self.import_columns(request)), "most_rows": most_rows()}
            return self._table_page(request, "upload", _("Import"), context)
        choices = self.import_choices(form)
        resource = self.import_resource(request, choices)
        read = {column.name for column in resource.columns}
        choices["matches"] = [name if name in read else "" for name in match(form.table.headings, resource.all_columns)]
        file_name = str(form.cleaned_data["file"].name)
        kept = store.keep(self.kept_kind, _own_id(request), file_name, form.table.to_bytes(), choices)
        return HttpResponseRedirect(self.preview_address(kept.pk))

    @method_decorator(sensitive_post_parameters())
    def import_preview_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """What the file would do; a POST corrects what the headings mean, does it, or gives it up.

        Of a file that is being imported or was, the page of that job.
        """
        own = Job.objects.filter(kind=self.import_job, administrator_id=_own_id(request))
        if job := own.filter(parameters__kept=kept_id, state__in=_LIVING).order_by("pk").last():
            return HttpResponseRedirect(page_of(job))
        if not self.may_import(request):
            raise Http404
        kept = store.find(_own_id(request), self.kept_kind, kept_id)
        if kept is None:
            return self._to_list(request, messages.WARNING, str(storing.FileGone()))
        if request.method != "POST":
            return self._show_import_preview(request, kept)
        if "give_up" in request.POST:
            kept.delete()
            return self._to_list(request, messages.INFO, _("Nothing was imported."))
        if "import" in request.POST:
            return self._store_import(request, kept, "leave_out" in request.POST)
        return self._match_import_anew(request, kept)

    def import_left_out_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """The wrong rows as a file: of a preview as they are wrong now, of an import those that it left out."""
        if not self.may_import(request):
            raise Http404
        if kept := store.find(_own_id(request), self._left_out_kind, kept_id):
            return _csv_answer(kept.name, store.read(kept))
        if kept := store.find(_own_id(request), self.kept_kind, kept_id):
            table, resource = Table.from_bytes(store.read(kept)), self.import_resource(request, kept.choices)
            rows = resource.plan(table, kept.choices["matches"])
            return _csv_answer(left_out_name(kept.name), left_out_file(table, rows, resource.columns))
        return self._to_list(request, messages.WARNING, str(storing.FileGone()))

    def preview_address(self, kept_id: UUID | str) -> str:
        """The address of the preview of the file of that number."""
        return address_of(self.page, "import_preview", kept_id)

    @property
    def kept_kind(self) -> str:
        """The kind of kept tables that wait for an import."""
        return f"{self.opts.label_lower}.rows"

    @property
    def _left_out_kind(self) -> str:
        return f"{self.opts.label_lower}.left_out"

    # ---- the preview

    def _show_import_preview(
        self, request: HttpRequest, kept: KeptTable, form: MatchForm | None = None
    ) -> HttpResponse:
        table, matches = Table.from_bytes(store.read(kept)), kept.choices["matches"]
        resource = self.import_resource(request, kept.choices)
        rows = resource.plan(table, matches)
        seen = resource.digests(rows)
        # What was shown before as something else, because somebody has changed it meanwhile.
        stale = frozenset(row.number for row, was, now in zip(rows, kept.seen_rows, seen, strict=False) if was != now)
        kept.seen = ",".join(seen)
        kept.save(update_fields=["seen"])
        context = {
            "kept": kept,
            "preview": Preview(rows, resource.columns, request.GET, stale),
            "unread": unread(table.headings, matches, resource.all_columns),
            "match_form": form or MatchForm(table.headings, resource.columns, matches),
            "address": self.preview_address(kept.pk),
            "left_out_address": address_of(self.page, "import_left_out", kept.pk),
            "token": get_random_string(32),
        }
        return self._table_page(request, "preview", _("Import: preview"), context)

    def _match_import_anew(self, request: HttpRequest, kept: KeptTable) -> HttpResponse:
        headings = Table.from_bytes(store.read(kept)).headings
        columns = self.import_resource(request, kept.choices).columns
        form = MatchForm(headings, columns, kept.choices["matches"], request.POST)
        if not form.is_valid():
            return self._show_import_preview(request, kept, form=form)
        kept.choices, kept.seen = kept.choices | {"matches": form.matches}, ""
        kept.save(update_fields=["choices", "seen"])
        return HttpResponseRedirect(self.preview_address(kept.pk))

    # ---- the import

    def _store_import(self, request: HttpRequest, kept: KeptTable, leaves_out: bool) -> HttpResponse:
        """Ask for the job, or do it now."""
        parameters = {"kept": str(kept.pk), "leaves_out": leaves_out, "file_name": kept.name}
        asked: dict[str, Any] = {
            "parameters": parameters | {"site_name": kept.choices.get("site_name", "")},
            "token": request.POST.get("token", "")[:64] or get_random_string(32),
            "site_id": kept.choices.get("site"),
        }
        try:
            if len(kept.seen_rows) > SHORT:
                job = asking.ask(self.import_job, **asked)
                # It may wait for another one.
                KeptTable.objects.filter(pk=kept.pk).update(created_at=clock.now())
            else:
                planned = self.plan_import(request, kept, leaves_out)
                job = asking.do_now(self.import_job, do=lambda: self.finish_import(planned), **asked)
            return HttpResponseRedirect(page_of(job))
        except storing.FileGone:
            return HttpResponseRedirect(self.preview_address(kept.pk))
        except (storing.NotStored, ServiceError) as refused:
            messages.error(request, tell_refusal(refused) if isinstance(refused, ServiceError) else str(refused))
        except Error:
            messages.error(request, _("The database could not do it now. Nothing was stored; try again in a moment."))
        return self._show_import_preview(request, kept)

    def plan_import(self, request: HttpRequest, kept: KeptTable, leaves_out: bool, tell: Tell = tell_nobody) -> Planned:
        """The rows, if they still would do what was shown; no transaction is needed. Raises NotStored."""
        resource = self.import_resource(request, kept.choices)
        table = Table.from_bytes(store.read(kept))
        rows = storing.prepare(resource, table, kept.choices["matches"], kept.seen_rows, leaves_out, tell)
        wrong = left_out_file(table, rows, resource.columns) if counts_of(rows)["wrong"] else b""
        return Planned(kept, resource, rows, wrong)

    def finish_import(self, planned: Planned, tell: Tell = tell_nobody) -> Report:
        """Store the rows within the transaction of a job, and return its report.

        Raises NotStored or a ServiceError, also if whoever asked has lost a right that the rows were planned with.
        """
        kept, resource, rows, wrong = planned
        # Of two imports of one file the second finds no file any more.
        held = KeptTable.objects.select_for_update().filter(pk=kept.pk).first()
        if held is None:
            raise storing.FileGone
        storing.store(resource, rows, tell)
        counts = counts_of(rows)
        details: dict[str, Any] = {"created": counts["new"], "updated": counts["changed"], "left_out": counts["wrong"]}
        site_id = kept.choices.get("site")
        audit.note(self.import_action, resource.target, site_id=site_id, file=kept.name[:100], **details)
        held.delete()
        # Last, so that what was taken away while this waited for locks counts, too.
        self._require_rights(planned)
        told = [(row.number, problems_of(row, resource.columns)) for row in rows if row.kind == "wrong"][:_TOLD]
        address = address_of(self.page) + resource.list_query
        report = {"counts": counts, "list": address, "left_out": told, "left_out_file": ""}
        if wrong:
            name = left_out_name(kept.name)
            made = store.add(self._left_out_kind, kept.administrator_id, name, wrong, {})
            report["left_out_file"] = address_of(self.page, "import_left_out", made.pk)
        return report

    def _require_rights(self, planned: Planned) -> None:
        refused = InvalidInput("right_gone", "The administrator may not import this any more.")
        administrator = get_user_model().objects.filter(pk=planned.kept.administrator_id).first()
        if administrator is None or not administrator.is_active:
            raise refused
        request = asked_by(administrator)
        try:
            now = self.import_resource(request, planned.kept.choices)
        except Http404 as error:
            raise refused from error
        if not (self.may_import(request) and now.has_rights_of(planned.resource)):
            raise refused

    # ---- parts

    def _uploaded(self, request: HttpRequest) -> tuple[Any, ...]:
        return (request.POST, request.FILES) if request.method == "POST" else ()

    def _to_list(self, request: HttpRequest, level: int, text: str) -> HttpResponse:
        messages.add_message(request, level, text)
        return HttpResponseRedirect(address_of(self.page))


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
