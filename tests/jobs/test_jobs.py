"""Jobs: asked for once, stopped, interrupted, and what their page shows."""

import threading
import time
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core import audit
from core.audit.models import AuditEntry
from core.jobs import admin, enqueueing, folders, kinds, progress, running
from core.jobs.kinds import JobFailed, JobKind
from core.jobs.models import Job
from core.jobs.progress import Stopped
from core.lib import clock
from sites.models import Site
from tests.factories import AdministratorFactory, SiteFactory
from tests.jobs.asking import ask

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_at_a_time(settings, tmp_path):
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path


@pytest.fixture
def kind(monkeypatch):
    """Registers a kind of job that does what a function says."""

    def make(do, is_open_to=lambda administrator: True, **more):
        steps = {"a": "Working."}
        made = JobKind(name="test", label="Test", do=do, template="", is_open_to=is_open_to, steps=steps, **more)
        monkeypatch.setitem(kinds._kinds, "test", made)

    return make


def done(job):
    running.run(job.pk)
    job.refresh_from_db()
    return job


def rename(site):
    def do(run):
        Site.objects.filter(pk=site.pk).update(site_name="Port")
        audit.record("site.changed", site)
        return {"name": "Port"}

    return do


def test_a_job_works_on_behalf_of_who_asked(administrator, kind):
    site = SiteFactory()
    kind(rename(site))
    job = done(ask(administrator))
    assert (job.state, job.report, job.asked_by) == ("done", {"name": "Port"}, "harriet")
    entry = AuditEntry.objects.get(action="site.changed")
    assert (entry.actor_kind, entry.administrator_id, entry.details) == ("administrator", administrator.pk, {})


def test_the_same_form_asks_for_one_job(administrator, kind):
    kind(lambda run: {})
    assert ask(administrator).pk == ask(administrator).pk


@pytest.mark.parametrize(("raised", "state", "report"), [
    (JobFailed("No.", "x.xml"), "failed", {"problem": "No.", "place": "x.xml"}),
    (Stopped(), "cancelled", {}),
    (ZeroDivisionError("secret"), "failed", {"fault": "ZeroDivisionError"}),
])  # fmt: skip
def test_what_does_not_come_to_its_end_leaves_nothing(administrator, kind, raised, state, report):
    site = SiteFactory(site_name="Quay")

    def do(run):
        rename(site)(run)
        raise raised

    kind(do)
    job = done(ask(administrator))
    assert (job.state, job.report) == (state, report)
    assert Site.objects.get(pk=site.pk).site_name == "Quay"


def test_nobody_has_done_what_they_may_not_do_any_more(administrator, kind):
    kind(lambda run: {}, is_open_to=lambda one: one.is_superuser)
    job = ask(administrator)
    administrator.is_locked_out = True
    administrator.save()
    assert done(job).state == "failed"


def test_a_job_of_an_unknown_kind_fails_in_words(administrator, kind):
    job = ask(administrator)
    assert "problem" in done(job).report


def test_a_waiting_job_is_cancelled_at_once(administrator, kind):
    kind(lambda run: {})
    job = ask(administrator)
    enqueueing.cancel(job)
    assert done(job).state == "cancelled"
    enqueueing.cancel(job)
    assert done(job).state == "cancelled"


def test_a_job_that_was_to_stop_before_it_began_does_nothing(administrator, kind):
    site = SiteFactory(site_name="Quay")
    kind(rename(site))
    job = ask(administrator)
    progress.progress_store_of(job.pk).ask_to_stop()
    assert done(job).state == "cancelled"
    assert Site.objects.get(pk=site.pk).site_name == "Quay"


def test_a_job_that_was_done_stays_done(administrator, kind):
    kind(lambda run: {})
    job = done(ask(administrator))
    assert not running.run(job.pk)
    enqueueing.cancel(job)
    job.refresh_from_db()
    assert job.state == "done"


def test_as_many_run_as_may(administrator, kind):
    kind(lambda run: {})
    job = ask(administrator)
    with folders.locked(folders.slots()[0]) as is_ours:
        assert is_ours
        assert not running.run(job.pk)
    assert running.run(job.pk)


def test_a_place_that_somebody_only_looked_at_is_waited_for(administrator, kind):
    kind(lambda run: {})
    job = ask(administrator)
    is_held, end = threading.Event(), threading.Event()

    def look():
        with folders.locked(folders.slots()[0]):
            is_held.set()
            end.wait(0.2)

    looking = threading.Thread(target=look)
    looking.start()
    assert is_held.wait(30)
    is_done = running.run(job.pk)
    looking.join()
    assert is_done


@pytest.mark.parametrize(("state", "removed"), [
    ("failed", ["a", "b"]), ("cancelled", ["a", "b"]), ("interrupted", ["a", "b"]), ("running", []), ("done", []),
])  # fmt: skip
def test_files_of_a_job_go_if_it_came_to_no_good_end(administrator, kind, state, removed):
    found = []
    kind(lambda run: {}, remove_files=found.extend)
    job = ask(administrator)
    folders.record_files(job.pk, ["a", "b"])
    Job.objects.update(state=state)
    with folders.locked(folders.lock_of(job.pk)):
        running.remove_left_files()
        assert found == []  # its process lives
    running.remove_left_files()
    running.remove_left_files()
    assert found == removed
    assert folders.files_note(job.pk).exists() == (not removed)


def test_a_failing_job_removes_its_files_and_a_killed_one_leaves_that_to_the_next(administrator, kind):
    found = []

    def do(run):
        run.will_store([f"of {run.job.token}"])
        raise JobFailed("No.")

    kind(do, remove_files=found.extend)
    killed = ask(administrator, "killed")
    folders.record_files(killed.pk, ["of killed"])
    Job.objects.update(state="running", began_at=clock.now())
    assert done(ask(administrator, "failing")).state == "failed"
    assert found == ["of killed", "of failing"]
    assert Job.objects.get(pk=killed.pk).state == "interrupted"


def test_files_that_cannot_be_removed_now_are_removed_later(administrator, kind, caplog):
    def refuse(names):
        raise OSError

    kind(lambda run: {}, remove_files=refuse)
    job = ask(administrator)
    folders.record_files(job.pk, ["a"])
    Job.objects.update(state="failed")
    running.remove_left_files()
    assert folders.recorded_files(job.pk) == ["a"]
    assert "cannot be removed at present: OSError" in caplog.text


def test_a_note_that_a_kill_cut_off_names_no_files(administrator):
    job = ask(administrator)
    folders.files_note(job.pk).write_text('["a", "')
    assert folders.recorded_files(job.pk) == []


def test_a_job_without_a_process_is_seen_to_be_interrupted(administrator, kind):
    job = ask(administrator)
    Job.objects.update(state="running", began_at=clock.now())
    with folders.locked(folders.lock_of(job.pk)):
        running.mark_interrupted()
        assert Job.objects.get().state == "running"
    running.mark_interrupted()
    assert Job.objects.get().state == "interrupted"


@pytest.mark.parametrize(("seen", "state"), [(0, "running"), (61, "interrupted")])
def test_a_job_of_another_node_lives_while_it_is_seen(administrator, seen, state):
    ask(administrator)
    Job.objects.update(state="running", node="another", seen_at=clock.now() - timedelta(seconds=seen))
    running.mark_interrupted()
    assert Job.objects.get().state == state


@pytest.mark.parametrize(
    "make",
    [lambda job: progress.FileProgressStore(folders.folder_of(job.pk)), lambda job: progress.RowProgressStore(job.pk)],
)
def test_boards_tell_what_they_were_told(administrator, make):
    job = ask(administrator)
    board = make(job)
    assert (board.read(), board.is_to_stop()) == (progress.Progress(), False)
    board.show(progress.Progress("a", 3, 7))
    board.ask_to_stop()
    assert (board.read(), board.is_to_stop()) == (progress.Progress("a", 3, 7), True)


def test_a_job_tells_its_progress_and_stops_when_asked(administrator, kind):
    beats = []

    def do(run):
        run.tell("a", 1, 2)
        run._beat.is_to_stop = True
        beats.append(run._beat.progress)
        run.tell("a", 2, 2)

    kind(do)
    assert done(ask(administrator)).state == "cancelled"
    assert beats == [progress.Progress("a", 1, 2)]


@pytest.mark.django_db(transaction=True)
def test_progress_and_the_wish_to_stop_pass_an_open_transaction(administrator, kind, settings):
    settings.CMS_JOBS_AT_ONCE = 0  # nothing starts by itself where transactions are real
    site = SiteFactory(site_name="Quay")

    def do(run):
        rename(site)(run)
        run.tell("a", 1, 2)
        board, end = progress.progress_store_of(run.job.pk), time.monotonic() + 30
        await_until(lambda: board.read().done == 1, end)
        # As another process would, while the transaction is open.
        stopping = threading.Thread(target=ask_to_stop, args=(run.job.pk,))
        stopping.start()
        stopping.join()
        await_until(lambda: run.tell("a", 2, 2), end)

    kind(do)
    job = ask(administrator)
    settings.CMS_JOBS_AT_ONCE = 1
    assert done(job).state == "cancelled"
    assert Site.objects.get(pk=site.pk).site_name == "Quay"


def await_until(is_so, end):
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < end
        pause.wait(0.05)


def ask_to_stop(job_id):
    progress.progress_store_of(job_id).ask_to_stop()
    connection.close()


@pytest.mark.parametrize("word", ["", "..", "../../db.sqlite3", "a" * 31, "A" * 32])
def test_only_uploads_are_found_by_their_word(word):
    assert folders.find_upload(word) is None
    folders.remove_upload(word)


def test_the_command_does_one_job(administrator, kind, capsys):
    kind(lambda run: {})
    job = ask(administrator)
    call_command("run_job", str(job.pk))
    call_command("run_job", str(job.pk))
    assert capsys.readouterr().out == f"job={job.pk} ended\njob={job.pk} left\n"
    for wrong in ("x", str(job.pk + 1)):
        with pytest.raises(CommandError):
            call_command("run_job", wrong)


def test_how_long_it_takes_is_told_when_it_can_be():
    began = clock.now() - timedelta(seconds=60)
    assert admin.minutes_left(began, 10, 30) == 2
    assert admin.minutes_left(began, 0, 30) is None
    assert admin.minutes_left(None, 10, 30) is None


# ---- The pages


def place(job, view="change"):
    return f"/admin/jobs/job/{job.pk}/{view}/"


@pytest.fixture
def waiting(administrator, kind, settings):
    """A job that nobody begins."""
    kind(lambda run: {})
    settings.CMS_JOBS_AT_ONCE = 0
    return ask(administrator)


def test_the_page_shows_progress_and_ends_with_the_job(client, administrator, waiting):
    client.force_login(administrator)
    progress.progress_store_of(waiting.pk).show(progress.Progress("a", 3, 7))
    Job.objects.update(state="running", node="another", seen_at=clock.now())
    state = client.get(place(waiting, "state")).json()
    assert not state["hasEnded"]
    assert 'value="3" max="7"' in state["shown"]
    assert "Working." in state["shown"]
    assert 'class="button stop">Stop it<' in state["shown"]  # outlined (pages.css)
    Job.objects.update(state="failed", report={"problem": "<No>", "place": "x.xml"})
    state = client.get(place(waiting, "state")).json()
    assert state["hasEnded"]
    assert "&lt;No&gt;" in state["shown"]
    assert "x.xml" in state["shown"]


@pytest.mark.parametrize("state", ["waiting", "running", "done", "failed", "cancelled", "interrupted"])
def test_every_state_has_a_page(client, administrator, waiting, state):
    client.force_login(administrator)
    Job.objects.update(state=state, node="another", seen_at=clock.now())
    assert client.get(place(waiting)).status_code == 200
    assert client.get("/admin/jobs/job/").status_code == 200


def test_whoever_asked_stops_it(client, administrator, waiting):
    client.force_login(administrator)
    assert client.post(place(waiting, "cancel")).status_code == 302
    waiting.refresh_from_db()
    assert waiting.state == "cancelled"


def test_others_see_none_of_it(client, waiting):
    client.force_login(AdministratorFactory(is_superuser=False))
    answers = [client.get(place(waiting)), client.get(place(waiting, "state")), client.post(place(waiting, "cancel"))]
    assert {each.status_code for each in answers} == {404}


def test_whoever_asked_sees_it_without_the_highest_rank(client, kind, settings):
    own = AdministratorFactory(is_superuser=False)
    kind(lambda run: {})
    settings.CMS_JOBS_AT_ONCE = 0
    job = ask(own)
    client.force_login(own)
    assert client.get(place(job)).status_code == 200
    assert client.post(place(job)).status_code == 403


def test_to_look_saves_no_session(client, administrator, waiting, django_assert_num_queries):
    client.force_login(administrator)
    session = client.session
    session["_seen"] = seen = time.time() - 120
    session.save()
    client.get(place(waiting, "state"))
    assert client.session["_seen"] == seen


@pytest.mark.parametrize(
    "minute,fold,state", [("02:00:10", 1, "running"), ("02:00:55", 1, "running"), ("02:01:10", 1, "interrupted")]
)
def test_a_job_of_a_dead_node_is_interrupted_when_clocks_go_back(administrator, autumn, minute, fold, state):
    ask(administrator)
    autumn("02:59:58")
    Job.objects.update(state="running", node="another", seen_at=clock.steady())
    autumn(minute, fold)
    running.mark_interrupted()
    assert Job.objects.get().state == state


def test_a_job_seen_by_a_clock_that_is_ahead_lives_while_it_is_seen_again(administrator, monkeypatch):
    ask(administrator)
    seconds, ahead = 1000.0, clock.now() + timedelta(hours=1)
    monkeypatch.setattr(running.time, "monotonic", lambda: seconds)
    for beat in range(3):
        Job.objects.update(state="running", node="another", seen_at=ahead + timedelta(minutes=beat))
        running.mark_interrupted()
        seconds += 59
        running.mark_interrupted()
        assert Job.objects.get().state == "running"
    seconds += 2
    running.mark_interrupted()
    assert Job.objects.get().state == "interrupted"
