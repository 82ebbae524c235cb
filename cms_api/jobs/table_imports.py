"""Imports of tables as jobs: a short one is done within the request, a long one by a process of its own.

Either way all rows do in one transaction what the preview has shown, or nothing, and the page of a job tells of it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.db import Error, IntegrityError, models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.crypto import get_random_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cms_api import audit
from cms_api.back_end.refusals import tell as tell_refusal
from cms_api.back_end.tables.import_pages import ImportPages, asked_by
from cms_api.back_end.tables.kept import add
from cms_api.back_end.tables.left_out import as_file, file_name
from cms_api.back_end.tables.preview import counts_of, problems_of
from cms_api.back_end.tables.resource import CHECKING, PlannedRow, TableResource, Tell, nobody
from cms_api.back_end.tables.storing import STORING, FileGone, NotStored, prepare, store
from cms_api.jobs import asking
from cms_api.jobs.addresses import page_of
from cms_api.jobs.kinds import JobFailed, Kind, Report
from cms_api.jobs.running import Run
from cms_api.jobs.words import said
from cms_api.lib import clock
from cms_api.models import Job, KeptTable
from cms_api.rest.errors import BadRequest, Refusal

# Rows that are stored within the request; they take a second or two.
SHORT = 200
_TOLD = 100  # rows left out that the report tells
_LIVING = (Job.State.WAITING, Job.State.RUNNING, Job.State.DONE)


class Planned(NamedTuple):
    """Rows that can be stored, the file that they are of, and those of it that are left out as a file; b"" if none."""

    kept: KeptTable
    resource: TableResource
    rows: list[PlannedRow]
    left_out: bytes


class ImportJobs(ImportPages):
    """Pages that import tables; their kind of job is `import_kind(import_job, …)`, registered by the app."""

    import_job: str

    def import_preview_view(self, request: HttpRequest, kept_id: str) -> HttpResponse:
        """The preview; of a file that is being imported or was, the page of that job."""
        own = Job.objects.filter(kind=self.import_job, administrator_id=request.user.pk)
        job = own.filter(parameters__kept=kept_id, state__in=_LIVING).order_by("pk").last()
        return _to_page(job) if job is not None else super().import_preview_view(request, kept_id)

    def store_import(self, request: HttpRequest, kept: KeptTable, leaves_out: bool) -> HttpResponse:
        """Ask for the job, or do it now."""
        asked: dict[str, Any] = {
            "parameters": self._parameters(kept, leaves_out),
            "token": request.POST.get("token", "")[:64] or get_random_string(32),
            "site_id": self.import_site(kept.choices),
        }
        try:
            if len(kept.seen_rows) > SHORT:
                job = asking.ask(self.import_job, **asked)
                # It may wait for another one.
                KeptTable.objects.filter(pk=kept.pk).update(created_at=clock.now())
                return _to_page(job)
            planned = self.plan_import(request, kept, leaves_out)
            return _to_page(asking.do_now(self.import_job, do=lambda: self.finish_import(planned), **asked))
        except FileGone:
            return HttpResponseRedirect(self.preview_address(kept.pk))
        except (NotStored, Refusal) as refused:
            messages.error(request, tell_refusal(refused) if isinstance(refused, Refusal) else str(refused))
        except Error:
            messages.error(request, _("The database could not do it now. Nothing was stored; try again in a moment."))
        return self._show_import_preview(request, kept)

    def plan_import(self, request: HttpRequest, kept: KeptTable, leaves_out: bool, tell: Tell = nobody) -> Planned:
        """The rows, if they still would do what was shown; no transaction is needed. Raises NotStored."""
        resource = self.import_resource(request, kept.choices)
        table, matches = self.kept_table(kept), kept.choices["matches"]
        rows = prepare(resource, table, matches, kept.seen_rows, leaves_out, tell)
        wrong = as_file(table, rows, resource.columns) if counts_of(rows)["wrong"] else b""
        return Planned(kept, resource, rows, wrong)

    def finish_import(self, planned: Planned, tell: Tell = nobody) -> Report:
        """Store the rows within the transaction of a job, and return its report.

        Raises NotStored or a Refusal, one also where whoever asked has lost a right that the rows were planned with.
        """
        kept, resource, rows, wrong = planned
        # Of two imports of one file the second finds no file any more.
        held = KeptTable.objects.select_for_update().filter(pk=kept.pk).first()
        if held is None:
            raise FileGone
        store(resource, rows, tell)
        counts = counts_of(rows)
        details: dict[str, Any] = {"created": counts["new"], "updated": counts["changed"], "left_out": counts["wrong"]}
        target, site_id = self.import_target(kept.choices), self.import_site(kept.choices)
        audit.note(self.import_action, target, site_id=site_id, file=kept.name[:100], **details)
        held.delete()
        # Last, so that what was taken away while this waited for locks counts, too.
        self._require_rights(planned)
        report = {"counts": counts, "list": self.import_address(kept.choices)}
        left_out = [(row.number, problems_of(row, resource.columns)) for row in rows if row.kind == "wrong"]
        return report | {"left_out": left_out[:_TOLD], "left_out_file": self._keep_left_out(kept, wrong)}

    def _keep_left_out(self, kept: KeptTable, wrong: bytes) -> str:
        """Where the rows that were left out are downloaded; "" if there are none."""
        if not wrong:
            return ""
        made = add(self.left_out_kind, kept.administrator_id, file_name(kept.name), wrong, {})
        return self.left_out_address(made.pk)

    def _require_rights(self, planned: Planned) -> None:
        administrator = get_user_model().objects.filter(pk=planned.kept.administrator_id).first()
        if administrator is None or not administrator.is_active:
            raise _right_gone()
        request = asked_by(administrator)
        try:
            now = self.import_resource(request, planned.kept.choices)
        except Http404 as error:
            raise _right_gone() from error
        if not (self.may_import(request) and now.has_rights_of(planned.resource)):
            raise _right_gone()

    def _parameters(self, kept: KeptTable, leaves_out: bool) -> dict[str, Any]:
        site_name = self.import_site_name(kept.choices)
        return {"kept": str(kept.pk), "leaves_out": leaves_out, "file_name": kept.name, "site_name": site_name}


def import_kind(name: str, label: str | Promise, model: type[models.Model]) -> Kind:
    """The kind of job that imports tables of records of the model, whose pages are ImportJobs."""

    def pages() -> ImportJobs:
        return admin.site.get_model_admin(model)  # type: ignore[return-value]

    def preview(parameters: Mapping[str, Any]) -> str:
        kept_id = parameters["kept"]
        return pages().preview_address(kept_id) if KeptTable.objects.filter(pk=kept_id).exists() else ""

    def plan(run: Run) -> Planned:
        administrator = get_user_model().objects.get(pk=run.job.administrator_id or 0)
        kept = KeptTable.objects.filter(pk=run.parameters["kept"], administrator_id=administrator.pk).first()
        if kept is None:
            raise JobFailed(said(str, FileGone()))
        with _in_words():
            return pages().plan_import(asked_by(administrator), kept, run.parameters["leaves_out"], run.tell)

    def finish(run: Run) -> Report:
        with _in_words():
            return pages().finish_import(run.prepared, run.tell)

    return Kind(
        name=name,
        label=label,
        title=lambda parameters: _title(label, parameters),
        prepare=plan,
        do=finish,
        template="back_end/tables/report.html",
        is_open_to=lambda administrator: pages().may_import(asked_by(administrator)),
        steps={
            CHECKING: gettext_lazy("The rows are being looked at again. Nothing is stored yet."),
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
    except Refusal as refusal:
        raise JobFailed(said(tell_refusal, refusal)) from refusal
    except IntegrityError as error:
        raise JobFailed(gettext_lazy("Somebody else has changed the same at this moment. Ask for it again.")) from error
    except Http404 as error:
        raise JobFailed(gettext_lazy("The channel, or the right to import here, is not there any more.")) from error


def _title(label: str | Promise, parameters: Mapping[str, Any]) -> str:
    file, site = parameters["file_name"], parameters["site_name"]
    return _("Import of %(file)s into %(site)s") % {"file": file, "site": site} if site else f"{label}: {file}"


def _right_gone() -> BadRequest:
    return BadRequest("right_gone", "The administrator may not import this any more.")


def _to_page(job: Job) -> HttpResponse:
    return HttpResponseRedirect(page_of(job))
