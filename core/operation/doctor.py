"""`manage.py doctor`: runs each app's checks (module `doctor_checks`); a failing one does not stop the others."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from django.db import DatabaseError, InterfaceError
from django.utils.module_loading import autodiscover_modules

from core.lib.database_faults import sentence_of
from core.lib.missing_migrations import missing_migrations


class Grade(StrEnum):
    """`WRONG`: something fails or is lost. `RISKY`: that may happen. `NOTE`: a choice of the set-up."""

    WRONG = "wrong"
    RISKY = "risky"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    grade: Grade
    told: str
    remedy: str = ""


wrong, risky, note = (partial(Finding, grade) for grade in Grade)
Look = Callable[[], Iterable[Finding]]  # yields nothing if all is well


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    subject: str
    look: Look
    needs_database: bool
    is_thorough: bool  # reads whole tables


_known: list[DoctorCheck] = []


def doctor_check(subject: str, *, needs_database: bool = True, is_thorough: bool = False) -> Callable[[Look], Look]:
    """Register the function as a check; subjects are shown in the order of registration."""

    def add(look: Look) -> Look:
        _known.append(DoctorCheck(subject, look, needs_database, is_thorough))
        return look

    return add


@dataclass(frozen=True, slots=True)
class Result:
    """The findings of one check; `was_made` is false if it was skipped."""

    subject: str
    findings: tuple[Finding, ...]  # wrong and risky ones
    was_made: bool = True
    notes: tuple[Finding, ...] = ()


def run_checks(*, is_thorough: bool = False) -> Iterator[Result]:
    """Yield results as they come, the service's own before the apps'. Raises nothing: a failing check is a finding."""
    autodiscover_modules("doctor_checks")  # in the order of INSTALLED_APPS
    try:
        # Readiness reports missing migrations; each other check would fail because of them.
        can_be_read = not missing_migrations()
    except (DatabaseError, InterfaceError):
        can_be_read = False
    for each in _known:
        if each.is_thorough and not is_thorough:
            continue
        if each.needs_database and not can_be_read:
            yield Result(each.subject, (), was_made=False)
            continue
        try:
            found = tuple(each.look())
        except Exception as error:  # noqa: BLE001 - the remaining checks still run
            # A driver's message may contain an address with a password.
            told = type(error).__name__ if isinstance(error, DatabaseError | InterfaceError) else f"{error!r:.200}"
            found = (wrong(f"This check failed: {sentence_of(error) or told + '.'}"),)
        notes = tuple(finding for finding in found if finding.grade is Grade.NOTE)
        yield Result(each.subject, tuple(finding for finding in found if finding not in notes), notes=notes)
