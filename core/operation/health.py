"""Readiness of this server: concurrent probes and their verdict, computed at most once a second."""

import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import Error, connection, connections

from core.lib import schema
from core.lib.database_faults import sentence_of
from core.lib.redis_client import connect

PATIENCE = 0.5  # seconds for all probes together
KEPT = 1.0  # seconds that a verdict is cached
_REDIS_SECONDS = 0.4  # for Redis; less than for all probes together
_worker: Any = None

AnswerT = TypeVar("AnswerT")


class HealthState(StrEnum):
    """Healthy, working through a fallback, or unfit for requests."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    state: HealthState
    message: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A named check; `otherwise` is the state if it raises or times out."""

    name: str
    look: Callable[[], Finding]
    otherwise: HealthState = HealthState.FAILED


def probes() -> tuple[Probe, ...]:
    found = [Probe("database", _database), Probe("migrations", _migrations), Probe("disk", _disk)]
    if isinstance(default_storage, FileSystemStorage):  # an object store is shared: taking a server out would not help
        found.append(Probe("media", _media))
    if settings.CMS_CACHE_URL:
        # The database is the fallback.
        found.append(Probe("cache", _cache, HealthState.DEGRADED))
    return tuple(found)


def _database() -> Finding:
    with connection.cursor() as cursor:
        # SQLite notices a damaged file only when it reads its tables.
        is_sqlite = connection.vendor == "sqlite"
        cursor.execute("SELECT count(*) FROM sqlite_master" if is_sqlite else "SHOW transaction_read_only")
        if cursor.fetchone()[0] == "on":
            return Finding(HealthState.DEGRADED, "The database is read-only.")
    return Finding(HealthState.OK, "The database responds.")


def _migrations() -> Finding:
    found = schema.look()
    if found.problem:
        return Finding(HealthState.FAILED, found.problem)
    if found.warning:
        return Finding(HealthState.DEGRADED, found.warning)
    return Finding(HealthState.OK, "All migrations and triggers of this code are in the database.")


def _disk() -> Finding:
    usage = shutil.disk_usage(settings.DATA_DIR)
    percent, least = usage.free / usage.total * 100, settings.CMS_MIN_FREE_DISK_PERCENT
    told = f"{percent:.1f} percent of the data folder's disk is free"
    if percent < least:
        return Finding(HealthState.FAILED, f"{told}, less than {least} (CMS_MIN_FREE_DISK_PERCENT).")
    return Finding(HealthState.OK, f"{told}.")


def _media() -> Finding:
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(b"-")
    return Finding(HealthState.OK, "The media folder is writable.")


def _cache() -> Finding:
    with connect(settings.CMS_CACHE_URL, _REDIS_SECONDS) as client:
        client.ping()
    return Finding(HealthState.OK, "Redis responds.")


class NoAnswer(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(f"No response for {seconds:.1f} seconds.")
        self.seconds = seconds


class Bounded(Generic[AnswerT]):
    """A query run by at most one thread, so that a hanging database blocks one; not for concurrent callers."""

    def __init__(self, name: str, question: Callable[[], AnswerT]) -> None:
        self._name, self._question = name, question
        self._asked: Future[tuple[AnswerT, float]] | None = None
        self._begun = 0.0

    def begin(self) -> None:
        if self._asked is None or self._asked.done():
            self._asked, self._begun = Future(), monotonic()
            arguments = (self._question, self._asked, self._begun)
            threading.Thread(target=_ask, args=arguments, name=self._name, daemon=True).start()

    def answer(self, deadline: float) -> tuple[AnswerT, float]:
        """Return result and seconds. Raises `NoAnswer` at the deadline (monotonic), or the query's own error."""
        asked = self._asked
        # Not `result(timeout)`, whose TimeoutError may be the query's own.
        if asked is None or not wait([asked], max(0.0, deadline - monotonic())).done:
            raise NoAnswer(monotonic() - (self._begun if asked else deadline))
        return asked.result()


def _ask(question: Callable[[], AnswerT], asked: "Future[tuple[AnswerT, float]]", begun: float) -> None:
    try:
        try:
            answer, seconds = question(), monotonic() - begun
        finally:
            connections.close_all()  # those of this thread
    except BaseException as error:  # noqa: BLE001 - raised again in `answer`
        asked.set_exception(error)
    else:
        asked.set_result((answer, seconds))


@dataclass(frozen=True, slots=True)
class Look:
    name: str
    state: HealthState
    milliseconds: float
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    looks: tuple[Look, ...]

    @property
    def state(self) -> HealthState:
        states = {look.state for look in self.looks}
        return next((state for state in (HealthState.FAILED, HealthState.DEGRADED) if state in states), HealthState.OK)

    def of(self, name: str) -> HealthState | None:
        return next((look.state for look in self.looks if look.name == name), None)


class Readiness:
    """Runs the probes, one caller at a time; concurrent callers get the last verdict, if there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._probes = [(probe, Bounded(f"health-{probe.name}", probe.look)) for probe in probes()]
        self._kept: tuple[float, Verdict] | None = None

    def verdict(self, patience: float) -> Verdict:
        kept = self._kept
        if kept is not None and monotonic() - kept[0] < KEPT:
            return kept[1]
        if not self._lock.acquire(blocking=kept is None):
            assert kept is not None  # noqa: S101 - otherwise the acquire would have blocked
            return kept[1]
        try:
            now = self._kept
            if now is None or now is kept:  # no other caller has run the probes during the wait
                deadline = monotonic() + patience
                for _, question in self._probes:
                    question.begin()
                looks = tuple(_look_of(probe, question, deadline) for probe, question in self._probes)
                now = self._kept = (monotonic(), Verdict(looks))
            return now[1]
        finally:
            self._lock.release()


def _look_of(probe: Probe, question: Bounded[Finding], deadline: float) -> Look:
    try:
        finding, seconds = question.answer(deadline)
        return Look(probe.name, finding.state, round(seconds * 1000, 1), finding.message)
    except NoAnswer as silence:
        return Look(probe.name, probe.otherwise, round(silence.seconds * 1000, 1), "Timed out.")
    except Exception as error:  # noqa: BLE001 - a driver's message may contain an address and a password
        kind = "Database error" if isinstance(error, Error) else "Error"
        return Look(probe.name, probe.otherwise, 0.0, sentence_of(error) or f"{kind}: {type(error).__name__}.")


_readiness: Readiness | None = None
_making = threading.Lock()


def verdict(patience: float | None = None) -> Verdict:
    """Return this server's state as this process sees it, after at most `patience` seconds."""
    global _readiness
    with _making:
        if _readiness is None:
            _readiness = Readiness()
    found = _readiness.verdict(PATIENCE if patience is None else patience)
    # A worker at its request limit is replaced automatically; only one that must end is draining.
    if _worker is not None and not _worker.alive and _worker.nr < _worker.max_requests:
        told = Look("draining", HealthState.FAILED, 0.0, "This worker is shutting down.")
        return Verdict((*found.looks, told))
    return found


def know_worker(worker: Any) -> None:
    global _worker
    _worker = worker


def forget() -> None:
    global _readiness, _making
    _readiness, _making = None, threading.Lock()


os.register_at_fork(after_in_child=forget)
