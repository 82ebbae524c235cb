"""Distributes the targets of an export over processes."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context

from django.db import connections

from core.archive.errors import ArchiveError
from pages.export.targets import Target
from pages.export.work import Plan, Writer

_WAITING = 3  # portions for each process, so that none waits for the one that reads the list
_SECOND = 1.0
_writer: Writer


class Workers:
    """Processes that write the files of targets; with one, this process does it."""

    def __init__(self, plan: Plan, number: int, pool: ProcessPoolExecutor | None) -> None:
        self._plan, self._number, self._pool = plan, number, pool

    def write(self, portions: Iterable[list[Target]]) -> Iterator[Counter[str]]:
        """Yield the outcomes of each portion, in any order. Raises ArchiveError, and errors of the processes."""
        if self._pool is None:
            yield from map(Writer(self._plan).write, portions)
            return
        waiting, running = iter(portions), set[Future[Counter[str]]]()
        try:
            while True:
                free = self._number * _WAITING - len(running)
                running |= {self._pool.submit(_write, portion) for portion in islice(waiting, free)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        except BrokenProcessPool as error:
            raise ArchiveError("A process of the export was killed. Export again to continue.") from error


@contextmanager
def workers(plan: Plan, number: int) -> Iterator[Workers]:
    if number <= 1:
        yield Workers(plan, 1, None)
        return
    connections.close_all()  # a process must not share the connection of another
    pool = ProcessPoolExecutor(number, get_context("fork"), _begin, (plan, os.getpid()))
    pool.submit(_ready).result()  # starts all of them, while no other thread runs
    try:
        yield Workers(plan, number, pool)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(plan: Plan, parent: int) -> None:
    global _writer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the pool
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _writer = Writer(plan)


def _end_with(parent: int) -> None:
    """End the process when its parent was killed; otherwise it would wait forever and keep the folder locked."""
    while os.getppid() == parent:
        time.sleep(_SECOND)
    os._exit(1)


def _ready() -> None:
    pass


def _write(targets: list[Target]) -> Counter[str]:
    return _writer.write(targets)
