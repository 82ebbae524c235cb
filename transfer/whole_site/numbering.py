"""Ids of imported rows: unchanged if unused here, else all raised by one distance, which needs no mapping."""

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import Max

from channels_app.record_links import CONTENT as CONTENT_LINK
from channels_app.record_links import renumbered
from core.archive import database
from core.archive.errors import ArchiveError
from transfer.whole_site.checking import MAX_NUMBER, Checked
from transfer.whole_site.tables import (
    BODY,
    CHANNEL,
    CONTENT,
    DEFINITION,
    ENTRY,
    FIELD,
    FILE,
    FOLDER,
    FORM,
    FORM_FIELD,
    FORMER_ADDRESS,
    LAST_TAXIS,
    PICTURE,
    TEMPLATE,
    Fields,
    SiteTable,
    folder_of,
)
from transfer.writers import CHANNEL_LISTS
from transfer.writers import SITE as SITE_MEMBER

_NUMBER = re.compile("[0-9]{1,18}")
_NUMBERED = (CHANNEL, CONTENT, TEMPLATE, FOLDER, FORM, FORM_FIELD)
_AT_A_TIME = 500  # ids in a statement
_NUMBERS_OF_CHANNELS = ("id", "parent_id", "trashed_with_id", "trashed_before_id")
_TEMPLATES_OF_CHANNELS = ("channel_template_id", "content_template_id")


@dataclass(frozen=True, slots=True)
class Distances:
    """How far ids are raised; the site has its home channel's id."""

    channels: int = 0
    contents: int = 0
    templates: int = 0
    folders: int = 0
    forms: int = 0
    form_fields: int = 0

    @property
    def are_kept(self) -> bool:
        return not any(astuple(self))


def find_distances(checked: Checked) -> Distances:
    """Compute the distances. Raises ArchiveError if ids would become too large."""
    found = []
    for each, used in zip(_NUMBERED, _used(checked), strict=True):
        last = _last_number(each)
        distance = last + 1 - min(used) if used and min(used) <= last else 0
        if used and max(used) + distance > MAX_NUMBER:
            raise ArchiveError(f"Its ids cannot be raised by {distance}: they would be larger than {MAX_NUMBER}.")
        found.append(distance)
    return Distances(*found)


@transaction.atomic
def reserve(checked: Checked) -> Distances:
    """Compute the distances and reserve raised ids. Raises ArchiveError, also if others write continuously.

    Kept ids are not reserved, so that the next attempt after a killed import can keep them too.
    """
    distances = find_held(checked)
    if not distances.are_kept:
        go_on_after(checked, distances)
    return distances


def find_held(checked: Checked) -> Distances:
    """Like `find_distances`, but with held ids."""
    hold_ids()
    return find_distances(checked)


def hold_ids() -> None:
    """Block new ids until the transaction ends, on PostgreSQL even all writes."""
    # Drawing an id locks the table first, so no drawn id is still unused.
    database.hold_tables(connection, [each.table.name for each in _NUMBERED])


def go_on_after(checked: Checked, distances: Distances) -> None:
    """Let ids continue after the ids of the file."""
    for each, used, distance in zip(_NUMBERED, _used(checked), astuple(distances), strict=True):
        if used:
            _go_on_after(each, max(used) + distance)


def take_free(each: SiteTable, numbers: Sequence[int], highest: int) -> bool:
    """Return whether rows can have exactly these ids, and let ids continue after them; needs held ids."""
    if not numbers:
        return True
    if len(set(numbers)) < len(numbers) or min(numbers) < 1 or max(numbers) > highest:
        return False
    rows = each.model._default_manager
    parts = (numbers[start : start + _AT_A_TIME] for start in range(0, len(numbers), _AT_A_TIME))
    if any(rows.filter(pk__in=part).exists() for part in parts):
        return False
    _go_on_after(each, max(numbers))
    return True


def _go_on_after(each: SiteTable, number: int) -> None:
    database.go_on_after(connection, each.table, max(_last_number(each), number))


def _used(checked: Checked) -> tuple[Any, ...]:
    return (
        *(checked.channels.keys(), checked.contents, checked.templates, checked.folders),
        *(checked.forms, checked.form_fields.keys()),
    )


def _last_number(each: SiteTable) -> int:
    highest = each.model._default_manager.aggregate(highest=Max("pk"))["highest"] or 0
    return max(highest, database.last_number(connection, each.table))


class Numbering:
    """Rows of a file with new ids; numbers that are no ids of the file stay unchanged."""

    def __init__(self, checked: Checked, distances: Distances) -> None:
        self._checked, self._distances = checked, distances
        self._old_site: int = checked.site["id"]
        self.site_id = self._old_site + distances.channels
        self.outside = 0  # contents that refer outside the file

    def file(self, name: str) -> str:
        return folder_of(self.site_id) + name.removeprefix(folder_of(self._old_site))

    def site(self) -> Fields:
        """The site; a table name derived from its id follows the new id."""
        site = self._checked.site
        is_own = site["table_name"] == _table_name(self._old_site)
        return site | {"id": self.site_id, "table_name": _table_name(self.site_id) if is_own else site["table_name"]}

    def row(self, each: SiteTable, fields: Fields) -> Fields:
        found = self._row(each, fields)
        if self._distances.are_kept:
            return found
        return {
            name: renumbered(value, self._linked) if isinstance(value, str) else value for name, value in found.items()
        }

    def _linked(self, kind: str, number: int) -> int | None:
        return self._content(number) if kind == CONTENT_LINK else self._channel(number)

    def _row(self, each: SiteTable, fields: Fields) -> Fields:
        if each is CHANNEL:
            return fields | self._numbers_of_channel(fields)
        if each is CONTENT:
            return fields | self._numbers_of_content(fields)
        if each is LAST_TAXIS:
            return fields | {"channel_id": self._channel(fields["channel_id"])}
        if each is TEMPLATE:
            return fields | {"id": fields["id"] + self._distances.templates, "site_id": self.site_id}
        if each is FORMER_ADDRESS:
            content = fields["content_id"] and self._content(fields["content_id"])
            return fields | {
                "channel_id": self._channel(fields["channel_id"]),
                "content_id": content,
                "site_id": self.site_id,
            }
        if each in (BODY, PICTURE):
            return fields | {"content_id": self._content(fields["content_id"])}
        if each is FILE:
            return fields | {"folder_id": self._folder(fields["folder_id"]), "site_id": self.site_id}
        if each is FORM_FIELD:
            number = fields["id"] + self._distances.form_fields
            return fields | {"id": number, "form_id": self._form(fields), "folded_key": fields["key"].casefold()}
        if each is ENTRY:
            return fields | {
                "form_id": self._form(fields),
                "values": self._values(fields),
                **self._subject(fields),
                "token": uuid4().hex,
                "digest": "",
            }
        if each is FOLDER:
            fields |= self._numbers_of_folder(fields)
        if each is FORM:
            fields |= {"id": fields["id"] + self._distances.forms, "channel_id": self._branch(fields["channel_id"])}
        folded = {"folded_name": fields["name"].casefold()} if each in (FIELD, DEFINITION, FOLDER, FORM) else {}
        return fields | folded | {"site_id": self.site_id}

    def _numbers_of_channel(self, fields: Fields) -> Fields:
        settings = json.loads(fields["settings"])
        settings |= {name: self._in_text(settings[name]) for name in CHANNEL_LISTS if name in settings}
        if settings.get(SITE_MEMBER) == self._old_site:
            settings[SITE_MEMBER] = self.site_id
        return {
            **{name: self._channel(fields[name]) for name in _NUMBERS_OF_CHANNELS},
            **{name: self._template(fields[name]) for name in _TEMPLATES_OF_CHANNELS},
            "parents_path": self._in_text(fields["parents_path"]),
            "settings": json.dumps(settings),
            "site_id": self.site_id,
        }

    def _numbers_of_folder(self, fields: Fields) -> Fields:
        return {
            "id": self._folder(fields["id"]),
            "parent_id": self._folder(fields["parent_id"]),
            "channel_id": self._branch(fields["channel_id"]),
        }

    def _branch(self, channel: int | None) -> int | None:
        """Return the channel; instead of one that the file lacks, the home channel, so that no branch gains records."""
        return self._channel(channel if channel is None or channel in self._checked.channels else self._old_site)

    def _numbers_of_content(self, fields: Fields) -> Fields:
        source, reference = fields["source_id"], fields["reference_id"]
        is_inside = self._checked.has_content(reference)
        # The source of a reference is a channel, of a copy a content.
        new_source = self._channel(source) if reference > 0 else self._content(source)
        has_source = source in self._checked.channels if reference > 0 else self._checked.has_content(source)
        self.outside += (reference > 0 and not is_inside) or (source > 0 and not has_source)
        return {
            "id": fields["id"] + self._distances.contents,
            "channel_id": self._channel(fields["channel_id"]),
            "trashed_with_id": self._channel(fields["trashed_with_id"]),
            "source_id": new_source,
            "reference_id": self._content(reference),
            "site_id": self.site_id,
        }

    def _form(self, fields: Fields) -> int:
        return int(fields["form_id"]) + self._distances.forms

    def _values(self, entry: Fields) -> str:
        """Values of an entry by new ids of fields, without those of fields that its form has no more."""
        kept = {}
        for key, value in json.loads(entry["values"]).items():
            number = int(key) if _NUMBER.fullmatch(key) else 0
            if self._checked.form_fields.get(number) == entry["form_id"]:
                kept[str(number + self._distances.form_fields)] = value
        return json.dumps(kept, ensure_ascii=False)

    def _subject(self, entry: Fields) -> Fields:
        """What the page of an entry was about; nothing if the file lacks it, since the number may be another's here."""
        channel, content = entry["channel_id"], entry["content_id"]
        return {
            "channel_id": self._channel(channel) if channel in self._checked.channels else None,
            "content_id": self._content(content) if content and self._checked.has_content(content) else None,
        }

    def _content(self, number: int) -> int:
        return number + self._distances.contents if self._checked.has_content(number) else number

    def _channel(self, number: int | None) -> int | None:
        return number + self._distances.channels if number in self._checked.channels else number

    def _template(self, number: int) -> int:
        return number + self._distances.templates if number in self._checked.templates else number

    def _folder(self, number: int | None) -> int | None:
        return None if number is None else number + self._distances.folders

    def _in_text(self, text: str) -> str:
        def replace(found: re.Match[str]) -> str:
            number = int(found[0])
            return str(self._channel(number)) if number in self._checked.channels else found[0]

        return _NUMBER.sub(replace, text)


def _table_name(site_id: int) -> str:
    return f"siteserver_Content_{site_id}"
