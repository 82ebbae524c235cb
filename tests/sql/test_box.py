"""The box in the worker: children that hang, die, lie or outlive their worker, and what the caller gets."""

import gc
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest

from sql_sandbox.compiled import Limits
from sql_sandbox.refusals import Busy, Failed, NotAllowed, TimedOut, TooLarge, Unavailable
from sql_sandbox.running import process_pool
from sql_sandbox.running.messages import Configuration, Request
from sql_sandbox.running.process_pool import Box, pass_on

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "tests.sql.scripted_child"]
SECONDS = 60  # until a process that does nothing counts as stuck
PID = "python: value = os.getpid()"
FOREVER = "python: signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"


@pytest.fixture
def configuration(tmp_path):
    sqlite3.connect(tmp_path / "db.sqlite3").close()
    return Configuration({"engine": "sqlite", "path": str(tmp_path / "db.sqlite3")}, (), limits=Limits(seconds=SECONDS))


@pytest.fixture
def make_box(configuration):
    """Makes boxes, with a command and seconds of its own if need be, which are closed at the end."""
    boxes = []

    def make(command=COMMAND, seconds=SECONDS, slots=2):
        limited = Configuration(configuration.database, (), limits=Limits(seconds=seconds))
        boxes.append(Box(command, limited, slots, ROOT))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


@pytest.fixture
def box(make_box):
    return make_box()


def ask(box, text, client=None):
    """The only value of the answer."""
    ((value,),) = (row.values() for row in json.loads(box.run(Request(text, datetime(2026, 1, 31)), client).rows))
    return value


def await_end(pid):
    """Return once no process has the number, or a dead one that its parent has not looked at."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(SECONDS * 1000), f"the process {pid} runs on"
    finally:
        os.close(descriptor)


def is_gone(pid):
    """Whether the system has no process of the number, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


# ---- Running


def test_one_child_runs_all_statements_that_come_one_by_one(box):
    assert box.pids() == []
    (pid,) = {ask(box, PID) for _ in range(5)}
    assert pid in box.pids()


def test_the_child_of_the_next_statement_is_started_before_that_comes(box):
    box.start()
    (first,) = box.pids()
    assert ask(box, PID) == first
    (second,) = set(box.pids()) - {first}
    with pytest.raises(Failed):
        ask(box, "python: os._exit(3)")
    assert len(box.pids()) == 2
    assert first not in box.pids()
    assert second in box.pids()


@pytest.fixture
def slow_start(tmp_path):
    """The command of a child that starts when the file `now` is there, and that file."""
    now = tmp_path / "now"
    script = f"import os, sys, time\nwhile not os.path.exists({str(now)!r}): time.sleep(0.01)\n"
    return [sys.executable, "-c", f"{script}os.execv(sys.executable, {COMMAND!r})"], now


def test_a_statement_waits_for_a_child_that_starts_no_longer_than_its_time(make_box, slow_start, monkeypatch):
    command, now = slow_start
    monkeypatch.setattr(process_pool, "_FREE_SECONDS", 0.1)
    box = make_box(command, seconds=0.2, slots=1)
    before = time.monotonic()
    for _ in range(2):
        with pytest.raises(Busy, match="still starting"):
            ask(box, PID)
    assert time.monotonic() - before < 0.4 + SECONDS / 10
    (pid,) = box.pids()
    now.touch()
    monkeypatch.setattr(process_pool, "_FREE_SECONDS", SECONDS)
    assert ask(box, PID) == pid


def test_a_child_that_does_not_start_at_all_is_ended(make_box, slow_start, monkeypatch):
    command, _ = slow_start
    monkeypatch.setattr(process_pool, "_START_SECONDS", 0)
    monkeypatch.setattr(process_pool, "_FREE_SECONDS", 0)
    box = make_box(command, seconds=0.1, slots=1)
    with pytest.raises(Unavailable):
        ask(box, PID)
    assert box.pids() == []


def test_a_refusal_of_the_child_is_raised_and_the_child_stays(box):
    pid = ask(box, PID)
    with pytest.raises(NotAllowed, match="not open to statements"):
        box.run(Request("SELECT load_extension('x')", datetime(2026, 1, 31)))
    assert ask(box, PID) == pid


def test_a_bug_is_no_refusal_and_the_child_stays(box, capfd):
    pid = ask(box, PID)
    with pytest.raises(RuntimeError, match="bug"):
        ask(box, "python: raise ValueError('a secret literal')")
    assert ask(box, PID) == pid
    assert "ValueError" in (log := capfd.readouterr().err)
    assert "literal" not in log


def test_a_text_that_is_too_long_starts_nothing(box):
    with pytest.raises(TooLarge):
        ask(box, "x" * 8193)
    assert box.pids() == []


def test_a_text_that_cannot_be_sent_is_refused_and_the_child_stays(box):
    pid = ask(box, PID)
    with pytest.raises(NotAllowed):
        ask(box, "SELECT '\ud800'")
    assert ask(box, PID) == pid


def test_many_threads_get_the_answers_to_their_own_statements(box):
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda number: ask(box, f"SELECT {number}"), range(200))) == list(range(200))
    assert len(box.pids()) == 2


@pytest.fixture
def held(box, tmp_path):
    """Two statements that stand still in threads while the test runs."""
    started, go = tmp_path / "started", [tmp_path / "go-0", tmp_path / "go-1"]
    for fifo in (started, *go):
        os.mkfifo(fifo)
    with ThreadPoolExecutor(2) as pool:
        answers = []
        for one in go:
            wait = f"python: open({str(started)!r}, 'w').close()\nopen({str(one)!r}).read()"
            answers.append(pool.submit(ask, box, wait))
            started.read_text()  # until the child has opened and closed it
        yield answers
        for one in go:
            one.write_text("")
        for answer in answers:
            answer.result(SECONDS)


def test_a_third_statement_is_refused_at_once_while_two_run(box, held):
    with pytest.raises(Busy):
        ask(box, "SELECT 1")
    assert len(box.pids()) == 2
    assert not any(answer.done() for answer in held)


@pytest.fixture
def hold(tmp_path):
    """Has a statement of a client stand still until the test is over."""
    with ThreadPoolExecutor(4) as pool, ExitStack() as ends:

        def begin(box, client):
            started, go = (tmp_path / f"{name}-{uuid4().hex}" for name in ("started", "go"))
            os.mkfifo(started)
            os.mkfifo(go)
            wait = f"python: open({str(started)!r}, 'w').close()\nopen({str(go)!r}).read()"
            pool.submit(ask, box, wait, client)
            started.read_text()
            ends.callback(go.write_text, "")

        yield begin


def test_a_client_takes_half_of_the_slots_while_others_ask(make_box, hold):
    box = make_box(slots=4)
    hold(box, "greedy")
    hold(box, "greedy")
    assert ask(box, "SELECT 1", "modest") == 1
    with pytest.raises(Busy):
        ask(box, "SELECT 1", "greedy")
    assert ask(box, "SELECT 1", "modest") == 1


def test_a_client_alone_takes_every_slot(box, hold):
    hold(box, "greedy")
    hold(box, "greedy")
    with pytest.raises(Busy):
        ask(box, "SELECT 1", "modest")


def test_a_client_that_no_longer_asks_waits_no_longer(box, hold, monkeypatch):
    assert ask(box, "SELECT 1", "modest") == 1
    hold(box, "greedy")
    with pytest.raises(Busy):
        ask(box, "SELECT 1", "greedy")
    monkeypatch.setattr(process_pool, "_WAITING_SECONDS", 0)
    assert ask(box, "SELECT 1", "greedy") == 1


# ---- Children that fail


def test_a_statement_that_does_not_end_is_killed_and_reaped(make_box):
    box = make_box(seconds=0.5)
    pid = ask(box, PID)
    with pytest.raises(TimedOut):
        ask(box, FOREVER)
    assert is_gone(pid)
    assert ask(box, PID) != pid


def test_a_child_that_does_not_read_is_killed(make_box):
    frame = r"sys.stdout.buffer.write(b'\0\0\0\2\0\0\0\0{}'); sys.stdout.flush()"
    box = make_box([sys.executable, "-c", f"import sys, signal; {frame}; signal.pause()"], seconds=0.5)
    box.start()
    (pid,) = box.pids()
    many = {f"model_{number}": (1,) for number in range(10_000)}  # more than a pipe holds
    with pytest.raises(TimedOut):
        box.run(Request("SELECT 1", datetime(2026, 1, 31), contents_tables=many))
    assert is_gone(pid)


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_child_that_dies_of_a_statement_fails_it_and_is_replaced(box, end):
    pid = ask(box, PID)
    with pytest.raises(Failed):
        ask(box, f"python: {end}")
    assert is_gone(pid)
    assert ask(box, PID) != pid


def test_a_child_that_ended_by_its_own_clock_is_a_timeout(box):
    with pytest.raises(TimedOut):
        ask(box, "python: os.kill(os.getpid(), signal.SIGALRM)")


def test_a_child_that_died_while_it_was_idle_is_replaced_unnoticed(box):
    pid = ask(box, PID)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert ask(box, PID) != pid
    assert is_gone(pid)


def test_a_child_that_cannot_be_written_to_is_replaced_unnoticed(box):
    # Only the end of the pipe tells: the process itself lives on.
    pid = ask(box, PID)
    ask(box, "python: os.dup2(os.pipe()[0], 0)")
    assert ask(box, PID) != pid
    assert is_gone(pid)


@pytest.mark.parametrize("noise", [b"garbage, but of some length", b"\0\0\0\2\0\0\0\0{", b"\0\0\0\2\0\0\0\0[]more"])
def test_a_child_that_writes_garbage_is_an_error_of_ours_and_replaced(box, noise):
    pid = ask(box, PID)
    everywhere = f"for number in range(3, 12):\n  try: os.write(number, {noise!r})\n  except OSError: pass"
    with pytest.raises(RuntimeError, match="unreadable"):
        ask(box, f"python: {everywhere}")
    assert is_gone(pid)
    assert ask(box, PID) != pid


@pytest.mark.parametrize(
    "command",
    [
        ["/nothing/of/that/name"],
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "print('garbage' * 100)"],
    ],
)
def test_a_command_that_starts_no_child_is_unavailable(make_box, command):
    box = make_box(command, slots=1)
    for _ in range(2):
        with pytest.raises(Unavailable):
            ask(box, "SELECT 1")
    assert box.pids() == []


# ---- The life of children


@pytest.mark.parametrize("limit", ["_MAX_STATEMENTS", "_MAX_MEMORY"])
def test_a_child_that_has_done_or_held_much_is_replaced(box, monkeypatch, limit):
    pid = ask(box, PID)
    assert ask(box, PID) == pid
    monkeypatch.setattr(process_pool, limit, 1)
    assert ask(box, PID) == pid
    assert is_gone(pid)
    assert ask(box, PID) != pid


def test_the_memory_of_the_worker_is_not_taken_for_the_childs(box):
    ballast = bytearray(300 * 1024 * 1024)
    ballast[::4096] = b"x" * len(ballast[::4096])
    pid = ask(box, PID)
    assert ask(box, PID) == pid


def test_a_closed_box_has_no_children_and_takes_no_statements(box):
    pid = ask(box, PID)
    box.close()
    assert is_gone(pid)
    with pytest.raises(Busy):
        ask(box, "SELECT 1")


def test_a_box_closed_while_a_statement_runs_ends_its_child_afterwards(box, held):
    pids = box.pids()
    box.close()
    assert not any(answer.done() for answer in held)
    assert not any(map(is_gone, pids))


def test_a_box_that_nobody_holds_any_more_ends_its_children(configuration):
    box = Box(COMMAND, configuration, folder=ROOT)
    pid = ask(box, PID)
    del box
    gc.collect()
    assert is_gone(pid)


def test_children_end_when_their_worker_is_killed(configuration):
    worker = f"""
from tests.sql.test_box import *
box = Box(COMMAND, Configuration({dict(configuration.database)!r}, (), limits=Limits(60)), folder=ROOT)
print(ask(box, PID), flush=True)
signal.pause()
"""
    with subprocess.Popen([sys.executable, "-c", worker], cwd=ROOT, stdout=subprocess.PIPE) as process:
        pid = int(process.stdout.readline())
        assert not is_gone(pid)
        process.kill()
    await_end(pid)


def test_a_forked_worker_has_children_of_its_own(box):
    pid = ask(box, PID)
    reading, writing = os.pipe()
    forked = os.fork()
    if forked == 0:
        # Nothing of the test run may happen twice: this process leaves without its exit handlers.
        try:
            os.write(writing, json.dumps([box.pids(), ask(box, PID)]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with closing(os.fdopen(reading)) as told:
        pids, other = json.loads(told.read())
    os.waitpid(forked, 0)
    assert (pids, other != pid) == ([], True)
    assert ask(box, PID) == pid
    await_end(other)


def test_a_forked_worker_does_not_keep_the_children_of_the_first_alive(box):
    pid = ask(box, PID)
    holding, hold = os.pipe()
    forked = os.fork()
    if forked == 0:
        os.close(hold)
        os.read(holding, 1)  # until the first worker is done
        os._exit(0)
    os.close(holding)
    (slot,) = (slot for slot in box._slots if slot.child and slot.child.pid == pid)
    slot.child._stdin.close()  # as the end of the first worker does
    await_end(pid)
    os.close(hold)
    os.waitpid(forked, 0)


def test_a_child_is_in_no_group_that_signals_of_the_worker_reach(box):
    assert ask(box, "python: value = os.getpgid(0)") != os.getpgid(0)
    assert ask(box, "python: value = os.getsid(0)") != os.getsid(0)


def test_a_child_gets_what_it_needs_of_the_environment_and_no_secret(box, monkeypatch):
    secrets = {"CMS_SECRET_KEY", "CMS_DATABASE_URL", "PGPASSWORD", "PGPASSFILE", "AWS_SECRET_ACCESS_KEY"}
    needed = {"PATH", "LC_ALL", "TZ", "PYTHONPATH", "PGSSLMODE"}
    assert pass_on(dict.fromkeys(secrets | needed, "x")).keys() == needed
    for name in secrets:
        monkeypatch.setenv(name, "CANARY")
    assert ask(box, "python: value = int('CANARY' in os.environ.values())") == 0
