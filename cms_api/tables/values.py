"""Texts of cells as values of members, read by the fields of the API; what is wrong is told in the page's language."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from cms_api.lib.cells import MAX_LENGTH, MISSING, TOO_LONG, restored
from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import AddressField

_YES, _NO = {"true", "yes", "1", "是", "√", "y"}, {"false", "no", "0", "否", "×", "n"}
# As spreadsheets write dates of their own: 2026/1/5 9:30.
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


@dataclass(frozen=True)
class MemberReader:
    """Reads a cell as the member of the API is read; None where an empty cell means that nothing is said.

    `explain` tells what is wrong with a text that the field refuses by a rule of its own.
    """

    field: "serializers.Field[Any, Any, Any, Any]"
    wire: str
    explain: Callable[[str], str] = lambda text: _("This value is not possible here.")

    def __call__(self, cell: str) -> Any:
        """The value. Raises ValueError with a sentence."""
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
        if isinstance(self.field, serializers.DateTimeField) and (found := _DATE.fullmatch(text)):
            year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
            return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
        return text

    def _told(self, text: str) -> str:
        if isinstance(self.field, serializers.BooleanField):
            return _("Write True or False.")
        if isinstance(self.field, serializers.DateTimeField):
            return _("Write a date and time such as 2026-11-20 09:30:00.")
        if isinstance(self.field, serializers.IntegerField):
            return _("Write a whole number.")
        most = getattr(self.field, "max_length", None)
        if most is not None and len(text) > most:
            told = _("At most %(most)d characters; this has %(length)d.")
            return told % {"most": most, "length": len(text)}
        if isinstance(self.field, AddressField):
            return _("An address must not begin with javascript: or data:.")
        return self.explain(text)


def read_text(cell: str) -> str:
    """The text of a cell. Raises ValueError if a spreadsheet has left it out or, it seems, cut it off."""
    text = restored(cell)
    if text == TOO_LONG or len(text) == MAX_LENGTH:
        raise ValueError(_("A spreadsheet has cut this text. Leave the column out, or use CSV and a text editor."))
    if text == MISSING:
        raise ValueError(_("The file had no cell here. Write what belongs here, or empty the cell."))
    if "\0" in text:
        raise ValueError(_("The text holds a NUL character."))
    return text
