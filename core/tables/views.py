"""Export and import of a page's records.

An import stores the result that its preview has shown, in one transaction: up to SHORT rows within the request, more by
a job.
Either way a job's page reports it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db import Error, IntegrityError, models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.crypto import get_random_string
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from core import audit
from core.admin.error_messages import tell as tell_refusal
from core.admin.large_forms import takes_files
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of
from core.jobs import enqueueing
from core.jobs.kinds import JobFailed, JobKind, Report, said
from core.jobs.models import Job
from core.jobs.progress import Run
from core.lib import clock
from core.lib.errors import InvalidInput, ServiceError
from core.models import PendingImport
from core.tables import pending_imports
from core.tables.columns import Column, match, readable, unread
from core.tables.export import Export
from core.tables.forms import MatchForm, UploadForm
from core.tables.preview import Preview, counts_of, left_out_file, left_out_name, problems_of
from core.tables.reading import MAX_FILE_BYTES, MAX_ROWS, Table
from core.tables.resource import CHECKING, STORING, FileGone, NotStored, PlannedRow, TableResource, Tell, no_progress

# Rows stored within the request, in a second or two.
SHORT = 200
_TOLD = 100  # rows left out that the report lists
_LIVING = (Job.State.WAITING, Job.State.RUNNING, Job.State.DONE)

Choices = dict[str, Any]


class Planned(NamedTuple):
    """Rows ready to be stored, their file, and the rows left out as a file (b"" if none)."""

    kept: PendingImport
    resource: TableResource
    rows: list[PlannedRow]
    left_out: bytes


class Tables(Export):
    """Set as `tables` by a page, which includes `urls` and shows `tools`; the app registers `import_kind`."""

    import_action: str  # of the audit
    import_job: str

    def __init__(self, page: BaseModelAdmin) -> None:
        super().__init__(page)
        # Kinds of stored tables: pending imports, and the rows left out of one.
        self.kept_kind, self._left_out_kind = (f"{self.opts.label_lower}.{name}" for name in ("rows", "left_out"))

    def may_import(self, request: HttpRequest) -> bool:
        return bool(self.page.allows(request, "add") or self.page.allows(request, "change"))

    def upload_form(self, request: HttpRequest) -> UploadForm:
        return UploadForm(*self._uploaded(request))

    def import_choices(self, form: UploadForm) -> Choices:
        """Return the choices to store with the file; for a site also `site` (its id) and `site_name`."""
        return {}

    def import_columns(self, request: HttpRequest) -> list[Column]:
        return self.table_columns(request)

    def import_resource(self, request: HttpRequest, choices: Choices) -> TableResource:
        """Return the resource that reads the rows. Raises `Http404` if a choice no longer exists."""
        raise NotImplementedError

    def urls(self) -> list[URLPattern]:
        return [
            self._route("import/", "import", self.import_view),
            self._route("import/<slug:kept_id>/", "import_preview", self.import_preview_view),
            self._route("import/<slug:kept_id>/left-out/", "import_left_out", self.import_left_out_view),
            *super().urls(),
        ]

    def tools(self, request: HttpRequest) -> dict[str, bool]:
        return {"may_export": self.may_export(request), "may_import": self.may_import(request)}

    @takes_files(MAX_FILE_BYTES)
    def import_view(self, request: HttpRequest) -> HttpResponse:
        if not self.may_import(request):
            raise Http404
        form = self.upload_form(request)
        if request.method != "POST" or not form.is_valid():
            context = {"form": form, "columns": readable(self.import_columns(request)), "most_rows": MAX_ROWS}
            return self._table_page(request, "upload", _("Import"), context)
        choices = self.import_choices(form)
        resource = self.import_resource(request, choices)
        read = {column.name for column in resource.columns}
        choices["matches"] = [name if name in read else "" for name in match(form.table.headings, resource.all_columns)]
        file_name = str(form.cleaned_data["file"].name)
        kept = pending_imports.keep(self.kept_kind, request.user.pk or 0, file_name, form.table.to_bytes(), choices)
        return HttpResponseRedirect(self.preview_address(kept.pk))

    @method_decorator(sensitive_post_parameters())
    def import_preview_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """Show the preview; POST rematches headings, imports or discards. Redirects to the file's job, if any."""
        own = Job.objects.filter(kind=self.import_job, administrator_id=request.user.pk or 0)
        if job := own.filter(parameters__kept=kept_id, state__in=_LIVING).order_by("pk").last():
            return HttpResponseRedirect(job.get_absolute_url())
        if not self.may_import(request):
            raise Http404
        kept = pending_imports.find(request.user.pk or 0, self.kept_kind, kept_id)
        if kept is None:
            return self._to_list(request, messages.WARNING, str(FileGone()))
        if request.method != "POST":
            return self._show_import_preview(request, kept)
        if "give_up" in request.POST:
            kept.delete()
            return self._to_list(request, messages.INFO, _("Nothing was imported."))
        if "import" in request.POST:
            return self._store_import(request, kept, "leave_out" in request.POST)
        columns = self.import_resource(request, kept.choices).columns
        headings = Table.from_bytes(pending_imports.read(kept)).headings
        form = MatchForm(headings, columns, kept.choices["matches"], request.POST)
        if not form.is_valid():
            return self._show_import_preview(request, kept, form=form)
        kept.choices, kept.seen = kept.choices | {"matches": form.matches}, ""
        kept.save(update_fields=["choices", "seen"])
        return HttpResponseRedirect(self.preview_address(kept.pk))

    def import_left_out_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        if not self.may_import(request):
            raise Http404
        if kept := pending_imports.find(request.user.pk or 0, self._left_out_kind, kept_id):
            return _csv_answer(kept.name, pending_imports.read(kept))
        if kept := pending_imports.find(request.user.pk or 0, self.kept_kind, kept_id):
            table, resource = Table.from_bytes(pending_imports.read(kept)), self.import_resource(request, kept.choices)
            rows = resource.plan(table, kept.choices["matches"])
            return _csv_answer(left_out_name(kept.name), left_out_file(table, rows, resource.columns))
        return self._to_list(request, messages.WARNING, str(FileGone()))

    def preview_address(self, kept_id: UUID | str) -> str:
        return address_of(self.page, "import_preview", kept_id)

    def _show_import_preview(
        self, request: HttpRequest, kept: PendingImport, form: MatchForm | None = None
    ) -> HttpResponse:
        table, matches = Table.from_bytes(pending_imports.read(kept)), kept.choices["matches"]
        resource = self.import_resource(request, kept.choices)
        rows = resource.plan(table, matches)
        seen = resource.digests(rows)
        # Rows that the last preview showed differently, because of changes by others.
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

    def _store_import(self, request: HttpRequest, kept: PendingImport, leaves_out: bool) -> HttpResponse:
        parameters = {"kept": str(kept.pk), "leaves_out": leaves_out, "file_name": kept.name}
        asked: dict[str, Any] = {
            "parameters": parameters | {"site_name": kept.choices.get("site_name", "")},
            "token": request.POST.get("token", "")[:64] or get_random_string(32),
            "site_id": kept.choices.get("site"),
        }
        try:
            if len(kept.seen_rows) > SHORT:
                job = enqueueing.enqueue(self.import_job, **asked)
                # The job may have to wait.
                PendingImport.objects.filter(pk=kept.pk).update(created_at=clock.now())
            else:
                planned = self.plan_import(request, kept, leaves_out)
                job = enqueueing.run_now(self.import_job, do=lambda: self.finish_import(planned), **asked)
            return HttpResponseRedirect(job.get_absolute_url())
        except FileGone:
            return HttpResponseRedirect(self.preview_address(kept.pk))
        except (NotStored, ServiceError) as refused:
            messages.error(request, tell_refusal(refused) if isinstance(refused, ServiceError) else str(refused))
        except Error:
            messages.error(
                request, _("The database is not available right now. Nothing was stored; try again in a moment.")
            )
        return self._show_import_preview(request, kept)

    def plan_import(
        self, request: HttpRequest, kept: PendingImport, leaves_out: bool, tell: Tell = no_progress
    ) -> Planned:
        """Return the rows if they still match the preview; needs no transaction. Raises `NotStored`."""
        resource = self.import_resource(request, kept.choices)
        table = Table.from_bytes(pending_imports.read(kept))
        rows = resource.plan_as_seen(table, kept.choices["matches"], kept.seen_rows, leaves_out, tell)
        wrong = left_out_file(table, rows, resource.columns) if counts_of(rows)["wrong"] else b""
        return Planned(kept, resource, rows, wrong)

    def finish_import(self, planned: Planned, tell: Tell = no_progress) -> Report:
        """Store the rows in a job's transaction. Raises `NotStored`, or `ServiceError`, also for lost rights."""
        kept, resource, rows, wrong = planned
        # The second of two imports of one file finds none.
        held = PendingImport.objects.select_for_update().filter(pk=kept.pk).first()
        if held is None:
            raise FileGone
        resource.store(rows, tell)
        counts = counts_of(rows)
        details: dict[str, Any] = {"created": counts["new"], "updated": counts["changed"], "left_out": counts["wrong"]}
        site_id = kept.choices.get("site")
        audit.record(self.import_action, resource.target, site_id=site_id, file=kept.name[:100], **details)
        held.delete()
        # Last, so that rights revoked while waiting for locks count, too.
        self._require_rights(planned)
        told = [(row.number, problems_of(row, resource.columns)) for row in rows if row.kind == "wrong"][:_TOLD]
        address = address_of(self.page) + resource.list_query
        report = {"counts": counts, "list": address, "left_out": told, "left_out_file": ""}
        if wrong:
            name = left_out_name(kept.name)
            made = pending_imports.add(self._left_out_kind, kept.administrator_id, name, wrong, {})
            report["left_out_file"] = address_of(self.page, "import_left_out", made.pk)
        return report

    def _require_rights(self, planned: Planned) -> None:
        refused = InvalidInput("right_gone", "The administrator is no longer allowed to import this.")
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

    def _uploaded(self, request: HttpRequest) -> tuple[Any, ...]:
        return (request.POST, request.FILES) if request.method == "POST" else ()

    def _to_list(self, request: HttpRequest, level: int, text: str) -> HttpResponse:
        messages.add_message(request, level, text)
        return HttpResponseRedirect(address_of(self.page))


def _csv_answer(name: str, data: bytes) -> HttpResponse:
    answer = HttpResponse(data, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer


def asked_by(administrator: Any) -> HttpRequest:
    """Return a bare request of the administrator, for permission checks outside a real request."""
    request = HttpRequest()
    request.user = administrator
    return request


def import_kind(name: str, label: str | Promise, model: type[models.Model]) -> JobKind:
    def tables() -> Tables:
        return admin.site.get_model_admin(model).tables  # type: ignore[attr-defined,no-any-return]

    def preview(parameters: Mapping[str, Any]) -> str:
        kept_id = parameters["kept"]
        return tables().preview_address(kept_id) if PendingImport.objects.filter(pk=kept_id).exists() else ""

    def plan(run: Run) -> Planned:
        administrator = get_user_model().objects.get(pk=run.job.administrator_id or 0)
        own = PendingImport.objects.filter(administrator_id=administrator.pk, kind=tables().kept_kind)
        kept = own.filter(pk=run.parameters["kept"]).first()
        if kept is None:
            raise JobFailed(said(str, FileGone()))
        with _in_words():
            return tables().plan_import(asked_by(administrator), kept, run.parameters["leaves_out"], run.tell)

    def title(parameters: Mapping[str, Any]) -> str:
        file, site = parameters["file_name"], parameters["site_name"]
        return _("Import of %(file)s into %(site)s") % {"file": file, "site": site} if site else f"{label}: {file}"

    def finish(run: Run) -> Report:
        with _in_words():
            return tables().finish_import(run.prepared, run.tell)

    return JobKind(
        name=name,
        label=label,
        title=title,
        prepare=plan,
        do=finish,
        template="cms_admin/tables/report.html",
        is_open_to=lambda administrator: tables().may_import(asked_by(administrator)),
        steps={
            CHECKING: gettext_lazy("The rows are being checked again. Nothing is stored yet."),
            STORING: gettext_lazy("The rows are being stored."),
        },
        again=preview,
    )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except NotStored as error:
        raise JobFailed(said(str, error), said(attrgetter("place"), error)) from error
    except ServiceError as refusal:
        raise JobFailed(said(tell_refusal, refusal)) from refusal
    except IntegrityError as error:
        raise JobFailed(gettext_lazy("The same records were changed at the same time. Start it again.")) from error
    except Http404 as error:
        raise JobFailed(gettext_lazy("The channel no longer exists, or you may no longer import here.")) from error
