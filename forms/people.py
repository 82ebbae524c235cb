"""Everything that forms store about a person, found by an email address, a phone number or a name.

No index has values of entries: it would cost more at every entry than the few searches save. A search reads all entries
of the forms, in portions, and stops after some seconds at a place where the next one continues.
"""

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from core.lib.statement_limit import TooSlow, statement_limit
from forms.models import Entry, Field, Form

MIN, MIN_ASCII, MAX = 2, 4, 200  # characters of a search; Chinese names are short
MAX_FOUND = 500
SECONDS = 5.0  # of a search, then it stops
_PORTION = 20_000  # entries of a statement
_DIGITS = 6  # at least, of a phone number
_PHONE = re.compile(r"[\d\s()+./-]+", re.ASCII)
_BETWEEN = r"(?:\\u[0-9a-f]{4}|[^0-9A-Za-z]){0,3}"  # between two digits; SQLite has JSON with escaped characters


class Sought:
    """A text to find in values and replies."""

    def __init__(self, text: str) -> None:
        self.text = " ".join("".join(filter(str.isprintable, text.replace("\t", " "))).split())
        digits = re.sub(r"[^0-9]", "", self.text)
        is_phone = len(digits) >= _DIGITS and _PHONE.fullmatch(self.text)
        self.digits = digits.removeprefix("00") if is_phone else ""

    @property
    def least(self) -> int:
        return MIN_ASCII if self.text.isascii() else MIN

    @property
    def condition(self) -> Q:
        """Return the condition for entries with their values as the text `json`; it may hold for others, too.

        A pattern: on SQLite, its LIKE takes six times as long.
        """
        if self.digits:
            pattern = _BETWEEN.join(self.digits)
            return Q(json__regex=pattern) | Q(reply__gt="", reply__regex=pattern)
        in_json = "".join(map(_in_json, self.text))
        return Q(json__iregex=in_json) | Q(reply__gt="", reply__iregex=re.escape(self.text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self.digits:
            between = r"[^0-9A-Za-z]{0,3}"
            return re.compile(
                f"(?P<before>[0-9]{between})?(?:00{between})??{between.join(self.digits)}(?P<after>[0-9])?"
            )
        return re.compile(rf"(?P<before>[\w.+-])?{re.escape(self.text)}(?P<after>[\w@-])?", re.IGNORECASE)

    def match(self, text: str) -> bool | None:
        """Return None if the text does not have it, and true if it has it apart: `ann@…`, but not in `joann@…`."""
        found = list(self._pattern.finditer(text))
        return any(not match["before"] and not match["after"] for match in found) if found else None


def _in_json(character: str) -> str:
    """Return a pattern for the character in JSON, which may be escaped."""
    if character in '"\\/':
        return rf"\\?{re.escape(character)}"
    variants = {character, character.lower(), character.upper()}
    escaped = {json.dumps(variant)[1:-1] for variant in variants}
    return re.escape(character) if character.isascii() else f"(?:{'|'.join(map(re.escape, variants | escaped))})"


@dataclass
class Found:
    entry: Entry
    labels: list[str]  # of the fields that have the text; "" stands for the reply
    is_apart: bool


@dataclass
class Result:
    found: list[Found] = field(default_factory=list)
    position: int | None = None  # where the next search continues; None: all is read

    @property
    def is_full(self) -> bool:
        return len(self.found) >= MAX_FOUND


def find(forms: QuerySet[Form], sought: Sought, after: int = 0) -> Result:
    """Return entries of the forms with the text, spam included, beyond the entry `after`; takes SECONDS at most."""
    result, end = Result(position=after if forms.exists() else None), time.monotonic() + SECONDS
    portion = _PORTION
    while result.position is not None and not result.is_full and time.monotonic() < end:
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                _read_portion(forms, sought, result, portion)
        except TooSlow:
            portion //= 10
            if not portion:
                raise
    return result


def _read_portion(forms: QuerySet[Form], sought: Sought, result: Result, size: int) -> None:
    beyond = Entry.objects.filter(pk__gt=result.position).order_by("pk")
    last = beyond.values_list("pk", flat=True)[size - 1 : size].first()
    portion = beyond if last is None else beyond.filter(pk__lte=last)
    rows = portion.alias(json=Cast("values", TextField())).filter(sought.condition, form__in=forms)
    left = MAX_FOUND - len(result.found)
    entries = list(rows.select_related("form__site").defer("form__site__settings")[:left])
    result.found += _matching(entries, sought)
    result.position = entries[-1].pk if len(entries) == left else last


def _matching(entries: Sequence[Entry], sought: Sought) -> Iterator[Found]:
    fields = Field.objects.filter(form__in={entry.form_id for entry in entries})
    labels = {str(each.pk): str(each) for each in fields}
    for entry in entries:
        values = entry.values if isinstance(entry.values, dict) else {}
        texts = [(labels.get(number, f"#{number}"), text) for number, value in values.items() for text in _texts(value)]
        matches = [(label, sought.match(text)) for label, text in [*texts, ("", entry.reply)]]
        has = [(label, is_apart) for label, is_apart in matches if is_apart is not None]
        if has:
            yield Found(entry, list(dict.fromkeys(label for label, _ in has)), any(is_apart for _, is_apart in has))


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]
