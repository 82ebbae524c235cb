import re
from datetime import date, datetime, time
from typing import Any

# A cell that begins so is a formula, even after blanks that the spreadsheet drops.
_SIGNS = "=+\\-@＝＋－＠"
# All Unicode blanks, control and invisible characters; tabs and line ends begin a cell.
BLANKS = r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_AT_THE_START = re.compile(rf"^(?=[{BLANKS}']*[{_SIGNS}\t\r\n])")
_DEFUSED_AT_THE_START = re.compile(rf"^'(?=[{BLANKS}']*[{_SIGNS}\t\r\n])")
# Another spreadsheet may separate cells by any of these, and drops an opening quote at the start of a cell.
_SEPARATORS = ",;\t\r\n"
_INSIDE = re.compile(rf"(?<=[{_SEPARATORS}])(?=[{BLANKS}'\"]*[{_SIGNS}])")
_DEFUSED_INSIDE = re.compile(rf"(?<=[{_SEPARATORS}])'(?=[{BLANKS}'\"]*[{_SIGNS}])")
# Maximum length of a spreadsheet cell; a longer text would be cut silently.
MAX_LENGTH = 32_767
TOO_LONG = "#TOO-LONG"
# In a table of skipped rows, marks a cell that the row lacked: a blank cell would empty the member.
MISSING = "#MISSING"
# Cells of a workbook that are blank for its reader but not for people: a formula that no program has calculated, and
# all cells of a merged range but the first.
NO_RESULT, MERGED = "#NO-RESULT", "#MERGED"


def is_formula(text: str) -> bool:
    return bool(_AT_THE_START.match(text))


def defused(text: str) -> str:
    """Put an apostrophe before each place where a formula might begin; then also at the start, to mark the cell."""
    is_changed = is_formula(text) or _INSIDE.search(text) or _looks_defused(text)
    return "'" + _INSIDE.sub("'", text) if is_changed else text


def restored(text: str) -> str:
    """Return the text of a cell of a CSV file; cells without the mark at the start were not written here."""
    return _DEFUSED_INSIDE.sub("", text[1:]) if _looks_defused(text) else text


def _looks_defused(text: str) -> bool:
    return text.startswith("'") and bool(_DEFUSED_AT_THE_START.match(text) or _DEFUSED_INSIDE.search(text))


def to_text(value: Any) -> str:
    """Return the value as the API writes it: `True`, `2026-11-20 09:30:00`, `7`."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
