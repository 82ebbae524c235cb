"""Forms with many entries are deleted by a job, in batches, which may be stopped and ordered again."""

import pytest

from core.jobs import running
from core.jobs.models import Job
from core.jobs.progress import Run, Stopped
from forms import form_deletion, purging
from forms.models import Entry, Form
from tests.admin.pages.browsing import act, noted, told
from tests.factories import SiteFactory
from tests.forms.test_rights import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder", "small")]


@pytest.fixture
def small(settings, tmp_path, monkeypatch):
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(running, "start_waiting", lambda: None)
    monkeypatch.setattr(form_deletion, "MOST_AT_ONCE", 4)
    monkeypatch.setattr(purging, "BATCH", 2)


@pytest.fixture
def form(db):
    made = Form.objects.create(site=SiteFactory(), name="Contact")
    Entry.objects.bulk_create(Entry(form=made) for _ in range(5))
    other = Form.objects.create(site=made.site, name="Guests")
    Entry.objects.create(form=other)
    return made


def test_a_form_with_few_entries_is_deleted_at_once(highest, form):
    form.entries.first().delete()
    assert told(act(highest, "forms_form", "delete", form)) == ["1 form was deleted."]
    assert not Job.objects.exists()
    assert noted("form.deleted")[0].details == {"entries": 4}


def test_a_form_with_many_entries_is_closed_and_deleted_by_a_job(highest, form):
    (words,) = told(act(highest, "forms_form", "delete", form))
    assert "a job deletes it" in words
    assert (Form.objects.get(pk=form.pk).is_open, form.entries.count()) == (False, 5)
    assert "being deleted already" in told(act(highest, "forms_form", "delete", form))[-1]
    job = Job.objects.get()
    assert running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.report) == ("done", {"entries": 5})
    assert [each.name for each in Form.objects.all()] == ["Guests"]
    assert Entry.objects.count() == 1
    assert [each.details["entries"] for each in (*noted("form.purging"), *noted("form.deleted"))] == [5, 5]


def test_a_stopped_job_leaves_the_form_and_another_one_ends_it(highest, form, monkeypatch):
    act(highest, "forms_form", "delete", form)
    tell = Run.tell

    def stop(self, step, done=0, total=0):
        tell(self, step, done, total)
        if done >= 4:
            raise Stopped

    monkeypatch.setattr(Run, "tell", stop)
    running.run(Job.objects.get().pk)
    assert (Job.objects.get().state, form.entries.count()) == ("cancelled", 1)
    assert told(act(highest, "forms_form", "delete", form))[-1] == "1 form was deleted."


def test_a_job_of_someone_without_the_right_deletes_nothing(form):
    world = World()
    browser, own = world.browser("branch"), world.forms["own branch"]
    Entry.objects.bulk_create(Entry(form=own) for _ in range(5))
    act(browser, "forms_form", "delete", own)
    Form.objects.filter(pk=own.pk).update(channel_id=None)
    job = Job.objects.get()
    running.run(job.pk)
    job.refresh_from_db()
    assert (job.state, own.entries.count()) == ("failed", 6)
