"""Where jobs are shown."""

from django.urls import reverse

from cms_api.models import Job


def page_of(job: Job) -> str:
    """The address of the job's page."""
    return reverse("admin:cms_api_job_change", args=[job.pk])
