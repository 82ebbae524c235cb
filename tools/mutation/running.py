"""Runs the tests of each mutant in a forked child, so that nothing is collected or migrated twice."""

import importlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from xml.etree import ElementTree

from coverage import CoverageData

from tools.mutation.mutants import Mutant
from tools.mutation.swapping import swap
from tools.servers import ROOT

KILLED, SURVIVED, NOT_SWAPPED, NO_TESTS, TOO_SLOW = "killed", "survived", "not swapped", "no tests", "too slow"
_BY_STATUS = [SURVIVED, KILLED, NOT_SWAPPED]
_CRASHED = len(_BY_STATUS)
# Coverage counts a statement of several lines at its first line.
_LINES_OF_A_STATEMENT = 12


@cache
def _data() -> CoverageData:
    """Which tests run which line, written by `pytest --cov --cov-context=test`."""
    data = CoverageData(str(ROOT / ".coverage"))
    data.read()
    return data


@cache
def _seconds() -> dict[str, float]:
    """The duration of each test by its id, written by `pytest --junit-xml=.mutation.xml`."""
    cases = ElementTree.parse(ROOT / ".mutation.xml").getroot().iter("testcase")
    return {
        f"{case.get('classname').replace('.', '/')}.py::{case.get('name')}": float(case.get("time")) for case in cases
    }


class Runner:
    """A plugin that replaces the loop of pytest; `verdicts` holds each mutant with its verdict."""

    def __init__(self, mutants: list[Mutant], seconds: int, processes: int):
        self._mutants, self._seconds, self._processes = mutants, seconds, processes
        self._running: dict[int, tuple[Mutant, int]] = {}
        self.verdicts: list[tuple[Mutant, str]] = []

    def pytest_runtestloop(self, session):
        self._items = {item.nodeid: item for item in session.items}
        self._make_database(session)
        for mutant in self._mutants:
            importlib.import_module(mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for mutant in self._mutants:
            tests = self._tests_of(mutant)
            if not tests:
                self._tell(mutant, NO_TESTS, 0)
                continue
            while len(self._running) >= self._processes:
                self._wait()
            if not (child := os.fork()):
                status = _CRASHED
                try:
                    status = self._run(mutant, tests)
                finally:
                    os._exit(status)
            self._running[child] = mutant, len(tests)
        while self._running:
            self._wait()
        return True

    def _make_database(self, session):
        """Run one test, so that the database exists, and write its log into its file."""
        from django.db import connection
        from pytest_django.plugin import blocking_manager_key

        one = next(item for item in session.items if "db" in item.fixturenames and not _has_world(item))
        far = next(item for item in session.items if item.path.parent != one.path.parent)  # keeps no module set up
        one.ihook.pytest_runtest_protocol(item=one, nextitem=far)
        self._blocker = session.config.stash[blocking_manager_key]
        with self._blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()

    def _tests_of(self, mutant):
        by_line = _data().contexts_by_lineno(str(ROOT / mutant.path))
        for line in range(mutant.line, mutant.line - _LINES_OF_A_STATEMENT, -1):
            names = {context.rpartition("|")[0] for context in by_line.get(line, ())}
            if found := [self._items[name] for name in names & self._items.keys()]:
                return sorted(found, key=lambda item: _seconds().get(item.nodeid, 0))
        return []

    def _run(self, mutant, tests):
        """In the child: the index of the verdict."""
        from _pytest.runner import runtestprotocol

        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(self._seconds)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        with self._own_database():
            if not swap(mutant):
                return _BY_STATUS.index(NOT_SWAPPED)
            for item, following in zip(tests, [*tests[1:], tests[0]], strict=True):
                if any(report.failed for report in runtestprotocol(item, nextitem=following, log=False)):
                    return _BY_STATUS.index(KILLED)
        return _BY_STATUS.index(SURVIVED)

    @contextmanager
    def _own_database(self) -> Iterator[None]:
        from django.conf import settings
        from django.db import connection

        with tempfile.TemporaryDirectory() as folder, self._blocker.unblock():
            connection.close()
            name = shutil.copy(connection.settings_dict["NAME"], folder)
            connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = name
            with self._blocker.block():
                yield

    def _wait(self):
        child, status = os.waitpid(-1, 0)
        mutant, count = self._running.pop(child)
        self._tell(mutant, TOO_SLOW if os.WIFSIGNALED(status) else _BY_STATUS[os.WEXITSTATUS(status)], count)

    def _tell(self, mutant, verdict, count):
        self.verdicts.append((mutant, verdict))
        if verdict != KILLED:
            print(f"\n{verdict}, {count} tests: {mutant}", flush=True)


def _has_world(item):
    """Return true if the test keeps records in a transaction that outlives it (tests/worlds.py)."""
    return any(hasattr(each[-1].func, "world") for each in item._fixtureinfo.name2fixturedefs.values())
