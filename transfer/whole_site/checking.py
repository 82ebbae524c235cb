from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import orjson

import channels_app.attributes
import sites.attributes
from core.archive import schema
from core.archive.commands import Progress
from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest, StoredSite
from core.archive.reading import Archive, read_through
from core.archive.tables import Row, Table
from core.lib.errors import InvalidInput
from core.rest.attributes import AttributeRegistry
from core.rest.custom_members import validate_values
from core.rest.json import Unreadable, load_object
from forms.rules import RULE_TYPES
from media_library.branches import MAX_DEPTH
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
    FORMER_RULE,
    GROUP,
    LAST_TAXIS,
    PICTURE,
    SITE,
    STORED,
    TABLES,
    TAG,
    TEMPLATE,
    Fields,
    Where,
    folder_of,
    is_file_of,
)

# The largest integer that JavaScript clients represent exactly.
MAX_NUMBER = 2**53 - 1
_UNIQUE_OF_CHANNELS = ("index_name", "file_path")
_COUNTERS = ("hits", "hits_by_day", "hits_by_week", "hits_by_month")
# Name of the rows in messages, and their name column.
_NAMED = {FIELD: ("custom field", "name"), GROUP: ("group", "group_name"), TAG: ("tag", "tag_name")}
_PATH_MARKS = frozenset("0123456789,")


@dataclass(slots=True)
class Checked:
    """Contents of an importable file: the site, and the ids that rows refer to."""

    manifest: Manifest
    site: Fields = field(default_factory=dict)
    templates: set[int] = field(default_factory=set)
    folders: set[int] = field(default_factory=set)
    forms: set[int] = field(default_factory=set)
    form_fields: dict[int, int] = field(default_factory=dict)  # id → its form's
    channels: dict[int, bool] = field(default_factory=dict)  # id → whether in the trash
    contents: "array[int]" = field(default_factory=lambda: array("q"))  # ascending; eight bytes each

    def has_content(self, number: int) -> bool:
        place = bisect_left(self.contents, number)
        return place < len(self.contents) and self.contents[place] == number


def check(file: BinaryIO, progress: Progress, *, with_media: bool = True) -> Checked:
    """Read the whole file. Raises ArchiveError naming the row or file and the problem."""
    archive = Archive(file, with_media=with_media)
    stored = archive.manifest.require_site()
    schema.require_same_tables(archive.manifest, STORED)
    checking = _Checking(archive.manifest, stored)
    read_through(file, archive, progress, checking.look_at_rows, checking.look_at_file)
    if not checking.checked.channels:
        raise ArchiveError("The file has no site, or one without a home channel.")
    return checking.checked


class _Checking:
    def __init__(self, manifest: Manifest, stored: StoredSite) -> None:
        self.checked = Checked(manifest)
        self._stored = stored
        self._taken: set[tuple[str, Any]] = set()
        self._last_body = 0
        self._depths: dict[int | None, int] = {}  # of folders
        self._looks = {
            SITE: self._look_at_site,
            **dict.fromkeys(_NAMED, self._look_at_name),
            DEFINITION: self._look_at_definition,
            TEMPLATE: self._look_at_template,
            CHANNEL: self._look_at_channel,
            LAST_TAXIS: self._look_at_last_taxis,
            CONTENT: self._look_at_content,
            BODY: self._look_at_body,
            PICTURE: self._look_at_picture,
            FORMER_ADDRESS: self._look_at_former_address,
            FORMER_RULE: self._look_at_former_rule,
            FOLDER: self._look_at_folder,
            FILE: self._look_at_media_file,
            FORM: self._look_at_form,
            FORM_FIELD: self._look_at_form_field,
            ENTRY: self._look_at_entry,
        }

    def look_at_file(self, name: str) -> None:
        if not is_file_of(self._stored.id, name):
            raise ArchiveError(f"{name[:200]!r} cannot be the name of a file of the site {self._stored.id}.")

    def look_at_rows(self, table: Table) -> Callable[[list[Row]], None]:
        """The check for rows of the table, in order. Raises PackageError."""
        each, count = TABLES[table.name], 0
        look = self._looks[each]

        def check(rows: list[Row]) -> None:
            nonlocal count
            for row in rows:
                count += 1
                where = Where(table, count)
                if each is not SITE and not self.checked.site:
                    raise where.refuse("The row of the site must come before it.")
                look(where, each.read(row, where))

        return check

    def _look_at_site(self, where: Where, site: Fields) -> None:
        if self.checked.site:
            raise where.refuse("The file has more than one site.")
        _check_number(where, site["id"])
        if site["id"] != self._stored.id:
            raise where.refuse(f"The manifest names site {self._stored.id}.", "id")
        _check_name(where, site, "site_name")
        site["settings"] = _read_settings(where, site["settings"], sites.attributes.REGISTRY)
        self.checked.site = site

    def _look_at_name(self, where: Where, row: Fields) -> None:
        each = TABLES[where.table.name]
        what, column = _NAMED[each]
        _check_name(where, row, column)
        self._take(where, what, row[column].casefold() if each is FIELD else row[column])

    def _look_at_definition(self, where: Where, row: Fields) -> None:
        _check_name(where, row, "name")
        self._take(where, f"definition of a field of the {row['owner']}", row["name"].casefold())
        if not _are_choices(row["choices"]):
            raise where.refuse("It must be a list of pairs of texts.", "choices")

    def _look_at_template(self, where: Where, row: Fields) -> None:
        _check_number(where, row["id"])
        _check_name(where, row, "name")
        self._take(where, "template", row["id"])
        self._take(where, row["kind"], row["name"])
        if row["is_default"]:
            self._take(where, "default", row["kind"])
        if row["version"] < 1:
            raise where.refuse("It must not be less than 1.", "version")
        self.checked.templates.add(row["id"])

    def _look_at_channel(self, where: Where, channel: Fields) -> None:
        number, is_trashed = channel["id"], channel["trashed_at"] is not None
        _check_number(where, number)
        self._take(where, "channel", number)
        _check_name(where, channel, "channel_name")
        self._check_place(where, number, channel["parent_id"], is_trashed=is_trashed)
        if not _PATH_MARKS.issuperset(channel["parents_path"]):
            raise where.refuse("It must be comma-separated numbers.", "parents_path")
        _read_settings(where, channel["settings"], channels_app.attributes.REGISTRY)
        for name in _UNIQUE_OF_CHANNELS if not is_trashed else ():
            if channel[name]:
                self._take(where, f"channel {name.replace('_', ' ')}", channel[name])
        self.checked.channels[number] = is_trashed

    def _check_place(self, where: Where, number: int, parent: int | None, *, is_trashed: bool) -> None:
        channels = self.checked.channels
        if (parent is None) != (number == self.checked.site["id"]):
            raise where.refuse(
                "The home channel must have the id of the site and no parent; every other channel must have a parent."
            )
        if parent is not None and parent not in channels:
            raise where.refuse(f"Channel {parent} must come before it.", "parent_id")
        if is_trashed if parent is None else channels[parent] and not is_trashed:
            raise where.refuse(
                "A channel in the trash cannot be the home channel or have channels below it that are not in the trash."
            )

    def _look_at_last_taxis(self, where: Where, row: Fields) -> None:
        self._require_channel(where, row["channel_id"])
        self._take(where, "last place of channel", row["channel_id"])

    def _look_at_content(self, where: Where, content: Fields) -> None:
        number, channel, contents = content["id"], content["channel_id"], self.checked.contents
        _check_number(where, number)
        if contents and number <= contents[-1]:
            raise where.refuse(
                f"Content {number} comes after content {contents[-1]}; contents must be in ascending order of ids.",
                "id",
            )
        self._require_channel(where, channel)
        if content["trashed_at"] is None and self.checked.channels[channel]:
            raise where.refuse(f"Its channel {channel} is in the trash, so it must be in the trash too.", "trashed_at")
        if not content["title"]:
            raise where.refuse("It must not be empty.", "title")
        if negative := [name for name in _COUNTERS if content[name] < 0]:
            raise where.refuse("It must not be negative.", negative[0])
        try:
            members = orjson.loads(content["settings_xml"])
        except ValueError:
            members = None
        if not isinstance(members, dict):
            raise where.refuse("It must be a JSON object as text.", "settings_xml")
        _check_values(where, members, "settings_xml")
        contents.append(number)

    def _look_at_body(self, where: Where, body: Fields) -> None:
        number = body["content_id"]
        if number <= self._last_body:
            raise where.refuse(
                "Bodies must be in ascending order of content ids, with at most one per content.", "content_id"
            )
        if not self.checked.has_content(number):
            raise where.refuse(f"The file has no content {number}.", "content_id")
        self._last_body = number

    def _look_at_picture(self, where: Where, picture: Fields) -> None:
        if not self.checked.has_content(picture["content_id"]):
            raise where.refuse(f"The file has no content {picture['content_id']}.", "content_id")

    def _look_at_former_address(self, where: Where, row: Fields) -> None:
        # The database refuses a path that is there twice; there may be hundreds of thousands.
        if (row["channel_id"] is None) == (row["content_id"] is None):
            raise where.refuse("It must have either a channel or a content.")
        if row["content_id"] is None:
            self._require_channel(where, row["channel_id"])
        elif not self.checked.has_content(row["content_id"]):
            raise where.refuse(f"The file has no content {row['content_id']}.", "content_id")

    def _look_at_former_rule(self, where: Where, row: Fields) -> None:
        self._take(where, "former rule", row["rule"])

    def _look_at_folder(self, where: Where, row: Fields) -> None:
        _check_number(where, row["id"])
        _check_name(where, row, "name")
        self._take(where, "folder", row["id"])
        self._take(where, "name of a folder", (row["parent_id"], row["name"].casefold()))
        self._require_folder(where, row["parent_id"], "parent_id")
        self._depths[row["id"]] = depth = self._depths.get(row["parent_id"], 0) + 1
        if depth > MAX_DEPTH:
            raise where.refuse(f"Folders can be nested to a depth of {MAX_DEPTH}.", "parent_id")
        self.checked.folders.add(row["id"])

    def _look_at_media_file(self, where: Where, row: Fields) -> None:
        if not is_file_of(self._stored.id, f"{folder_of(self._stored.id)}/{row['path']}"):
            raise where.refuse("It cannot be the path of a file of a site.", "path")
        # The database refuses a path that is there twice; there may be hundreds of thousands.
        self._require_folder(where, row["folder_id"], "folder_id")

    def _look_at_form(self, where: Where, form: Fields) -> None:
        _check_number(where, form["id"])
        _check_name(where, form, "name")
        self._take(where, "form", form["id"])
        self._take(where, "name of a form", form["name"].casefold())
        if form["origin_id"] is not None:
            self._take(where, f"form of {form['origin']!r}", form["origin_id"])
        self.checked.forms.add(form["id"])

    def _look_at_form_field(self, where: Where, row: Fields) -> None:
        _check_number(where, row["id"])
        _check_name(where, row, "key")
        self._require_form(where, row["form_id"])
        self._take(where, "field", row["id"])
        self._take(where, f"field of form {row['form_id']}", row["key"].casefold())
        rules, choices = _read_json(row["rules"]), _read_json(row["choices"])
        if not isinstance(rules, list) or not all(map(_is_rule, rules)):
            raise where.refuse("It must be a list of rules of texts.", "rules")
        if not _are_texts(choices):
            raise where.refuse("It must be a list of texts.", "choices")
        self.checked.form_fields[row["id"]] = row["form_id"]

    def _look_at_entry(self, where: Where, row: Fields) -> None:
        self._require_form(where, row["form_id"])
        values = _read_json(row["values"])
        if not isinstance(values, dict) or not all(_is_text(each) or _are_texts(each) for each in values.values()):
            raise where.refuse("It must be an object of texts, and of lists of texts.", "values")

    def _require_form(self, where: Where, number: int) -> None:
        if number not in self.checked.forms:
            raise where.refuse(f"The file has no form {number}.", "form_id")

    def _require_folder(self, where: Where, number: int | None, column: str) -> None:
        if number is not None and number not in self.checked.folders:
            raise where.refuse(f"Folder {number} must come before it.", column)

    def _require_channel(self, where: Where, number: int) -> None:
        if number not in self.checked.channels:
            raise where.refuse(f"The file has no channel {number}.", "channel_id")

    def _take(self, where: Where, what: str, name: Any) -> None:
        if (what, name) in self._taken:
            raise where.refuse(f"The {what} {name!r} is in the file twice.")
        self._taken.add((what, name))


def _check_number(where: Where, number: int) -> None:
    if not 0 < number <= MAX_NUMBER:
        raise where.refuse(f"It must be from 1 to {MAX_NUMBER}.", "id")


def _check_name(where: Where, row: Fields, column: str) -> None:
    # Invisible names can be in a table, from before they were refused.
    if not row[column]:
        raise where.refuse("It must not be empty.", column)


def _are_choices(text: str) -> bool:
    found = _read_json(text)
    return isinstance(found, list) and all(_are_texts(each) and len(each) == 2 for each in found)


def _read_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _is_rule(rule: Any) -> bool:
    return isinstance(rule, dict) and all(map(_is_text, rule.values())) and rule.get("type") in RULE_TYPES


def _are_texts(found: Any) -> bool:
    return isinstance(found, list) and all(map(_is_text, found))


def _is_text(found: Any) -> bool:
    return isinstance(found, str) and "\0" not in found


def _read_settings(where: Where, text: str, registry: AttributeRegistry) -> dict[str, Any]:
    try:
        settings = load_object(text.encode())
    except Unreadable as error:
        raise where.refuse(f"They cannot be stored: {error}", "settings") from error
    if problems := registry.problems(settings):
        raise where.refuse(problems[0], "settings")
    _check_values(where, registry.custom(settings), "settings")
    return settings


def _check_values(where: Where, members: dict[str, Any], column: str) -> None:
    try:
        # Earlier releases stored numbers beyond 64 bits, and both engines read them.
        validate_values(members, {}, where.table.label.rpartition(".")[2], are_numbers_limited=False)
    except InvalidInput as refusal:
        raise where.refuse(refusal.message, column) from refusal
