"""Columns of tables: by what words a heading names a member, in any of the languages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise


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
