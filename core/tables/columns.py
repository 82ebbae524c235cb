from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from core.lib.cells import MAX_LENGTH, MERGED, MISSING, NO_RESULT, TOO_LONG
from core.lib.dates import WITHOUT_MONTH_FIRST, parse_date
from core.lib.errors import InvalidInput
from core.rest.fields import AddressField

_YES, _NO = {"true", "yes", "1", "是", "√", "y"}, {"false", "no", "0", "否", "×", "n"}


@dataclass(frozen=True)
class Column:
    """A member of a record: `name` in Python, `wire` in the API; the same for custom members."""

    name: str
    wire: str
    label: str | Promise
    is_read_only: bool = False  # exported but never imported
    former: Sequence[str | Promise] = ()  # labels in earlier versions

    @property
    def words(self) -> set[str]:
        return {fold(self.name), fold(self.wire), *in_all_languages(self.label)}


def in_all_languages(label: str | Promise) -> set[str]:
    found: set[str] = set()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.add(fold(str(label)))
    return found


# The last column in a table of rows left out.
REASONS = Column("left_out_because", "leftOutBecause", _("left out because"), is_read_only=True)


def readable(columns: Iterable[Column]) -> list[Column]:
    return [column for column in columns if not column.is_read_only]


def fold(heading: str) -> str:
    return "".join(heading.split()).replace("_", "").casefold()


def match(headings: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Return the column name for each heading, "" for none; a repeated column counts at its first heading only."""
    by_word: dict[str, str] = {}
    # The first of equally named columns wins; API names win over labels.
    for column in columns:
        by_word.setdefault(fold(column.wire), column.name)
    for column in columns:
        for word in column.words:
            by_word.setdefault(word, column.name)
    for column in columns:
        for word in chain.from_iterable(map(in_all_languages, column.former)):
            by_word.setdefault(word, column.name)
    by_word.pop("", None)
    found: list[str] = []
    for heading in headings:
        name = by_word.get(fold(heading), "")
        found.append("" if name in found else name)
    return found


def unread(headings: Sequence[str], matches: Sequence[str], columns: Sequence[Column]) -> dict[str, list[str]]:
    """Return the unread headings: `told` for read-only columns, and `others`; `matches` are the read ones."""
    only_told = {column.name for column in columns if column.is_read_only}
    found: dict[str, list[str]] = {"told": [], "others": []}
    meant = match(headings, [*columns, REASONS])
    for heading, name, meaning in zip(headings, matches, meant, strict=True):
        if heading.strip() and not name and meaning != REASONS.name:
            found["told" if meaning in only_told else "others"].append(heading)
    return found


@dataclass(frozen=True)
class MemberReader:
    """Reads a cell like the API member; None leaves it unchanged. `explain` returns the error for other texts."""

    field: "serializers.Field[Any, Any, Any, Any]"
    wire: str
    explain: Callable[[str], str] = lambda text: _now("This value is not allowed here.")

    def __call__(self, cell: str) -> Any:
        """Raises `ValueError` with a sentence."""
        text = read_text(cell)
        if not isinstance(self.field, serializers.CharField):
            text = text.strip()
            if not text:
                return None
        try:
            return self.field.read(self._prepared(text), self.wire)  # type: ignore[attr-defined]
        except InvalidInput as error:
            raise ValueError(self._told(text)) from error

    def _prepared(self, text: str) -> Any:
        if isinstance(self.field, serializers.BooleanField):
            return {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}.get(text.casefold(), text)
        if isinstance(self.field, serializers.DateTimeField):
            with suppress(ValueError):
                found = parse_date(text, ZoneInfo(settings.TIME_ZONE), WITHOUT_MONTH_FIRST)
                return found.isoformat(" ") if found else text
        return text

    def _told(self, text: str) -> str:
        if isinstance(self.field, serializers.BooleanField):
            return _now("Write True or False.")
        if isinstance(self.field, serializers.DateTimeField):
            return _now("Write a date and time such as 2026-11-20 09:30:00.")
        if isinstance(self.field, serializers.IntegerField):
            return _now("Enter a whole number.")
        most = getattr(self.field, "max_length", None)
        if most is not None and len(text) > most:
            told = _now("At most %(most)d characters; this has %(length)d.")
            return told % {"most": most, "length": len(text)}
        if isinstance(self.field, AddressField):
            return _now("An address must not begin with javascript: or data:.")
        return self.explain(text)


def read_text(text: str) -> str:
    """Return the text of a cell. Raises `ValueError` if a spreadsheet has left it out or apparently cut it off."""
    if text == TOO_LONG or len(text) == MAX_LENGTH:
        raise ValueError(
            _now("A spreadsheet program has truncated this text. Leave the column out, or use CSV and a text editor.")
        )
    if text == MISSING:
        raise ValueError(_now("The file had no cell here. Enter a value, or clear the cell."))
    if text == NO_RESULT:
        raise ValueError(_now("The formula has no stored result. Open the file in a spreadsheet program and save it."))
    if text == MERGED:
        raise ValueError(_now("The cell is part of a merged range. Split the range, and fill in each cell."))
    if "\0" in text:
        raise ValueError(_now("The text contains a NUL character."))
    return text
