"""Looks through a site's file from the first line to the last, before anything is written."""

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import orjson

import channels_app.attributes
import sites.attributes
from cms_api.lib.errors import InvalidInput
from cms_api.operation.backup.progress import Progress
from cms_api.rest.attributes import AttributeRegistry
from cms_api.rest.custom_members import refuse_values
from cms_api.rest.json import Unreadable, load_object
from transfer.package import PackageError
from transfer.whole_site.files import read_head, read_pieces
from transfer.whole_site.lines import FILE, Line, LineReader
from transfer.whole_site.members import CHANNEL, CONTENT, FIELD, GROUP, ROWS, SITE, TAG

# Programs in JavaScript, which clients are, know no larger number.
MOST_NUMBER = 2**53 - 1
_UNIQUE_OF_CHANNELS = ("index_name", "file_path")
_COUNTERS = ("hits", "hits_by_day", "hits_by_week", "hits_by_month")
# By the kind: what sentences call it, and its name in the row and in the file.
_NAMED = {
    FIELD.name: ("custom field", "name", "name"),
    GROUP.name: ("group", "group_name", "groupName"),
    TAG.name: ("tag", "tag_name", "tagName"),
}
_PATH_MARKS = frozenset("0123456789,")
Row = dict[str, Any]


@dataclass(slots=True)
class Checked:
    """What a file that can be imported holds: the site, and the numbers that its rows refer to each other by."""

    header: dict[str, Any] = field(default_factory=dict)
    site: Row = field(default_factory=dict)
    channels: dict[int, bool] = field(default_factory=dict)  # whether they are in the trash
    contents: "array[int]" = field(default_factory=lambda: array("q"))  # ascending; eight bytes each
    rows: int = 0
    files: int = 0
    sha256: str = ""

    def has_content(self, number: int) -> bool:
        place = bisect_left(self.contents, number)
        return place < len(self.contents) and self.contents[place] == number


def check(file: BinaryIO, progress: Progress) -> Checked:
    """Read all of the file. Raises PackageError, which names the line and what is wrong with it."""
    progress.begin("bytes", os.fstat(file.fileno()).st_size)
    reader = LineReader(file)
    checking = _Checking()
    lines = reader.lines()
    before = 0
    for line in lines:
        checking.look(line, lines)
        progress.advance(reader.position - before)
        before = reader.position
    checked = checking.checked
    if not checked.channels:
        raise PackageError("The file has no site, or one without a home channel.")
    checked.header, checked.sha256 = reader.header, reader.sha256
    checked.rows, checked.files = sum(reader.counts[kind] for kind in ROWS), reader.counts[FILE]
    progress.end()
    return checked


class _Checking:
    def __init__(self) -> None:
        self.checked = Checked()
        self._taken: set[tuple[str, Any]] = set()
        self._looks = {
            SITE.name: self._look_at_site,
            **dict.fromkeys(_NAMED, self._look_at_name),
            CHANNEL.name: self._look_at_channel,
            CONTENT.name: self._look_at_content,
        }

    def look(self, line: Line, following: Iterator[Line]) -> None:
        """Check the line, and of a file those of its pieces, which are taken."""
        if line.kind == FILE:
            self._look_at_file(line, following)
        elif look := self._looks.get(line.kind):
            if line.kind != SITE.name and not self.checked.site:
                raise line.refuse("The site comes before it.")
            look(line, ROWS[line.kind].read(line.members, line.place))
        else:
            raise line.refuse("No file is before it that it could belong to.")

    def _look_at_file(self, line: Line, following: Iterator[Line]) -> None:
        head = read_head(line)
        self._take(line, "file", head.name)
        for _ in read_pieces(head, line, following):
            pass

    def _look_at_site(self, line: Line, site: Row) -> None:
        if self.checked.site:
            raise line.refuse("The file has a site already.")
        _check_number(line, site["id"])
        _check_name(line, site, "site_name", "siteName")
        _check_settings(line, site["settings"], sites.attributes.REGISTRY)
        self.checked.site = site

    def _look_at_name(self, line: Line, row: Row) -> None:
        what, lookup, member = _NAMED[line.kind]
        _check_name(line, row, lookup, member)
        self._take(line, what, row[lookup].casefold() if line.kind == FIELD.name else row[lookup])

    def _look_at_channel(self, line: Line, channel: Row) -> None:
        number, is_trashed = channel["id"], channel["trashed_at"] is not None
        _check_number(line, number)
        self._take(line, "channel", number)
        _check_name(line, channel, "channel_name", "channelName")
        self._check_place(line, number, channel["parent_id"], is_trashed=is_trashed)
        if not _PATH_MARKS.issuperset(channel["parents_path"]):
            raise line.refuse("It must be numbers with commas between them.", "parentsPath")
        _check_settings(line, channel["settings"], channels_app.attributes.REGISTRY)
        for name in _UNIQUE_OF_CHANNELS if not is_trashed else ():
            if channel[name]:
                self._take(line, f"present channel's {name.replace('_', ' ')}", channel[name])
        self.checked.channels[number] = is_trashed

    def _check_place(self, line: Line, number: int, parent: int | None, *, is_trashed: bool) -> None:
        channels = self.checked.channels
        if (parent is None) != (number == self.checked.site["id"]):
            raise line.refuse("The home channel, which has no parent, is the one with the number of the site.")
        if parent is not None and parent not in channels:
            raise line.refuse(f"Channel {parent} is not before it.", "parentId")
        if is_trashed if parent is None else channels[parent] and not is_trashed:
            raise line.refuse("Neither the home channel nor one above a present channel is in the trash.")

    def _look_at_content(self, line: Line, content: Row) -> None:
        number, channel, contents = content["id"], content["channel_id"], self.checked.contents
        _check_number(line, number)
        if contents and number <= contents[-1]:
            raise line.refuse(f"Content {number} comes after content {contents[-1]}; numbers of contents ascend.", "id")
        if channel not in self.checked.channels:
            raise line.refuse(f"The file has no channel {channel}.", "channelId")
        if content["trashed_at"] is None and self.checked.channels[channel]:
            raise line.refuse(f"Its channel {channel} is in the trash, and it is not.", "trashedAt")
        if not content["title"]:
            raise line.refuse("It must not be empty.", "title")
        if negative := [name for name in _COUNTERS if content[name] < 0]:
            raise line.refuse(f"The number of {negative[0].replace('_', ' ')} must not be negative.")
        _check_custom_members(line, content["settings_xml"])
        contents.append(number)

    def _take(self, line: Line, what: str, name: Any) -> None:
        if (what, name) in self._taken:
            raise line.refuse(f"The {what} {name!r} is in the file twice.")
        self._taken.add((what, name))


def _check_number(line: Line, number: int) -> None:
    if not 0 < number <= MOST_NUMBER:
        raise line.refuse(f"It must be from 1 to {MOST_NUMBER}.", "id")


def _check_name(line: Line, row: Row, lookup: str, member: str) -> None:
    if not row[lookup].strip():
        raise line.refuse("It must not be empty.", member)


def _check_settings(line: Line, settings: dict[str, Any], registry: AttributeRegistry) -> None:
    try:
        load_object(orjson.dumps(settings))
    except (TypeError, Unreadable) as error:
        raise line.refuse(f"They cannot be stored: {error}", "settings") from error
    if problems := registry.problems(settings):
        raise line.refuse(problems[0], "settings")
    _check_values(line, registry.custom(settings), "settings")


def _check_custom_members(line: Line, text: str) -> None:
    try:
        members = orjson.loads(text)
    except ValueError:
        members = None
    if not isinstance(members, dict):
        raise line.refuse("It must be a JSON object as text.", "settingsXml")
    _check_values(line, members, "settingsXml")


def _check_values(line: Line, members: dict[str, Any], member: str) -> None:
    try:
        refuse_values(members, {}, line.kind)
    except InvalidInput as refusal:
        raise line.refuse(refusal.message, member) from refusal
