"""Deletion of a form: at once if it has few entries, otherwise by a job that deletes them in batches first."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core import audit
from core.admin.places import places_of
from core.jobs.enqueueing import enqueue
from core.jobs.kinds import JobFailed, JobKind, Report
from core.jobs.models import Job
from core.jobs.progress import Run
from core.lib.errors import InvalidInput, NotFound
from forms import services
from forms.models import Form
from forms.purging import empty
from forms.rights import DELETE_FORM, forms_for

MOST_AT_ONCE = 5_000  # entries


def delete(form: Form) -> Job | None:
    """Delete the form, or close it and order the job that deletes it. Raises NotFound, and InvalidInput."""
    if form.entries.order_by()[: MOST_AT_ONCE + 1].count() <= MOST_AT_ONCE:
        services.delete_form(form)
        return None
    return _order(form)


@transaction.atomic
def _order(form: Form) -> Job:
    rows: Any = Form.objects.select_for_update().filter(pk=form.pk)
    stored = rows.first()
    if stored is None:
        raise NotFound("form_not_found", "The form does not exist.")
    if any(
        job.parameters.get("form_id") == form.pk for job in Job.objects.under_way().filter(kind=DELETE_FORM_JOB.name)
    ):
        raise InvalidInput("form_being_deleted", "A job is deleting the form already.")
    rows.update(is_open=False)
    count = stored.entries.count()
    audit.record("form.purging", stored, site_id=stored.site_id, entries=count)
    asked = {"form_id": stored.pk, "form_name": stored.name, "site_id": stored.site_id, "entries": count}
    return enqueue(DELETE_FORM_JOB.name, asked, token=get_random_string(32), site_id=stored.site_id)


def delete_entries(run: Run) -> int:
    total = run.parameters["entries"]
    return empty(_form(run), lambda done: run.tell("entries", done, max(done, total)))


def delete_rest(run: Run) -> Report:
    services.delete_form(_form(run), further=run.prepared)
    return {"entries": run.prepared}


def _form(run: Run) -> Form:
    person = get_user_model()._default_manager.get(pk=run.job.administrator_id or 0)
    form = forms_for(person, DELETE_FORM).filter(pk=run.parameters["form_id"]).first()
    if form is None:
        raise JobFailed(_("The form no longer exists, or you may no longer delete it."))
    return form


DELETE_FORM_JOB = JobKind(
    name="forms.delete_form",
    label=_("Delete a form"),
    title=lambda asked: gettext("Deletion of the form “%(name)s”") % {"name": asked["form_name"]},
    prepare=delete_entries,
    do=delete_rest,
    template="forms/deletion_report.html",
    is_open_to=lambda person: bool(places_of(person, DELETE_FORM)),
    steps={"entries": _("The entries are being deleted.")},
    again=lambda asked: f"{reverse('admin:forms_form_action', args=['delete'])}?ids={asked['form_id']}",
)
