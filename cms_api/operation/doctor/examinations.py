"""The checks of the doctor, and one visit, at which none keeps the others from being made.

Each app has its own in a module `doctor_checks`, loaded when the command runs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module

from django.db import DatabaseError, InterfaceError, connection
from django.utils.module_loading import autodiscover_modules

from cms_api.lib.database_faults import sentence_of

# Those of the service itself, in the order in which they are shown, before the apps'.
_OWN = ("installation", "engines", "running")


class Grade(StrEnum):
    """How bad a thing is: something does not work or is lost, or it may come to that."""

    WRONG = "wrong"
    RISKY = "risky"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is not as it should be, in one sentence, and what to do about it in another."""

    grade: Grade
    told: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """A subject and a function that looks at it and yields nothing where all is well."""

    subject: str
    look: Callable[[], Iterable[Finding]]
    needs_database: bool
    is_thorough: bool  # reads whole tables


_known: dict[str, Examination] = {}
Look = Callable[[], Iterable[Finding]]


def examination(subject: str, *, needs_database: bool = True, is_thorough: bool = False) -> Callable[[Look], Look]:
    """Have the doctor call the function; subjects are shown in the order in which they were added."""

    def add(look: Look) -> Look:
        _known[subject] = Examination(subject, look, needs_database, is_thorough)
        return look

    return add


def known() -> tuple[Examination, ...]:
    return tuple(_known.values())


def wrong(told: str, remedy: str = "") -> Finding:
    """A finding that cannot wait."""
    return Finding(Grade.WRONG, told, remedy)


def risky(told: str, remedy: str = "") -> Finding:
    """A finding that may come to harm."""
    return Finding(Grade.RISKY, told, remedy)


@dataclass(frozen=True, slots=True)
class Result:
    """What an examination has found; `was_made` is false where it had to be left out."""

    subject: str
    findings: tuple[Finding, ...]
    was_made: bool = True

    @property
    def grade(self) -> Grade | None:
        """The worst of the findings; None where there are none."""
        return min((finding.grade for finding in self.findings), key=list(Grade).index, default=None)


def examine(*, is_thorough: bool = False) -> Iterator[Result]:
    """The results as they come. Raises nothing: what cannot be looked at is a finding."""
    for name in _OWN:
        import_module(f"cms_api.operation.doctor.{name}")
    autodiscover_modules("doctor_checks")
    has_database = _has_database()
    for each in known():
        if each.is_thorough and not is_thorough:
            continue
        if each.needs_database and not has_database:
            yield Result(each.subject, (), was_made=False)
        else:
            yield Result(each.subject, tuple(_made(each)))


def _made(each: Examination) -> list[Finding]:
    try:
        return list(each.look())
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator wants to know the rest as well
        # A driver's words may hold an address with its password.
        told = type(error).__name__ if isinstance(error, DatabaseError | InterfaceError) else f"{error!r:.200}"
        return [wrong(f"This could not be looked at: {sentence_of(error) or told + '.'}")]


def _has_database() -> bool:
    try:
        connection.introspection.table_names()
    except (DatabaseError, InterfaceError):
        return False
    return True
