"""The verdict on this server, found at most once a second by each process, however often it is asked for."""

import os
import threading
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import Error

from cms_api.lib.database_faults import sentence_of
from cms_api.operation.health.bounded import Bounded, NoAnswer
from cms_api.operation.health.probes import Finding, Probe, State, probes

_worker: Any = None
PATIENCE = 0.5  # seconds that all probes have together, side by side
KEPT = 1.0  # seconds that a verdict counts


def know_worker(worker: Any) -> None:
    global _worker
    _worker = worker


def is_draining() -> bool:
    """Whether the server ends or gives way. A worker that ends after its number of requests is replaced by itself."""
    return _worker is not None and not _worker.alive and _worker.nr < _worker.max_requests


@dataclass(frozen=True, slots=True)
class Look:
    """What one probe has found, and how long that took."""

    name: str
    state: State
    milliseconds: float
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all probes have found; the worst of it is the state."""

    looks: tuple[Look, ...]

    @property
    def state(self) -> State:
        """failed if anything has failed, else degraded if anything is."""
        states = {look.state for look in self.looks}
        return next((state for state in (State.FAILED, State.DEGRADED) if state in states), State.OK)

    def of(self, name: str) -> State | None:
        """What the probe of that name has found; None where there is no such probe."""
        return next((look.state for look in self.looks if look.name == name), None)


class Readiness:
    """Asks the probes, one caller for all: others are answered with what was last found, if anything was."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._probes = [(probe, Bounded(f"health-{probe.name}", probe.look)) for probe in probes()]
        self._kept: tuple[float, Verdict] | None = None

    def verdict(self, patience: float | None = None) -> Verdict:
        """How the server is, after at most so many seconds, or PATIENCE."""
        kept = self._kept
        if kept is not None and monotonic() - kept[0] < KEPT:
            return _with_draining(kept[1])
        if not self._lock.acquire(blocking=kept is None):
            assert kept is not None  # noqa: S101 - or it would have waited
            return _with_draining(kept[1])
        try:
            now = self._kept
            if now is None or now is kept:  # nobody has asked while this one waited
                now = self._kept = (monotonic(), self._look(PATIENCE if patience is None else patience))
            return _with_draining(now[1])
        finally:
            self._lock.release()

    def _look(self, patience: float) -> Verdict:
        deadline = monotonic() + patience
        for _, question in self._probes:
            question.begin()
        return Verdict(tuple(_look_of(probe, question, deadline) for probe, question in self._probes))


def _look_of(probe: Probe, question: Bounded[Finding], deadline: float) -> Look:
    try:
        finding, seconds = question.answer(deadline)
        return Look(probe.name, finding.state, round(seconds * 1000, 1), finding.message)
    except NoAnswer as silence:
        return Look(probe.name, probe.otherwise, round(silence.seconds * 1000, 1), "There was no answer in time.")
    except Exception as error:  # noqa: BLE001 - whatever a driver raises; its words may hold an address and a password
        kind = "Error of the database" if isinstance(error, Error) else "Error"
        return Look(probe.name, probe.otherwise, 0.0, sentence_of(error) or f"{kind}: {type(error).__name__}.")


def _with_draining(verdict: Verdict) -> Verdict:
    if not is_draining():
        return verdict
    return Verdict((*verdict.looks, Look("draining", State.FAILED, 0.0, "This worker has been told to end.")))


_readiness: Readiness | None = None
_making = threading.Lock()


def verdict(patience: float | None = None) -> Verdict:
    """How this server is, as this process sees it, after at most so many seconds, or PATIENCE."""
    global _readiness
    with _making:
        if _readiness is None:
            _readiness = Readiness()
    return _readiness.verdict(patience)


def forget() -> None:
    """Find everything anew; for processes that are forked, and tests."""
    global _readiness, _making
    _readiness, _making = None, threading.Lock()


os.register_at_fork(after_in_child=forget)
