"""Rows of content tables as fields of contents."""

from typing import NamedTuple

from contents.models import Content
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.name_list import MAX_NAME, MAX_NAMES
from core.lib.errors import InvalidInput
from core.lib.folding import is_blank, without_blank_names
from core.rest.custom_members import name_custom, validate_values
from core.rest.names import to_wire
from migration.columns import ColumnReader, Fields
from migration.context import Context
from migration.sources.source import Row
from migration.values import NO_DATE, number, text
from transfer.names import CONTENT, LEFT_OUT, Names, name_table
from transfer.values import parse_tags, read_date, read_plain

_NAMES: Names = CONTENT | name_table(
    ("last_edit_date", read_date, "LastEditDate LastModifiedDate"), (LEFT_OUT, read_plain, "LinkType")
)
_PREVIEW = -99


class ReadContent(NamedTuple):
    source_id: int
    fields: Fields  # by model name, with site and channel but without id
    custom: Fields  # by wire name
    body: str
    refers_to: tuple[int, int]  # see ContentReader.refers_to


class ContentReader:
    """Reads the rows of the tables; `sites` has the site of each channel, the others the names of people by id."""

    def __init__(
        self,
        context: Context,
        sites: dict[int, int],
        administrators: dict[int, str],
        members: dict[int, str],
        spellings: dict[str, str],
    ) -> None:
        self._context, self._sites, self._site_ids = context, sites, frozenset(sites.values())
        self._administrators, self._members = administrators, members
        self._columns = ColumnReader(Content, _NAMES, context)
        self._columns.spellings = spellings

    def place_of(self, table: str, row: Row) -> str:
        return f"{table} {number(row['id'])}"

    def site_of(self, row: Row) -> int:
        """Return the site that the row names, or else its channel's; 0 without either."""
        named = number(row.get("siteid"))
        return named if named > 0 else self._sites.get(abs(number(row.get("channelid"))), 0)

    def is_asked_for(self, row: Row) -> bool:
        return self._context.options.asks_for(self.site_of(row))

    def reason_to_leave_out(self, row: Row) -> str:
        """Return why a requested row is no content, or ""."""
        if number(row.get("sourceid")) == _PREVIEW:
            return "A preview of an unsaved content was left out."
        site_id = self.site_of(row)
        if site_id not in self._site_ids:
            return "A content of no site that is here was left out."
        if self._sites.get(abs(number(row.get("channelid")))) != site_id:
            return "A content of a channel that no longer exists was left out; the original does not show it either."
        return ""

    def read(self, table: str, row: Row) -> ReadContent:
        place, options = self.place_of(table, row), self._context.options
        fields, custom = self._columns.read(row, place)
        body = fields.pop("content", fields.pop("body", ""))
        channel_id = number(row.get("channelid"))
        fields |= {"channel_id": abs(channel_id), "site_id": self.site_of(row)}
        fields |= self._people(row)
        self._give_title(fields, place, number(row.get("id")))
        if "tags" in row:
            fields["tags"] = self._tags(text(row.get("tags")), place)
        fields["group_name_collection"] = self._groups(fields.get("group_name_collection", ""), place)
        self._give_dates(fields, place)
        fields["trashed_at"] = options.started_at if channel_id < 0 else None
        if fields.get("source_id", 0) > 0 and fields["source_id"] not in self._sites:
            fields["source_id"] = 0
        fields["reference_id"] = 0
        return ReadContent(number(row.get("id")), fields, self._custom(custom, place), body, self.refers_to(row))

    @staticmethod
    def refers_to(row: Row) -> tuple[int, int]:
        """Return the ids of a channel and of a content in the table of that channel, or zeros."""
        channel_id, content_id = number(row.get("sourceid")), number(row.get("referenceid"))
        return (max(channel_id, 0), content_id) if content_id > 0 else (0, 0)

    def _people(self, row: Row) -> Fields:
        named = {
            "add_user_name": self._administrators.get(number(row.get("adminid")), ""),
            "last_edit_user_name": self._administrators.get(number(row.get("lasteditadminid")), ""),
            "writing_user_name": self._members.get(number(row.get("userid")), ""),
        }
        return {name: found for name, found in named.items() if found and not text(row.get(name.replace("_", "")))}

    def _give_title(self, fields: Fields, place: str, source_id: int) -> None:
        if is_blank(fields.get("title", "")):
            fields["title"] = f"#{source_id}"
            self._context.report.find("A content had no title; it got its number as title.", place)

    def _give_dates(self, fields: Fields, place: str) -> None:
        missing = [name for name in ("add_date", "last_edit_date") if name not in fields]
        if not missing:
            return
        told = "A content lacked one of its two dates; it got the other one."
        if len(missing) == 2:
            told = f"A content had no date; it got {NO_DATE:%Y-%m-%d}."
        self._context.report.find(told, place, ", ".join(map(to_wire, missing)))
        known = fields.get("add_date") or fields.get("last_edit_date") or NO_DATE
        fields.update(dict.fromkeys(missing, known))

    def _groups(self, joined: str, place: str) -> str:
        names = without_blank_names(joined).split(",")
        fitting = [name for name in names if len(name) <= MAX_NAME]
        if len(fitting) < len(names):
            self._context.report.find("A group of a content had too long a name; the content is not in it.", place)
        return ",".join(fitting)

    def _tags(self, found: str, place: str) -> str:
        kept = ",".join(tag for tag in parse_tags(found) if len(tag) <= MAX_NAME)
        if len(kept) > MAX_NAMES:
            self._context.report.find("The tags of a content were too long; the last ones were left out.", place)
            kept = kept[:MAX_NAMES].rpartition(",")[0]
        return kept

    def _custom(self, custom: Fields, place: str) -> Fields:
        wanted = {name: value for name, value in custom.items() if name.casefold() not in BY_FOLDED_WIRE}
        try:
            return _storable(wanted)
        except InvalidInput:
            found: Fields = {}
        for name, value in wanted.items():
            try:
                found = _storable(found | {name: value})
            except InvalidInput as error:
                told = "A custom field of a content cannot be stored and was left out."
                self._context.report.find(told, place, f"{name[:40]}: {error}"[:200])
        return found


def _storable(custom: Fields) -> Fields:
    """Return the fields by the names that they get here. Raises InvalidInput."""
    found = name_custom(custom, "content")
    validate_values(found, {}, "content")
    return found
