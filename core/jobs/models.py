from typing import Self

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core.lib import clock


class JobQuerySet(models.QuerySet["Job"]):
    def under_way(self) -> Self:
        return self.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])


class Job(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")
        INTERRUPTED = "interrupted", _("interrupted")

    kind = models.CharField(_("kind"), max_length=60)  # name of a core.jobs.kinds.JobKind
    state = models.CharField(_("state"), max_length=20, choices=State, default=State.WAITING)
    token = models.CharField(max_length=64, unique=True)  # of the form: sent twice, it orders one job
    site_id = models.BigIntegerField(_("site"), null=True)
    administrator_id = models.BigIntegerField(null=True)
    asked_by = models.CharField(_("requested by"), max_length=255, blank=True)
    actor = models.JSONField(default=dict)  # the core.audit.Actor on whose behalf it runs
    parameters = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    node = models.CharField(max_length=255)  # where its files are
    asked_at = models.DateTimeField(_("requested"), default=clock.now)
    began_at = models.DateTimeField(_("began"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    # Progress of a running job, on PostgreSQL only (core.jobs.progress).
    seen_at = models.DateTimeField(null=True)
    step = models.CharField(max_length=60, blank=True)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    is_to_stop = models.BooleanField(default=False)

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        default_permissions = ()
        indexes = [
            models.Index(fields=["state", "node"], name="job_state"),
            models.Index(fields=["administrator_id", "id"], name="job_administrator"),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def get_absolute_url(self) -> str:
        return reverse("admin:jobs_job_change", args=[self.pk])

    @property
    def has_ended(self) -> bool:
        return self.state not in {self.State.WAITING, self.State.RUNNING}
