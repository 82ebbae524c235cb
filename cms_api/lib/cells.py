"""Texts of cells: what a spreadsheet would take for a formula is written so that it takes it for a text, and back."""

import re
from datetime import date, datetime, time
from typing import Any

# A spreadsheet takes a cell that begins so for a formula, and so does one that drops blanks before it.
_SIGNS = "=+\\-@＝＋－＠"
# Any of Unicode's, control characters among them, and those that are not shown; tabs and ends of lines begin a cell.
BLANKS = r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_AT_THE_START = re.compile(rf"^(?=[{BLANKS}']*[{_SIGNS}\t\r\n])")
_DEFUSED_AT_THE_START = re.compile(rf"^'(?=[{BLANKS}']*[{_SIGNS}\t\r\n])")
# Whatever separates the cells of the file, another spreadsheet may separate them by any of these: a cell begins after
# each, and an opening quote there belongs to the cell without being a part of it.
_SEPARATORS = ",;\t\r\n"
_INSIDE = re.compile(rf"(?<=[{_SEPARATORS}])(?=[{BLANKS}'\"]*[{_SIGNS}])")
_DEFUSED_INSIDE = re.compile(rf"(?<=[{_SEPARATORS}])'(?=[{BLANKS}'\"]*[{_SIGNS}])")
# What a cell of a spreadsheet holds at most; a longer text would be cut without a word.
MAX_LENGTH = 32_767
# Stands in a cell for a text that is longer.
TOO_LONG = "#TOO-LONG"
# Stands in a table of rows that were left out for a cell that a row has not had: a blank one would empty the member.
MISSING = "#MISSING"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet might take the text for a formula."""
    return bool(_AT_THE_START.match(text))


def defused(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet would begin a formula."""
    return _AT_THE_START.sub("'", _INSIDE.sub("'", text))


def restored(text: str) -> str:
    """The text as it was before `defused`."""
    return _DEFUSED_INSIDE.sub("", _DEFUSED_AT_THE_START.sub("", text))


def to_text(value: Any) -> str:
    """A value as the API writes it: `True`, `2026-11-20 09:30:00`, `7`."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
