from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from core.admin.pages import BaseModelAdmin
from core.admin.ranks import Rank, rank_of
from core.admin.views import render_page, seen_record
from core.jobs import kinds, running
from core.jobs.enqueueing import cancel
from core.jobs.models import Job
from core.jobs.progress import progress_store_of
from core.lib import clock


@admin.register(Job)
class JobAdmin(BaseModelAdmin):
    by_groups = False
    list_display = ["label", "state", "asked_by", "asked_at", "ended_at"]
    list_display_links = ["label"]
    list_filter = ["state"]
    ordering = ["-id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        jobs = Job.objects.all()
        return jobs if rank_of(request.user) is Rank.HIGHEST else jobs.filter(administrator_id=request.user.pk)

    def allows(self, request: HttpRequest, action: str, record: Model | None = None) -> bool:
        # Administrators may view and stop their own jobs.
        if rank_of(request.user) is Rank.HIGHEST:
            return True
        if isinstance(record, Job):
            return record.administrator_id == request.user.pk
        return self.get_queryset(request).exists()

    def get_urls(self) -> list[URLPattern]:
        views = (("state", require_safe(self.state_view)), ("cancel", require_POST(self.cancel_view)))
        protect = self.admin_site.admin_view
        own = [path(f"<int:pk>/{name}/", protect(view), name=f"jobs_job_{name}") for name, view in views]
        return [*own, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        job = seen_record(self, request, object_id)
        if request.method == "POST":
            raise PermissionDenied
        running.start_waiting()
        job.refresh_from_db()
        return render_page(self, request, "jobs/job.html", {"title": self.label(job), **state_of(job)})

    def state_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        job = seen_record(self, request, pk)
        # Polling must not prolong the session; and on SQLite no session can be stored while a job writes.
        request.session.modified = False
        running.start_waiting()
        job.refresh_from_db()
        shown = render_to_string("jobs/state.html", state_of(job), request)
        return JsonResponse({"hasEnded": job.has_ended, "shown": shown})

    def cancel_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        job = seen_record(self, request, pk)
        cancel(job)
        return HttpResponseRedirect(job.get_absolute_url())

    @admin.display(description=_("job"))
    def label(self, job: Job) -> str:
        kind = kinds.find(job.kind)
        return kind.told(job.parameters) if kind else job.kind


def state_of(job: Job) -> dict[str, Any]:
    kind, board = kinds.find(job.kind), progress_store_of(job.pk)
    progress = board.read()
    has_failed = job.has_ended and job.state != Job.State.DONE
    return {
        "job": job,
        "report": kinds.in_present_language(job.report),
        "template": kind.template if kind else "",
        "progress": progress,
        "step": str(kind.steps.get(progress.step, "")) if kind else "",
        "minutes_left": minutes_left(job.began_at, progress.done, progress.total),
        "again": kind.again(job.parameters) if has_failed and kind and kind.again else "",
        "is_stopping": not job.has_ended and board.is_to_stop(),
    }


def minutes_left(began: datetime | None, done: int, total: int) -> int | None:
    """Estimate the minutes left, rounded up; None if unknown."""
    if began is None or not 0 < done <= total:
        return None
    spent = clock.now() - began
    left = spent * (total - done) / done
    return None if spent < timedelta(seconds=3) else -(-int(left.total_seconds()) // 60)
