"""Settings from environment variables; what cannot be read ends the start with a sentence that names the variable."""

import math
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

HINT = "Correct the environment variable of that name and start anew."
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
# Ids stand in stored passwords, between $ characters and in a column of 255.
_PEPPER_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Environment:
    """Reads declared variables: `Environment({name: (type, default)})(name)`; types are str, bool, int, float, list.

    A blank value counts as none, but of a list as an empty one: `CMS_SQL_TABLES=` opens no table. Lists are
    comma-separated, without the blanks around entries and without blank ones.
    """

    def __init__(self, declared: Mapping[str, tuple[type, Any]], given: Mapping[str, str] = os.environ) -> None:
        self._declared, self._given = declared, given

    def __call__(self, name: str) -> Any:
        """The value, or the default. Raises ImproperlyConfigured, which shows flags and numbers and no other value."""
        kind, default = self._declared[name]
        text = self._given.get(name)
        if text is None or (kind is not list and not text.strip()):
            return default
        read, expected = _READERS[kind]
        try:
            return read(text)
        except (ValueError, KeyError):
            raise ImproperlyConfigured(f"{name} must be {expected}, and is {text!r}.") from None


def read_peppers(text: str) -> dict[str, str]:
    """The secrets by their ids, the newest first, of the value of CMS_PASSWORD_PEPPERS: `id:secret,id:secret`.

    Raises ImproperlyConfigured, without a part of the value: what stands in the wrong place may be a secret.
    """
    peppers: dict[str, str] = {}
    for entry in read_list(text):
        pepper_id, colon, secret = (part.strip() for part in entry.partition(":"))
        if not colon or not secret:
            raise _wrong_peppers("must be id:secret, comma-separated, and has an entry without a colon or a secret")
        if not _PEPPER_ID.fullmatch(pepper_id):
            raise _wrong_peppers("has an id that is not of 1 to 64 letters A to Z, digits, _ and -")
        if pepper_id in peppers:
            raise _wrong_peppers("has an id twice")
        peppers[pepper_id] = secret
    if not peppers:
        raise _wrong_peppers("must have at least one id:secret")
    return peppers


def read_list(text: str) -> list[str]:
    """The entries between commas that are not blank."""
    return [entry for entry in map(str.strip, text.split(",")) if entry]


def _read_finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def _wrong_peppers(problem: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"CMS_PASSWORD_PEPPERS {problem}.")


# What reads a type, and how it is described; texts and lists are always read.
_READERS: dict[type, tuple[Callable[[str], Any], str]] = {
    str: (str, "a text"),
    list: (read_list, "a list"),
    bool: (lambda text: _WORDS[text.strip().lower()], "true or false (or yes, no, on, off, 1, 0)"),
    int: (int, "a whole number"),
    float: (_read_finite, "a number"),
}
