"""Jobs in processes of their own, over a real installation: what a kill leaves, two at once, and stopping."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tools import forking
from tools.servers import ROOT, Installation
from tools.site_templates import Template, feed, old_channel, old_content

pytestmark = pytest.mark.large

_SECONDS = 60


class Jobs:
    """An installation without a server, in which jobs are asked for by a script."""

    def __init__(self, folder):
        self.folder, self.installation = folder, Installation(folder)
        self.many = package(folder / "many.zip", contents=6000)

    def ask(self, site_dir, package=None):
        """The number of a new job that makes a site."""
        script = f"""
from core import audit
from core.jobs import enqueueing, folders
from django.contrib.auth import get_user_model
from django.core.files.base import ContentFile
root = get_user_model().objects.get()
word = folders.keep_upload(ContentFile(open({str(package)!r}, "rb").read())) if {package is not None} else ""
with audit.acting_as(audit.Actor("administrator", administrator_id=root.pk, name="root")):
    print(enqueueing.enqueue("transfer.new_site", dict(
        site_name="Port", site_dir={site_dir!r}, is_root=False, parent_id=None,
        begin="template" if word else "empty", outline="", copy_from=None, package=word, file_name="T.zip", people=[]),
        token={site_dir!r}).pk)
"""
        return self._number_that_prints(script)

    def ask_for_rows(self, count):
        """The number of a new job that imports as many rows as contents, as the page asks for it."""
        script = f"""
from channels_app.models import Channel
from channels_app.services import create_site
from core.lib import clock
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
root, browser = get_user_model().objects.get(), Client(HTTP_HOST="localhost")
browser.force_login(root)
site = create_site("Rows", site_dir="rows" + clock.now().strftime("%H%M%S"))
rows = "title,content\\n" + "".join("Row %d,<p>text</p>\\n" % row for row in range({count}))
file = SimpleUploadedFile("rows.csv", rows.encode())
first = browser.post("/admin/contents/content/import/?site__id__exact=%d" % site.pk, dict(file=file, channel=site.pk))
place = first["Location"]
browser.get(place)
print(place, browser.post(place, {{"import": "1", "token": place[-30:-1]}})["Location"].split("/")[-3])
"""
        return self._number_that_prints(script)

    def _number_that_prints(self, script):
        """The last thing that the script prints, while no process begins jobs."""
        environment = self.installation.environment | {"CMS_JOBS_AT_ONCE": "0", "CMS_SECURE": "0"}
        command = ["manage.py", "shell", "--verbosity", "0", "--command", script]
        code, out, errors = forking.run(environment, *command, seconds=_SECONDS)
        assert code == 0, errors
        return int(out.split()[-1])

    @contextmanager
    def process(self, job, **settings):
        """`run_job` while the block lasts."""
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_job", str(job)],
            cwd=ROOT,
            env=self.installation.environment | settings,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def rows(self, statement):
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=_SECONDS)) as connection:
            return connection.execute(statement).fetchall()

    def write(self, statement):
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=_SECONDS)) as connection:
            connection.execute(statement)
            connection.commit()

    def state(self, job):
        return self.rows(f"SELECT state FROM jobs_job WHERE id = {job}")[0][0]

    def progress(self, job):
        try:
            return json.loads((self.folder / "jobs" / str(job) / "progress.json").read_text())["done"]
        except FileNotFoundError:
            return 0

    def step(self, job):
        try:
            return json.loads((self.folder / "jobs" / str(job) / "progress.json").read_text())["step"]
        except FileNotFoundError:
            return ""

    def await_progress(self, job):
        """Return as soon as contents have been written, which nobody else can see yet."""
        await_until(lambda: self.progress(job) > 0)

    def pictures(self):
        """The files of all sites."""
        return [path for path in (self.folder / "media" / "sites").rglob("*") if path.is_file()]

    def sites(self, site_dir):
        return self.rows(f"SELECT id FROM cms_sites_site WHERE site_dir = '{site_dir}'")


def await_until(is_so):
    met, end = threading.Event(), time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < end
        met.wait(0.02)


def package(path: Path, contents=1, pictures=0):
    entries = [old_content(number) for number in range(1, contents + 1)]
    others = {f"upload/{number}.png": "x" for number in range(pictures)}
    template = Template(channels={"1": feed(old_channel(7, ContentNum=str(contents)), entries)}, others=others)
    return template.write_zip(path)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    return Jobs(tmp_path_factory.mktemp("jobs"))


def test_progress_is_seen_while_nobody_else_can_write_and_a_kill_leaves_nothing(jobs):
    job = jobs.ask("killed", jobs.many)
    with jobs.process(job) as process:
        jobs.await_progress(job)
        assert jobs.state(job) == "running"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(_SECONDS)
    after = jobs.ask("after")
    with jobs.process(after) as process:
        assert process.wait(_SECONDS) == 0
    assert (jobs.state(job), jobs.state(after)) == ("interrupted", "done")
    assert (jobs.sites("killed"), len(jobs.sites("after"))) == ([], 1)


def test_files_of_a_killed_import_are_removed_before_the_next_site_is_made(jobs):
    job = jobs.ask("pictures", package(jobs.folder / "pictures.zip", pictures=5000))
    with jobs.process(job) as process:
        await_until(lambda: jobs.pictures())
        os.kill(process.pid, signal.SIGKILL)
        process.wait(_SECONDS)
    assert jobs.pictures()
    with jobs.process(jobs.ask("empty")) as process:
        assert process.wait(_SECONDS) == 0
    assert (jobs.state(job), jobs.sites("pictures"), jobs.pictures()) == ("interrupted", [], [])


def test_an_import_of_rows_that_is_killed_stores_nothing_and_keeps_its_file_for_another_try(jobs):
    job = jobs.ask_for_rows(6000)
    with jobs.process(job) as process:
        await_until(lambda: jobs.step(job) == "storing" and jobs.progress(job) > 0)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(_SECONDS)
    with jobs.process(jobs.ask("next")) as process:
        assert process.wait(_SECONDS) == 0
    rows = "SELECT COUNT(*) FROM contents_content WHERE title LIKE 'Row %'"
    assert (jobs.state(job), jobs.rows(rows), len(jobs.rows("SELECT id FROM cms_api_pendingimport"))) == (
        "interrupted", [(0,)], 1,
    )  # fmt: skip
    # As the page asks anew; the file and what its preview has shown are still there.
    jobs.write(f"UPDATE jobs_job SET state = 'waiting' WHERE id = {job}")
    with jobs.process(job) as process:
        assert process.wait(_SECONDS) == 0
    assert (jobs.state(job), jobs.rows(rows), jobs.rows("SELECT id FROM cms_api_pendingimport")) == (
        "done",
        [(6000,)],
        [],
    )


def test_what_a_restart_of_the_machine_left_waiting_begins_though_nobody_looks(jobs):
    job = jobs.ask("waiting")
    with jobs.installation.serve():
        await_until(lambda: jobs.state(job) == "done")
    assert len(jobs.sites("waiting")) == 1


def test_a_server_removes_files_that_a_kill_has_left(jobs):
    job = jobs.ask("left", package(jobs.folder / "left.zip", pictures=5000))
    with jobs.process(job) as process:
        await_until(lambda: jobs.pictures())
        os.kill(process.pid, signal.SIGKILL)
        process.wait(_SECONDS)
    with jobs.installation.serve():
        await_until(lambda: not jobs.pictures())
    assert jobs.state(job) == "interrupted"


def test_a_running_job_stops_when_asked_and_leaves_nothing(jobs):
    # So many that it cannot end between two looks at its progress.
    job = jobs.ask("stopped", package(jobs.folder / "more.zip", contents=30_000))
    with jobs.process(job) as process:
        jobs.await_progress(job)
        (jobs.folder / "jobs" / str(job) / "stop").touch()
        assert process.wait(_SECONDS) == 0
    assert (jobs.state(job), jobs.sites("stopped")) == ("cancelled", [])


def test_one_waits_for_the_other_and_is_begun_by_it(jobs):
    first, second = jobs.ask("first", jobs.many), jobs.ask("second")
    with jobs.process(first) as process:
        jobs.await_progress(first)
        # So that it does not end before the other one has given up waiting for its place.
        os.kill(process.pid, signal.SIGSTOP)
        with jobs.process(second) as other:
            assert other.communicate(timeout=_SECONDS)[0] == f"job={second} left\n"
        assert jobs.state(second) == "waiting"
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(_SECONDS) == 0
    await_until(lambda: jobs.state(second) == "done")
    assert (len(jobs.sites("first")), len(jobs.sites("second"))) == (1, 1)


def test_two_processes_of_one_job_do_it_once(jobs):
    job = jobs.ask("once")
    with jobs.process(job, CMS_JOBS_AT_ONCE="2") as some, jobs.process(job, CMS_JOBS_AT_ONCE="2") as other:
        printed = sorted(each.communicate(timeout=_SECONDS)[0] for each in (some, other))
    assert printed == [f"job={job} ended\n", f"job={job} left\n"]
    assert len(jobs.sites("once")) == 1
