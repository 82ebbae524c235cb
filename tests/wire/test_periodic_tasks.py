"""Functions that apps have called again and again, in threads of a worker or of a command."""

import logging
import signal
import sys
import threading

import pytest
from django.utils.module_loading import import_string

from cms_api.lib.registrations import registered
from cms_api.operation import periodic_tasks
from cms_api.operation.periodic_tasks import PeriodicTasks
from tests.programs import Program
from tests.servers import ROOT, Installation

_calls: "list[str]" = []
_enough = threading.Event()


def fails_twice():
    _calls.append(threading.current_thread().name)
    if len(_calls) <= 2:
        raise OSError("The disk is full.")
    if len(_calls) == 5:
        _enough.set()


def never_returns():
    _enough.wait()


@pytest.fixture
def tasks(monkeypatch):
    _calls.clear()
    _enough.clear()
    entries = {
        "test.slow": (0.0, f"{__name__}.never_returns"),
        "test.failing": (0.001, f"{__name__}.fails_twice"),
    }
    monkeypatch.setattr(periodic_tasks, "registered", {"PERIODIC_TASKS": entries}.get)
    monkeypatch.setattr(periodic_tasks, "_PAUSE_AFTER_ERROR", 0.001)
    tasks = PeriodicTasks()
    yield tasks
    _enough.set()
    tasks.end()
    tasks.join()


@pytest.mark.django_db(transaction=True)
@pytest.mark.any_database
def test_a_task_is_called_again_after_errors_while_another_one_waits(tasks, caplog):
    with caplog.at_level(logging.WARNING):
        tasks.start()
        assert _enough.wait(30)
    assert set(_calls) == {"task-test.failing"}
    assert caplog.messages == ["The task test.failing failed and is tried again: OSError."]


@pytest.mark.django_db(transaction=True)
@pytest.mark.any_database
def test_after_the_end_no_call_begins(tasks):
    tasks.end()
    tasks.start()
    tasks.join()
    assert not _calls


@pytest.mark.any_database
def test_every_registered_task_is_a_function_without_parameters():
    for seconds, path in registered("PERIODIC_TASKS").values():
        assert seconds > 0
        assert import_string(path).__code__.co_argcount == 0


@pytest.mark.large
@pytest.mark.any_database
def test_the_command_runs_until_it_is_ended(tmp_path):
    program = Program(
        [sys.executable, "manage.py", "run_periodic_tasks"], cwd=ROOT, env=Installation(tmp_path).environment
    )
    program.await_lines("Running: ")
    program.end(signal.SIGTERM)
    assert "jobs.waiting" in program.log
    assert program.is_running is False
