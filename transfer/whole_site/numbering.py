"""Which numbers the rows of a file get here: their own where none of them was ever given out, else others.

Others are all moved by one distance, so that nothing has to remember which became which, and their order stays.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from channels_app.models import Channel
from cms_api.operation.backup import engine, tables
from cms_api.operation.backup.engine import hold_tables
from contents.models import Content
from transfer.package import PackageError
from transfer.references import CHANNEL_LISTS
from transfer.references import SITE as SITE_MEMBER
from transfer.whole_site.checking import MOST_NUMBER, Checked
from transfer.whole_site.members import LAST_TAXIS

_NUMBER = re.compile("[0-9]{1,18}")
_MODELS = (Channel, Content)
_NUMBERS_OF_CHANNELS = ("id", "parent_id", "trashed_with_id", "trashed_before_id")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Distances:
    """By how much numbers are raised; a site has the number of its home channel."""

    channels: int = 0
    contents: int = 0

    @property
    def are_kept(self) -> bool:
        return not (self.channels or self.contents)


def find_distances(checked: Checked) -> Distances:
    """By how much the numbers have to be raised now. Raises PackageError where they would become too large."""
    found = []
    for model, used in zip(_MODELS, _used(checked), strict=True):
        last = _last_number(model)
        distance = last + 1 - min(used) if used and min(used) <= last else 0
        if used and max(used) + distance > MOST_NUMBER:
            raise PackageError(f"Its numbers cannot be raised by {distance}: they would be larger than {MOST_NUMBER}.")
        found.append(distance)
    return Distances(*found)


@transaction.atomic
def reserve(checked: Checked) -> Distances:
    """Raise the numbers if they have to be, and let nobody else be given the raised ones from now on.

    Numbers that can be kept are not reserved: after an import that is killed the next one shall keep them, too.
    Raises PackageError, and BackupFault when others write all the time.
    """
    _hold_numbers()
    distances = find_distances(checked)
    if not distances.are_kept:
        go_on_after(checked, distances)
    return distances


def settle(checked: Checked, reserved: Distances) -> Distances:
    """By how much the numbers are raised in this transaction, until whose end nobody else is given them.

    Those that were to be kept may have been given out since. Raises as `reserve` does.
    """
    if not reserved.are_kept:
        return reserved
    _hold_numbers()
    return find_distances(checked)


def _hold_numbers() -> None:
    """Let nobody else be given a number until the transaction ends; on PostgreSQL, nor write channels or contents."""
    # Who asks for a number holds the table already: nobody has one and is yet to use it.
    hold_tables(connection, [model._meta.db_table for model in _MODELS])


def go_on_after(checked: Checked, distances: Distances) -> None:
    """Let the numbers that are given out next come after those of the file."""
    for model, used, distance in zip(_MODELS, _used(checked), (distances.channels, distances.contents), strict=True):
        if used:
            engine.go_on_after(connection, _table(model), max(_last_number(model), max(used) + distance))


def _used(checked: Checked) -> tuple[Any, Any]:
    return checked.channels.keys(), checked.contents


def _last_number(model: Any) -> int:
    highest = model.objects.aggregate(highest=Max("pk"))["highest"] or 0
    return max(highest, engine.last_number(connection, _table(model)))


def _table(model: Any) -> tables.Table:
    return next(table for table in tables.stored_tables() if table.name == model._meta.db_table)


class Numbering:
    """The rows of a file with the numbers that they get. What is no number of the file stays as it is."""

    def __init__(self, checked: Checked, distances: Distances) -> None:
        self._checked, self._distances = checked, distances
        self._old_site = checked.site["id"]
        self.site_id: int = self._old_site + distances.channels
        self.outside = 0  # contents that refer to something that is not in the file

    def site(self, row: Row) -> Row:
        """The site; a table name that follows from its number follows from the new one."""
        is_own = row["table_name"] == _table_name(self._old_site)
        return row | {"id": self.site_id, "table_name": _table_name(self.site_id) if is_own else row["table_name"]}

    def channel(self, row: Row) -> tuple[Row, int | None]:
        """A channel, and the last taxis that was given out in it."""
        fields = {name: value for name, value in row.items() if name != LAST_TAXIS}
        fields |= {name: self._channel(row[name]) for name in _NUMBERS_OF_CHANNELS}
        fields |= {"parents_path": self._in_text(row["parents_path"]), "settings": self._settings(row["settings"])}
        return fields, row[LAST_TAXIS]

    def content(self, row: Row) -> Row:
        """A content, with its body under its lookup."""
        source, reference = row["source_id"], row["reference_id"]
        is_inside = self._checked.has_content(reference)
        # A reference came from a channel, a copy from a content.
        new_source = self._channel(source) if reference > 0 else self._content(source)
        has_source = source in self._checked.channels if reference > 0 else self._checked.has_content(source)
        self.outside += (reference > 0 and not is_inside) or (source > 0 and not has_source)
        return row | {
            "id": row["id"] + self._distances.contents,
            "channel_id": self._channel(row["channel_id"]),
            "trashed_with_id": self._channel(row["trashed_with_id"]),
            "source_id": new_source,
            "reference_id": self._content(reference),
        }

    def _content(self, number: int) -> int:
        return number + self._distances.contents if self._checked.has_content(number) else number

    def _channel(self, number: int | None) -> int | None:
        return number + self._distances.channels if number in self._checked.channels else number

    def _in_text(self, text: str) -> str:
        return _NUMBER.sub(lambda found: self._in_place(found[0]), text)

    def _in_place(self, digits: str) -> str:
        number = int(digits)
        return str(self._channel(number)) if number in self._checked.channels else digits

    def _settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {name: self._in_text(settings[name]) for name in CHANNEL_LISTS if name in settings}
        if settings.get(SITE_MEMBER) == self._old_site:
            found[SITE_MEMBER] = self.site_id
        return {**settings, **found}


def _table_name(site_id: int) -> str:
    return f"siteserver_Content_{site_id}"
