"""Where jobs are shown."""

from django.urls import reverse

from cms_api.jobs.models import Job


def page_of(job: Job) -> str:
    """The address of the job's page."""
    return reverse("admin:jobs_job_change", args=[job.pk])
