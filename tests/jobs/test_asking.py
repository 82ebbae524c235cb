"""Asking for jobs: how many one may have at a time, and what of before goes then."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from core.jobs import enqueueing, folders
from core.jobs.models import Job
from core.lib import clock
from core.lib.errors import InvalidInput
from tests.factories import AdministratorFactory
from tests.jobs.asking import acting, ask

pytestmark = pytest.mark.django_db
needs_many_writers = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time.")
DAY = 24 * 60 * 60


@pytest.fixture(autouse=True)
def nothing_starts_by_itself(settings, tmp_path):
    settings.CMS_JOBS_AT_ONCE = 0
    settings.DATA_DIR = tmp_path


def ask_for_all(administrator):
    return [ask(administrator, f"token {number}") for number in range(enqueueing.MAX)]


# ---- how many


@pytest.mark.parametrize("state", ["waiting", "running"])
def test_one_too_many_is_refused_and_leaves_nothing(administrator, state):
    made = ask_for_all(administrator)
    Job.objects.update(state=state)
    with pytest.raises(InvalidInput) as refused:
        ask(administrator, "one more")
    assert refused.value.code == "too_many_jobs"
    assert set(Job.objects.values_list("pk", flat=True)) == {job.pk for job in made}


@pytest.mark.parametrize("state", ["done", "failed", "cancelled", "interrupted"])
def test_a_job_that_has_ended_makes_room(administrator, state):
    first, *_others = ask_for_all(administrator)
    Job.objects.filter(pk=first.pk).update(state=state)
    assert ask(administrator, "one more").state == "waiting"


def test_jobs_of_others_do_not_count(administrator):
    ask_for_all(administrator)
    assert ask(AdministratorFactory(), "another's").state == "waiting"


def test_a_form_that_is_sent_twice_leads_to_its_job_also_when_there_are_enough(administrator):
    first, *_others = ask_for_all(administrator)
    assert ask(administrator, first.token).pk == first.pk


def test_what_is_done_at_once_takes_no_place(administrator):
    ask_for_all(administrator)
    with acting(administrator):
        assert enqueueing.run_now("test", {}, dict, token="now").state == "done"


@pytest.mark.django_db(transaction=True)
def test_of_many_forms_at_one_moment_so_many_are_taken_as_may_be(administrator):
    many = 8
    barrier = threading.Barrier(many)

    def send(number):
        try:
            barrier.wait(30)
            ask(administrator, f"token {number}")
        except InvalidInput as refusal:
            return refusal.code
        finally:
            connection.close()
        return "taken"

    with ThreadPoolExecutor(many) as pool:
        outcomes = list(pool.map(send, range(many)))
    assert sorted(outcomes) == ["taken"] * enqueueing.MAX + ["too_many_jobs"] * (many - enqueueing.MAX)
    assert Job.objects.count() == enqueueing.MAX


@needs_many_writers
@pytest.mark.django_db(transaction=True)
def test_a_second_form_waits_for_the_first_before_it_is_counted(administrator, monkeypatch):
    for number in range(enqueueing.MAX - 1):
        ask(administrator, f"token {number}")
    outcomes, prepare = [], folders.prepare

    def send():
        try:
            outcomes.append(ask(administrator, "second"))
        except InvalidInput as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    other = threading.Thread(target=send)

    def prepare_while_another_waits(job_id):
        monkeypatch.setattr(folders, "prepare", prepare)
        other.start()
        while other.is_alive() and not somebody_waits():
            other.join(0.01)
        prepare(job_id)

    monkeypatch.setattr(folders, "prepare", prepare_while_another_waits)
    ask(administrator, "first")
    other.join()
    assert outcomes == ["too_many_jobs"]
    assert not Job.objects.filter(token="second").exists()


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees the same connections for ever
        cursor.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND "
                       "wait_event_type = 'Lock'")  # fmt: skip
        return cursor.fetchone()[0] > 0


# ---- what goes


def do_now(administrator):
    with acting(administrator):
        return enqueueing.run_now("test", {}, dict, token="now")


BOTH_WAYS = pytest.mark.parametrize("begin", [ask, do_now])


def make_old(path, seconds):
    os.utime(path, (time.time() - seconds,) * 2)


@BOTH_WAYS
def test_old_jobs_and_uploads_go_with_the_next_job(administrator, settings, begin):
    old = ask(administrator, "old")
    Job.objects.update(state="done", ended_at=clock.now() - timedelta(days=31))
    upload = settings.DATA_DIR / "jobs" / "uploads" / ("a" * 32)
    upload.parent.mkdir(exist_ok=True)
    upload.write_bytes(b"x")
    make_old(upload, DAY + 60)
    make_old(folders.folder_of(old.pk), DAY)
    new = begin(administrator)
    assert list(Job.objects.all()) == [new]
    assert not upload.exists()
    assert not folders.folder_of(old.pk).exists()


@BOTH_WAYS
def test_what_has_waited_for_a_day_is_ended_in_words(administrator, begin):
    forgotten, recent = ask(administrator, "forgotten"), ask(administrator, "recent")
    running = ask(administrator, "running")
    Job.objects.filter(pk=forgotten.pk).update(
        asked_at=clock.now() - timedelta(hours=25), parameters={"language": "en"}
    )
    Job.objects.filter(pk=running.pk).update(asked_at=clock.now() - timedelta(hours=25), state="running")
    begin(administrator)
    for job in (forgotten, recent, running):
        job.refresh_from_db()
    assert (forgotten.state, recent.state, running.state) == ("failed", "waiting", "running")
    assert forgotten.report["problem"] == "It did not start within a day; start it again."
    assert forgotten.ended_at is not None


def test_a_new_folder_of_a_job_that_nobody_sees_yet_stays(administrator):
    folders.prepare(7_000_000)
    folders.prepare(8_000_000)
    make_old(folders.folder_of(8_000_000), DAY)
    ask(administrator)
    assert folders.folder_of(7_000_000).is_dir()
    assert not folders.folder_of(8_000_000).exists()
