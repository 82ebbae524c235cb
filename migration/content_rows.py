"""Rows of content tables as fields of contents."""

import re
from typing import NamedTuple

from cms_api.lib.errors import InvalidInput
from cms_api.rest.custom_members import name_custom, validate_values
from contents.models import Content
from contents.wire.columns import BY_FOLDED_WIRE
from migration.columns import ColumnReader, Fields
from migration.context import Context
from migration.sources.source import Row
from migration.values import number, text
from transfer.names import CONTENT, LEFT_OUT, Names, name_table
from transfer.values import read_date, read_plain

_NAMES: Names = CONTENT | name_table(
    ("last_edit_date", read_date, "LastEditDate LastModifiedDate"), (LEFT_OUT, read_plain, "LinkType")
)
_PREVIEW = -99
# Texts in double quotes are one tag each; other tags end at a comma, semicolon or blank.
_TAG = re.compile(r'"([^"]*)"|([^\s,;，；"]+)')
_MAX_TAGS = 2000  # characters


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
        self._context, self._sites = context, sites
        self._administrators, self._members = administrators, members
        self._columns = ColumnReader(Content, _NAMES, context)
        self._columns.spellings = spellings

    def place_of(self, table: str, row: Row) -> str:
        return f"{table} {number(row['id'])}"

    def reason_to_leave_out(self, row: Row) -> str:
        """Return why a row of a chosen site is no content, or ""."""
        if number(row.get("sourceid")) == _PREVIEW:
            return "A preview of an unsaved content was left out."
        if self._sites.get(abs(number(row.get("channelid")))) != number(row.get("siteid")):
            return "A content of a channel that no longer exists was left out; the original does not show it either."
        return ""

    def read(self, table: str, row: Row) -> ReadContent:
        place, options = self.place_of(table, row), self._context.options
        fields, custom = self._columns.read(row, place)
        body = fields.pop("content", fields.pop("body", ""))
        channel_id = number(row.get("channelid"))
        fields |= {"channel_id": abs(channel_id), "site_id": number(row.get("siteid"))}
        fields |= self._people(row)
        self._give_title(fields, place, number(row.get("id")))
        if "tags" in row:
            fields["tags"] = self._tags(text(row.get("tags")), place)
        for one, other in (("add_date", "last_edit_date"), ("last_edit_date", "add_date")):
            fields.setdefault(one, fields.get(other) or options.started_at)
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
        if not fields.get("title", "").strip():
            fields["title"] = f"#{source_id}"
            self._context.report.find("A content had no title; it got its number as title.", place)

    def _tags(self, found: str, place: str) -> str:
        tags = dict.fromkeys(quoted.strip() or plain for quoted, plain in _TAG.findall(found))
        kept = ",".join(tag.replace(",", " ") for tag in tags if tag and len(tag) <= 255)
        if len(kept) > _MAX_TAGS:
            self._context.report.find("The tags of a content were too long; the last ones were left out.", place)
            kept = kept[:_MAX_TAGS].rpartition(",")[0]
        return kept

    def _custom(self, custom: Fields, place: str) -> Fields:
        try:
            found = name_custom(
                {n: value for n, value in custom.items() if n.casefold() not in BY_FOLDED_WIRE}, "content"
            )
            validate_values(found, {}, "content")
        except InvalidInput as error:
            told = "The custom fields of a content cannot be stored and were left out."
            self._context.report.find(told, place, str(error))
            return {}
        return found
