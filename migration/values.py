"""Readers of column values: any engine and version, with NULL as the empty value of the kind."""

from datetime import datetime, tzinfo
from typing import Any

from cms_api.lib.settings_text import UNSTORABLE, parse_settings_text
from migration.sources.source import Value
from transfer.values import FIRST_YEAR, parse_date

# Further escapes in pairs written by 6.0; the misspelling is the original's.
_ESCAPES_OF_60 = {
    "_sqlquote_": "'",
    "_sqldoulbeline_": "--",
    "_sqlleftparenthesis_": r"\(",
    "_sqlrightparenthesis_": r"\)",
}


def flag(value: Value) -> bool:
    """Return true for true values, and for the texts of version 6."""
    if isinstance(value, str):
        return value.strip().casefold() in {"true", "1"}
    return bool(value)


def text(value: Value) -> str:
    """Return the text without what no database here stores: NUL characters and halves of surrogate pairs."""
    if value is None:
        return ""
    return UNSTORABLE.sub("", value if isinstance(value, str) else str(value))


def number(value: Value) -> int:
    """Return the whole number, or 0 for anything else."""
    if isinstance(value, datetime):
        return 0
    try:
        return int(value or 0)
    except (ValueError, OverflowError):
        return 0


def moment(value: Value, time_zone: tzinfo) -> datetime | None:
    """Return the wall-clock time in the time zone; None for "never" and for texts that are no date."""
    try:
        if not isinstance(value, datetime):
            return parse_date(text(value), time_zone)
        local = value.astimezone(time_zone) if value.tzinfo else value
    except (ValueError, OverflowError):
        return None
    return local.replace(tzinfo=None, microsecond=0) if local.year >= FIRST_YEAR else None


def settings(value: Value) -> dict[str, Any]:
    """Return the entries of a JSON object or of `a=1&b=2`, with texts as values. Raises ValueError for broken JSON."""
    written = text(value).strip()
    if not written.startswith("{"):
        for escape, character in _ESCAPES_OF_60.items():
            written = written.replace(escape, character)
    return parse_settings_text(written)


def names(value: Value) -> list[str]:
    """Return the parts between commas, each once."""
    return list(dict.fromkeys(filter(None, map(str.strip, text(value).split(",")))))


def id_list(value: Value) -> list[int]:
    """Return the positive numbers between commas, each once."""
    return [int(part) for part in names(value) if part.isdecimal() and int(part)]
