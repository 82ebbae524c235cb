"""The checks of the doctor. Each app has its own in a module `doctor_checks`, loaded when the command runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


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
    """All that has been added."""
    return tuple(_known.values())


def wrong(told: str, remedy: str = "") -> Finding:
    """A finding that cannot wait."""
    return Finding(Grade.WRONG, told, remedy)


def risky(told: str, remedy: str = "") -> Finding:
    """A finding that may come to harm."""
    return Finding(Grade.RISKY, told, remedy)
