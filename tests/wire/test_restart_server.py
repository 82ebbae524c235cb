"""Restarts of a real server: new code, nothing dropped, nothing lost."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from core.operation.models import Node
from core.operation.nodes import record_order
from tools.servers import ROOT, Installation

pytestmark = pytest.mark.large

STARTED, ENDED, SIGNALLED = "Listening at", "Worker exiting", "Handling signal: hup"


class Code:
    """Code beside the project's own, that a deployment exchanges: one address, which answers a version."""

    def __init__(self, folder):
        self._folder, self._half = folder, folder / "half-copied"
        self.environment = {
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # versions of one second would pass for the same
            "DJANGO_SETTINGS_MODULE": "deployed_settings",
        }
        (folder / "deployed_settings.py").write_text(
            "from cms_api.settings import *\n\nROOT_URLCONF = 'deployed_urls'\n"
            f"STATICFILES_DIRS = [*STATICFILES_DIRS, {str(folder / 'static')!r}]\n",
            encoding="utf-8",
        )
        (folder / "static").mkdir()
        self.deploy("1")

    def deploy_style(self, text):
        (self._folder / "static" / "deployed.css").write_text(text, encoding="utf-8")

    @contextmanager
    def half_copied(self):
        """While the block lasts, code starts when it is tried, and not when the server loads it."""
        self._half.touch()
        try:
            yield
        finally:
            self._half.unlink()

    def deploy(self, version):
        """Put a version there, or, with None, what does not start."""
        text = f"""
import sys
from pathlib import Path
if "-m" in sys.orig_argv and Path({str(self._half)!r}).exists():
    raise RuntimeError("half-copied")
from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [path("version", lambda request: HttpResponse({version!r})), path("", include("cms_api.urls"))]
"""
        (self._folder / "deployed_urls.py").write_text(text if version else "import lighthouse_9\n", encoding="utf-8")


@pytest.fixture(scope="module")
def place(installation, tmp_path_factory):
    """An installation of its own, since whoever shares a database restarts, too."""
    return copy(installation, tmp_path_factory.mktemp("restarts"))


@pytest.fixture
def fresh_place(place, tmp_path):
    """The same without servers that have run on it."""
    fresh = copy(place, tmp_path / "data")
    with database(fresh) as connection:
        connection.execute("DELETE FROM operation_node")
    return fresh


@pytest.fixture(scope="module")
def token(place):
    return place.manage("create_api_key", "restarts", "--scope", "System")


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    return Code(tmp_path_factory.mktemp("code"))


@pytest.fixture(scope="module")
def shared(place, code, token):
    """A server of the deployed code that may restart as often as it is asked to."""
    with serve(place, code, CMS_NODE_NAME="quay") as server:
        yield server


def serve(place, code, *options, **settings):
    return place.serve(*options, **{"CMS_RESTART_MIN_SECONDS": "0"} | code.environment | settings)


def copy(installation, folder):
    """The same installation in another folder."""
    folder.mkdir(exist_ok=True)
    copied = Installation(folder, administrator=False)
    with database(installation) as old, database(copied) as new:
        old.backup(new)
    for secret in ("secret_key", "password_pepper"):
        shutil.copy(Path(installation.environment["CMS_DATA_DIR"]) / secret, folder)
    return copied


@contextmanager
def database(installation):
    connection = sqlite3.connect(Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3", timeout=20)
    with closing(connection), connection:
        yield connection


def ask(server, token):
    with server.client(token) as client:
        assert client.restart() is True


def await_exchange(server, starts):
    """Return when the code has been loaded so many times, and its workers are the only ones."""
    server.await_lines(STARTED, starts)
    await_true(lambda: set(server.workers) == workers_since(server, starts))


def workers_since(server, starts):
    """The processes of both workers that were made since a start; none if there is one only."""
    made = re.findall(r"Booting worker with pid: (\d+)", server.log.split(STARTED)[starts])
    return set(map(int, made)) if len(made) == 2 else set()


def version(server):
    return server.request("GET", "/version").content.decode()


def row(place, columns, node="quay"):
    """Of the node and the last order."""
    with database(place) as connection:
        sql = f"SELECT {columns} FROM operation_node LEFT JOIN operation_restartrequest ON 1 WHERE name = ?"
        return connection.execute(sql, [node]).fetchone()


def nothing_is_left_to_do(place, node="quay"):
    return row(place, "number - answered", node) == (0,)


def manage(place, *arguments):
    """Exit code, output and errors of a command."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=place.environment, capture_output=True, text=True, timeout=90)
    return done.returncode, done.stdout, done.stderr


class Visitor(threading.Thread):
    """Asks without a pause, over one connection or one for each request, and keeps what went wrong."""

    def __init__(self, port, kept, end):
        super().__init__()
        self._port, self._kept, self._end = port, kept, end
        self.answers, self.failures = 0, []

    def run(self):
        connection = None
        while not self._end.wait(0.05):
            connection = connection or HTTPConnection("127.0.0.1", self._port, timeout=60)
            try:
                connection.request("GET", "/api/v1/ping")
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, HTTPException) as error:
                self.failures.append(repr(error))
                text, answer = b"", None
            else:
                self.answers += 1
                self.failures += [] if text == b"pong" else [text]
            if answer is None or answer.will_close or not self._kept:
                connection.close()
                connection = None
        if connection:
            connection.close()


@contextmanager
def visitors(server):
    """Eight visitors while the block lasts, none of whom is refused or dropped."""
    end = threading.Event()
    threads = [Visitor(server.port, number % 2 == 1, end) for number in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert [thread.failures for thread in threads] == [[]] * 8
    assert all(thread.answers > 10 for thread in threads)


# The program that a server of release 1.0 runs to check new code before a restart.
FORMER_CHECK = """
import cms_api.operation.server
from gunicorn.app.wsgiapp import WSGIApplication
application = WSGIApplication(prog="gunicorn")
from cms_api.operation.restarts.start_check import try_to_start
try_to_start(application)
"""


def test_the_former_name_of_the_configuration_starts_with_a_warning_and_restarts(fresh_place, code):
    with serve(fresh_place, code, "-c", "python:cms_api.operation.server", CMS_NODE_NAME="former") as server:
        server.await_lines("python:cms_api.operation.server is deprecated", 1)
        code.deploy("former")
        server.send(signal.SIGHUP)
        await_exchange(server, 2)
        assert version(server) == "former"


def test_a_server_of_an_earlier_release_can_try_this_code(installation):
    command = [sys.executable, "-c", FORMER_CHECK, "-c", "python:cms_api.operation.server", "cms_api.wsgi"]
    done = subprocess.run(command, cwd=ROOT, env=installation.environment, capture_output=True, text=True, timeout=90)
    assert (done.returncode, done.stdout) == (0, "The new code starts.\n"), done.stderr


def test_new_code_is_loaded_and_no_request_is_dropped(shared, code, token):
    starts, before = shared.log.count(STARTED), shared.workers
    code.deploy("2")
    with visitors(shared):
        ask(shared, token)
        await_exchange(shared, starts + 1)
    assert version(shared) == "2"
    assert not set(before) & set(shared.workers)


def test_synchronous_workers_and_files_of_the_server_survive(fresh_place, code, token, tmp_path):
    listens, pid = tmp_path / "cms.sock", tmp_path / "pid"
    options = ["-k", "sync", "--threads", "1", "--pid", str(pid), "--bind", "127.0.0.1:0", "--bind", f"unix:{listens}"]
    with serve(fresh_place, code, *options) as server:
        file = listens.stat().st_ino
        with visitors(server):
            ask(server, token)
            await_exchange(server, 2)
        assert pid.read_text().split() == [str(server.pid)]
        assert listens.stat().st_ino == file
    assert not pid.exists()
    assert not listens.exists()


def test_a_signal_to_the_master_loads_new_code_too(shared, code, place):
    starts = shared.log.count(STARTED)
    code.deploy("hung up")
    os.kill(shared.pid, signal.SIGHUP)
    await_exchange(shared, starts + 1)
    assert version(shared) == "hung up"
    await_true(lambda: row(place, "restarted_by") == ("SIGHUP",))


def test_the_style_sheets_of_new_code_are_served_and_those_of_pages_that_are_open(fresh_place, code):
    def name():
        manifest = Path(fresh_place.environment["CMS_DATA_DIR"]) / "static" / "staticfiles.json"
        return json.loads(manifest.read_text(encoding="utf-8"))["paths"]["deployed.css"]

    code.deploy_style("a { color: red }")
    with serve(fresh_place, code) as server:
        former = name()
        code.deploy_style("a { color: blue }")
        os.kill(server.pid, signal.SIGHUP)
        await_exchange(server, 2)
        assert name() != former
        for file, color in ((former, b"red"), (name(), b"blue")):
            answer = server.request("GET", f"/static/{file}")
            assert answer.status_code == 200 and color in answer.content


def test_ten_asks_at_once_are_one_restart(shared, place, token):
    starts = shared.log.count(STARTED)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: ask(shared, token), range(10)))
    await_exchange(shared, starts + 1)
    assert nothing_is_left_to_do(place)


def test_asks_during_a_restart_are_one_more(shared, place, token):
    starts, signals = shared.log.count(STARTED), shared.log.count(SIGNALLED)
    ask(shared, token)
    shared.await_lines(SIGNALLED, signals + 1)
    for _ in range(3):
        ask(shared, token)
    assert not nothing_is_left_to_do(place)
    await_exchange(shared, starts + 2)
    assert nothing_is_left_to_do(place)


def test_code_that_does_not_start_leaves_the_present_one(shared, code, place, token):
    starts, present = shared.log.count(STARTED), version(shared)
    code.deploy(None)
    with visitors(shared):
        ended, told, problem = manage(place, "restart", "--wait")
    assert (ended, told, version(shared)) == (1, "", present)
    assert "quay: still runs the old code." in problem
    assert 'deployed_urls.py", line 1' in problem and "No module named 'lighthouse_9'" in problem
    assert shared.log.count(STARTED) == starts
    assert row(place, "problem") != ("",)
    code.deploy("5")
    ended, told, problem = manage(place, "restart", "--wait")
    assert (ended, problem, row(place, "problem")) == (0, "", ("",))
    assert re.fullmatch(r"quay: restarted at [\d-]+ [\d:]+\n", told)


def test_code_that_changes_after_it_was_tried_ends_no_service(fresh_place, code, token):
    code.deploy("whole")
    with serve(fresh_place, code) as server:
        server.await_lines("Booting worker", 2)
        former = server.workers
        with visitors(server):
            with code.half_copied():
                ask(server, token)
                server.await_lines("RuntimeError: half-copied", 2)  # it goes on trying
                assert set(former) <= set(server.workers)
            await_exchange(server, 2)
        assert version(server) == "whole"


def test_a_server_whose_new_code_is_half_there_ends_when_told_to(fresh_place, code, token):
    code.deploy("whole")
    with serve(fresh_place, code) as server, code.half_copied():
        server.await_lines("Booting worker", 2)
        ask(server, token)
        server.await_lines("RuntimeError: half-copied", 1)
        server.stop()
        assert server.log.count(ENDED) == 2


def test_killed_workers_lose_no_order(shared, code, token):
    starts = shared.log.count(STARTED)
    code.deploy("6")
    ask(shared, token)
    for process in shared.workers:
        os.kill(process, signal.SIGKILL)
    await_exchange(shared, starts + 1)
    assert version(shared) == "6"


def test_a_killed_master_loses_no_order_and_the_next_one_needs_no_restart(fresh_place, code, token):
    with serve(fresh_place, code, CMS_NODE_NAME="pier") as server:
        await_true(lambda: row(fresh_place, "name", "pier"))
        ask(server, token)
        os.kill(server.pid, signal.SIGKILL)
    with serve(fresh_place, code, CMS_NODE_NAME="pier") as server:
        await_true(lambda: nothing_is_left_to_do(fresh_place, "pier"))
        assert SIGNALLED not in server.log


def test_a_server_told_to_end_during_a_restart_ends(fresh_place, code, token):
    with serve(fresh_place, code) as server:
        ask(server, token)
        server.await_lines(SIGNALLED, 1)
        server.stop()
        assert "Shutting down: Master" in server.log


# Workers that install their signal handlers only after SIGTERM was sent.
SLOWLY_FORKED = """
from pathlib import Path
from time import sleep
from server import configuration as server
from server.configuration import *

def post_fork(arbiter, worker):
    while not Path({go!r}).exists():
        sleep(0.01)
    server.post_fork(arbiter, worker)
"""


def has_to_end(process):
    """Return whether SIGTERM is pending for the process."""
    pending = re.search(r"^ShdPnd:\t(\w+)", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)[1]
    return bool(int(pending, 16) >> signal.SIGTERM - 1 & 1)


def test_a_worker_that_was_just_forked_hears_the_signal_to_end(place, tmp_path):
    go, configuration = tmp_path / "go", tmp_path / "gunicorn.conf.py"
    configuration.write_text(SLOWLY_FORKED.format(go=str(go)))
    with place.serve("-c", str(configuration)) as server:
        server.await_lines("Booting worker", 2)
        workers = server.workers
        server.send(signal.SIGTERM)
        await_true(lambda: all(map(has_to_end, workers)))
        go.touch()
    assert server.log.count("Worker exiting") == 2, server.log


def test_a_restart_waits_until_the_limit_has_passed(fresh_place, code, token):
    with serve(fresh_place, code, CMS_NODE_NAME="pier", CMS_RESTART_MIN_SECONDS="3600") as server:
        ask(server, token)
        await_exchange(server, 2)
        ask(server, token)
        ended, _, problem = manage(fresh_place, "restart", "--wait", "--timeout", "1")
        assert (ended, server.log.count(STARTED)) == (1, 2)
        assert "pier: did not restart in time" in problem
    assert not nothing_is_left_to_do(fresh_place, "pier")


def test_a_gunicorn_without_our_configuration_answers_false_and_logs_why(place, token):
    with place.serve("-c", "/dev/null", "--bind", "127.0.0.1:0") as server, server.client(token) as client:
        assert client.restart() is False
    assert "No restart: this server was not started with" in server.log


@pytest.mark.django_db(transaction=True)
def test_servers_with_one_database_restart_all(tmp_path, code, settings):
    """On the database of the tests, whichever it is."""
    database = settings.DATABASES["default"]
    url = f"sqlite:///{database['NAME']}"
    if "sqlite" not in database["ENGINE"]:
        url = f"postgres://{database['USER']}@{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"
    first, second = (Installation(tmp_path / name, administrator=False) for name in ("east", "west"))
    common = code.environment | {"CMS_DATABASE_URL": url, "CMS_WORKERS": "1"}
    with first.serve(CMS_NODE_NAME="east", **common) as east, second.serve(CMS_NODE_NAME="west", **common) as west:
        for server in (east, west):
            server.await_lines("Booting worker", 1)
        await_nodes(answered=0)
        code.deploy("2")
        record_order()
        for server in (east, west):
            server.await_lines(STARTED, 2)
            server.await_lines(ENDED, 1)
        await_nodes(answered=1)
        assert [version(server) for server in (east, west)] == ["2", "2"]


def await_nodes(answered):
    """Return when both servers have told so."""
    await_true(lambda: Node.objects.filter(answered=answered).count() == 2)


def await_true(condition):
    """Return as soon as the condition holds."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
