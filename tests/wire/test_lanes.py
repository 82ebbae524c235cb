"""Lanes: work that takes the processor for long, kept from holding up everything else."""

import gc
import os
import signal
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from core.lib.errors import LimitReached
from core.uploads.bounded_executor import BoundedExecutor

pytestmark = pytest.mark.large

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30  # until a test that hangs fails


class Held:
    """Work that goes on until it is released."""

    def __init__(self):
        self.begun, self._released = threading.Event(), threading.Event()

    def __call__(self):
        self.begun.set()
        assert self._released.wait(SECONDS)
        return threading.get_ident()

    def release(self):
        self._released.set()


@pytest.fixture
def held():
    """Work that the test holds up, and releases at the latest when it ends."""
    work = Held()
    yield work
    work.release()


def fail(error):
    raise error


def test_the_result_and_the_arguments_pass_through():
    assert BoundedExecutor("one", places=1).run(divmod, 7, 2) == (3, 1)


@pytest.mark.parametrize(
    "error", [ValueError("wrong"), KeyboardInterrupt(), SystemExit(3), LimitReached("a", "b", wait=2)]
)
def test_what_the_work_raises_passes_through_and_gives_the_place_back(error):
    lane = BoundedExecutor("one", places=1)
    for _ in range(3):
        with pytest.raises(type(error)) as raised:
            lane.run(fail, error)
        assert raised.value is error
    assert lane.run(str, 5) == "5"


def test_a_lane_has_one_thread_which_is_not_the_callers():
    lane = BoundedExecutor("one", places=100)
    with ThreadPoolExecutor(8) as pool:
        threads = set(pool.map(lambda _: lane.run(threading.get_ident), range(64)))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_lane_has_no_thread_before_its_first_work():
    def threads():
        return [thread for thread in threading.enumerate() if thread.name.startswith("lane idle")]

    lane = BoundedExecutor("idle", places=1)
    assert threads() == []
    lane.run(int)
    assert len(threads()) == 1


def test_the_next_work_after_the_last_place_is_refused_at_once(held):
    lane = BoundedExecutor("one", places=3)
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(lane.run, held)]
        assert held.begun.wait(SECONDS)
        running += [pool.submit(lane.run, int, one) for one in range(2)]
        while lane._free._value:  # the two take their places
            pass
        for ask in (lambda: lane.run(int), lane.raise_if_full):
            with pytest.raises(LimitReached) as refused:
                ask()
            assert (refused.value.code, refused.value.wait) == ("busy", 1)
            assert refused.value.message.endswith(".")
        held.release()
        assert [one.result() for one in running[1:]] == [0, 1]
    lane.raise_if_full()
    # All the places are free again, and no more than there were.
    assert lane._free._value == 3
    assert lane.run(int) == 0


def test_one_after_the_other_is_never_refused():
    lane = BoundedExecutor("one", places=1)
    assert [lane.run(int, one) for one in range(2000)] == list(range(2000))


def test_two_lanes_do_not_wait_for_each_other(held):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(BoundedExecutor("slow", places=1).run, held)
        assert held.begun.wait(SECONDS)
        assert BoundedExecutor("fast", places=1).run(int) == 0
        held.release()
        waiting.result()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_only_the_thread_of_the_lane_has_a_lower_priority():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    lane = BoundedExecutor("nice", places=1)
    assert lane.run(niceness) == min(19, max(before, 10))
    assert niceness() == before


def test_work_is_done_where_no_priority_can_be_had(monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    assert BoundedExecutor("plain", places=1).run(int) == 0


class Thing:
    """Something whose end can be seen."""


class Failure(Exception):
    """An exception whose end can be seen."""


def test_neither_arguments_nor_results_nor_exceptions_are_kept():
    lane, ends = BoundedExecutor("one", places=1), []

    def work(thing):
        result = Thing()
        ends.extend([weakref.ref(thing), weakref.ref(result)])
        return result

    def raise_one(thing):
        raised = Failure()
        ends.extend([weakref.ref(thing), weakref.ref(raised)])
        try:
            raise raised
        finally:
            del raised  # or this very function would keep it

    gc.disable()  # which would take what refers to itself
    try:
        lane.run(work, Thing())
        with suppress(Failure):
            lane.run(raise_one, Thing())
        lane.run(int)  # by now the thread has let go of the one before
        assert [end() for end in ends] == [None] * 4
    finally:
        gc.enable()


def test_a_forked_process_has_a_thread_and_places_of_its_own(held):
    lane = BoundedExecutor("one", places=1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lane.run, held)
        assert held.begun.wait(SECONDS)
        pid = os.fork()
        if pid == 0:
            signal.alarm(SECONDS)
            code = 255
            try:
                code = lane.run(int, 7)
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        with pytest.raises(LimitReached):
            lane.run(int)
        held.release()
        waiting.result()


def test_a_process_with_an_idle_lane_ends_and_so_does_one_forked_from_it():
    code = (
        "import os, sys\n"
        "from core.uploads.bounded_executor import BoundedExecutor\n"
        "lane = BoundedExecutor('one', places=1)\n"
        "print(lane.run(int, 1), flush=True)\n"
        "pid = os.fork()\n"
        "print(lane.run(int, 2), flush=True)\n"
        "if pid: sys.exit(os.waitpid(pid, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["1", "2", "2"], "")
