"""Readers of column values: any engine and version, with NULL as the empty value of the kind."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any

from core.lib.dates import FIRST_YEAR, parse_date
from core.lib.settings_text import UNSTORABLE, parts_of, read_entries
from migration.sources.source import Value

# Further escapes in pairs written by 6.0; the misspelling is the original's.
_ESCAPES_OF_60 = {
    "_sqlquote_": "'",
    "_sqldoulbeline_": "--",
    "_sqlleftparenthesis_": r"\(",
    "_sqlrightparenthesis_": r"\)",
}
# Of records without a date, where the interface has no null: behind all others in lists by date, and the same in every
# run, so that addresses with a year stay.
NO_DATE = datetime(1970, 1, 1)

_STARTS = ("{", "[", "<", '"')  # of JSON and XML


def flag(value: Value) -> bool:
    """Return true for true values, and for the texts of version 6."""
    if isinstance(value, str):
        return value.strip().casefold() in {"true", "1"}
    return bool(value)


def text(value: Value) -> str:
    """Return the text without characters that no database here stores: NUL characters and halves of surrogate pairs."""
    if value is None:
        return ""
    return UNSTORABLE.sub("", value if isinstance(value, str) else str(value))


def number(value: Value) -> int:
    """Return the whole number of at most 64 bits, or 0 for anything else."""
    if isinstance(value, datetime):
        return 0
    try:
        found = int(value or 0)
    except (ValueError, OverflowError):
        return 0
    return found if -(2**63) <= found < 2**63 else 0


def moment(value: Value, time_zone: tzinfo) -> datetime | None:
    """Return the wall-clock time in the time zone; None for "never" and for texts that are no date."""
    try:
        if not isinstance(value, datetime):
            return parse_date(text(value), time_zone)
        local = value.astimezone(time_zone) if value.tzinfo else value
    except (ValueError, OverflowError):
        return None
    return local.replace(tzinfo=None, microsecond=0) if local.year >= FIRST_YEAR else None


def settings(value: Value, tell: Callable[[str, str], object]) -> dict[str, Any]:
    """Return the entries of a JSON object or of `a=1&b=2`, with texts as values.

    `tell` gets a sentence about unreadable parts, and a detail.
    """
    written = text(value).strip()
    if not written.startswith("{"):
        for escape, character in _ESCAPES_OF_60.items():
            written = written.replace(escape, character)
    try:
        if written.startswith(_STARTS) and not (written[0] == "{" and written.endswith("}")):
            raise ValueError("The settings are neither a whole JSON object nor pairs.")
        found = read_entries(written)
    except ValueError as error:
        tell("Settings cannot be read and were left out.", str(error)[:200])
        return {}
    if (
        lost := []
        if written.startswith("{")
        else [part for part in parts_of(written) if part.strip() and "=" not in part]
    ):
        # The text may be a secret.
        tell("A part of settings is no name with a value; it was left out.", f"{sum(map(len, lost))} characters")
    storable = {UNSTORABLE.sub("", name): UNSTORABLE.sub("", entry) for name, entry in found.items()}
    if storable != found:
        tell("A text had characters that databases cannot store; they were removed.", "settings")
    return storable


def names(value: Value) -> list[str]:
    """Return the parts between commas, each once."""
    return list(dict.fromkeys(filter(None, map(str.strip, text(value).split(",")))))


def id_list(value: Value) -> list[int]:
    """Return the positive numbers between commas, each once."""
    return [int(part) for part in names(value) if part.isdecimal() and int(part)]
