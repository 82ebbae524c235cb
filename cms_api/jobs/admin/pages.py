"""The pages of jobs: how far each is, its end before it is done, and what came of it."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import Rank, rank_of
from cms_api.jobs import kinds, starting
from cms_api.jobs.addresses import page_of
from cms_api.jobs.asking import cancel
from cms_api.jobs.boards import board_of
from cms_api.jobs.models import Job
from cms_api.jobs.words import in_present_language
from cms_api.lib import clock

_log = logging.getLogger(__name__)


@admin.register(Job)
class JobPages(RecordPages):
    """The jobs that one has asked for; the highest rank sees all."""

    by_groups = False
    list_display = ["label", "state", "asked_by", "asked_at", "ended_at"]
    list_display_links = ["label"]
    list_filter = ["state"]
    ordering = ["-id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        jobs = Job.objects.all()
        return jobs if rank_of(request.user) is Rank.HIGHEST else jobs.filter(administrator_id=request.user.pk)

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """Whoever has asked for a job may look at it and stop it."""
        if rank_of(request.user) is Rank.HIGHEST:
            return True
        return self._is_own(request, record) if isinstance(record, Job) else self.get_queryset(request).exists()

    def get_urls(self) -> list[URLPattern]:
        views = (("state", require_safe(self.state_view)), ("cancel", require_POST(self.cancel_view)))
        protect = self.admin_site.admin_view
        own = [path(f"<int:pk>/{name}/", protect(view), name=f"jobs_job_{name}") for name, view in views]
        return [*own, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        job = self._find(request, object_id)
        if request.method == "POST":
            raise PermissionDenied
        starting.start_waiting()
        job.refresh_from_db()
        context = self.admin_site.each_context(request) | {"opts": self.opts, "title": self.label(job)}
        return TemplateResponse(request, "jobs/job.html", context | state_of(job))

    def state_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The job as it is now, for the page to show."""
        job = self._find(request, pk)
        _leave_session_alone(request)
        starting.start_waiting()
        job.refresh_from_db()
        shown = render_to_string("jobs/state.html", state_of(job), request)
        return JsonResponse({"hasEnded": job.has_ended, "shown": shown})

    def cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Stop the job."""
        job = self._find(request, pk)
        cancel(job)
        return HttpResponseRedirect(page_of(job))

    @admin.display(description=_("job"))
    def label(self, job: Job) -> str:
        """What the job does, in words."""
        kind = kinds.find(job.kind)
        return kind.told(job.parameters) if kind else job.kind

    def _find(self, request: HttpRequest, pk: object) -> Job:
        job = self.get_object(request, str(pk))
        if job is None:
            raise Http404
        return job  # type: ignore[no-any-return]

    def _is_own(self, request: HttpRequest, job: Job) -> bool:
        return job.administrator_id == request.user.pk


def state_of(job: Job) -> dict[str, Any]:
    """What the templates show of a job."""
    kind = kinds.find(job.kind)
    progress = board_of(job.pk).read()
    return {
        "job": job,
        "report": in_present_language(job.report),
        "template": kind.template if kind else "",
        "progress": progress,
        "step": str(kind.steps.get(progress.step, "")) if kind else "",
        "minutes_left": minutes_left(job.began_at, progress.done, progress.total),
        "again": _again(kind, job),
        "is_stopping": not job.has_ended and board_of(job.pk).is_to_stop(),
    }


def _again(kind: kinds.Kind | None, job: Job) -> str:
    has_failed = job.has_ended and job.state != Job.State.DONE
    return kind.again(job.parameters) if has_failed and kind is not None and kind.again is not None else ""


def minutes_left(began: datetime | None, done: int, total: int) -> int | None:
    """How many minutes are left, rounded up, if it goes on as until now; None while nobody can tell."""
    if began is None or not 0 < done <= total:
        return None
    spent = clock.now() - began
    left = spent * (total - done) / done
    return None if spent < timedelta(seconds=3) else -(-int(left.total_seconds()) // 60)


def _leave_session_alone(request: HttpRequest) -> None:
    # Asked for each second. To look is no click that keeps a sign-in; and on SQLite nobody can store a session while a
    # job writes.
    request.session.modified = False
