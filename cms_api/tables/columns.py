"""Columns of tables: by what words a heading names a member, in any of the languages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Column:
    """A member of a record. `name` is that of Python, `wire` that of the API; custom members have one name."""

    name: str
    wire: str
    label: str | Promise
    is_read_only: bool = False  # written to tables and never read from them

    @property
    def words(self) -> set[str]:
        """Whatever may stand above it, folded."""
        found = {self.name, self.wire, str(self.label)}
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                found.add(str(self.label))
        return {fold(word) for word in found}


# Stands last in a table of rows that were left out.
REASONS = Column("left_out_because", "leftOutBecause", _("left out because"), is_read_only=True)


def readable(columns: Iterable[Column]) -> list[Column]:
    """Those of them that are read from tables."""
    return [column for column in columns if not column.is_read_only]


def fold(heading: str) -> str:
    """A heading without what people vary: letter case, blanks, underscores."""
    return "".join(heading.split()).replace("_", "").casefold()


def match(headings: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The name of the column below each heading, "" where none is meant; each column once, the first one counts."""
    by_word: dict[str, str] = {}
    # Earlier columns win where two are called the same; names of the API win over words.
    for column in columns:
        by_word.setdefault(fold(column.wire), column.name)
    for column in columns:
        for word in column.words:
            by_word.setdefault(word, column.name)
    found: list[str] = []
    for heading in headings:
        name = by_word.get(fold(heading), "")
        found.append("" if name in found else name)
    return found


@dataclass(frozen=True)
class Unread:
    """Headings whose cells are passed over: of members that tables only tell, and of whatever else."""

    told: list[str]
    others: list[str]


def unread(headings: Sequence[str], matches: Sequence[str], columns: Sequence[Column]) -> Unread:
    """The headings below which nothing is read; `matches` are the columns that are."""
    only_told = {column.name for column in columns if column.is_read_only}
    found = Unread([], [])
    meant = match(headings, [*columns, REASONS])
    for heading, name, meaning in zip(headings, matches, meant, strict=True):
        if heading.strip() and not name and meaning != REASONS.name:
            (found.told if meaning in only_told else found.others).append(heading)
    return found
