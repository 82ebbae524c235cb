"""Members of accounts in the rows of either version."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import models
from django.utils.crypto import salted_hmac

from migration import records, values
from migration.context import Context
from migration.sources.source import Row, Value
from migration.values import NO_DATE, text

_OF_PASSWORD = ("password", "passwordformat", "passwordsalt")


def either(row: Row, *names: str) -> Value:
    """Return the first of the columns that the row has; version 7 renamed some."""
    return next((row[name] for name in names if name in row), None)


def digests_of(row: Row) -> tuple[str, str]:
    """Return a digest of the row without its password, and one of the password, keyed since it may be stored clear."""
    secret = "\0".join(text(row.get(name)) for name in _OF_PASSWORD)
    keyed = salted_hmac("migration.passwords", secret, algorithm="sha256").hexdigest()
    return records.digest_of({name: row[name] for name in row if name not in _OF_PASSWORD}), keyed[:32]


def clear_name(row: Row) -> str:
    """Return the user name as sign-ins look for it: without control characters, and blanks around it."""
    letters = (letter for letter in text(row.get("username")) if unicodedata.category(letter) != "Cc")
    return "".join(letters).strip()


def read_texts(names: Iterable[str], row: Row, settings: dict[str, Any]) -> dict[str, str]:
    """Return texts of the columns, or of settings of their names, by the names of our columns."""
    found = {}
    for name in names:
        column = name.replace("_", "")
        found[name] = text(row.get(column)) or text(settings.get(column))
    return found


def read_settings(row: Row, context: Context, place: str) -> dict[str, Any]:
    """Return the further settings of an account by casefolded name."""
    written = either(row, "settingsxml", "extendvalues")
    found = values.settings(written, lambda told, detail: context.report.find(told, place, detail))
    return {name.casefold(): value for name, value in found.items()}


def date_of_creation(row: Row, context: Context, place: str, *columns: str) -> datetime:
    """Return the date in the first of the columns that the row has, or the date for records without one."""
    found = values.moment(either(row, *columns), context.options.time_zone)
    if found is None:
        context.report.find(f"An account had no date of creation; it got {NO_DATE:%Y-%m-%d}.", place)
    return found or NO_DATE


def cut(model: type[models.Model], columns: dict[str, Any], context: Context, place: str) -> dict[str, Any]:
    """Return the values with texts of at most the length of their columns."""
    fitting = dict(columns)
    for name, value in columns.items():
        most = getattr(model._meta.get_field(name), "max_length", None)
        if isinstance(value, str) and most and len(value) > most:
            fitting[name] = value[:most]
            context.report.find("A member of an account was too long and has been cut.", place, name)
    return fitting
