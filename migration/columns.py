"""Reads rows as fields of a model, by the names that SiteServer's columns have had."""

import re
from datetime import datetime
from typing import Any

from django.db import models

from core.lib.errors import InvalidInput
from core.lib.settings_text import UNSTORABLE
from core.rest.attributes import AttributeRegistry
from core.rest.fields import AddressField
from core.rest.names import camelise, to_wire
from migration import values
from migration.context import Context
from migration.sources.source import Row, Value
from migration.values import flag, moment, number
from transfer.names import LEFT_OUT, SETTINGS, Names
from transfer.site_template import typed_settings
from transfer.values import LINK_TYPES

# Read from other rows, or without meaning here.
_OTHERS = frozenset(
    {"id", "guid", "siteid", "channelid", "nodeid", "parentid", "parentspath", "parentscount", "childrencount"}
    | {"islastnode", "lastnode", "createddate", "adminid", "lasteditadminid", "userid"}
    | {"templateid", "channeltemplateid", "contenttemplateid", "isdefault", "defaulttemplate", "charset"}
)
# Before version 6, addresses of uploads lacked the slash.
_UPLOAD = re.compile(r"@upload(?=/)", re.IGNORECASE)
_NEVER = re.compile(r"\s*(?:0|1[0-7])\d+-")  # years before 1800
_ADDRESSES = frozenset({"link_url", "image_url", "video_url", "file_url"})
_ADDRESS = AddressField()
Fields = dict[str, Any]


class ColumnReader:
    """Reads rows of one kind of record; the spellings of custom fields are by casefolded name."""

    def __init__(self, model: type[models.Model], names: Names, context: Context) -> None:
        self._names, self._context = names, context
        self._fields: dict[str, Any] = {field.attname: field for field in model._meta.concrete_fields}
        self.spellings: dict[str, str] = {}

    def read(self, row: Row, place: str) -> tuple[Fields, Fields]:
        """Return fields by model name without null dates, and custom fields as texts by their own names."""
        fields: Fields = {}
        custom: Fields = {}
        settings: Fields = {}
        for column, value in row.items():
            attribute = self._names.get(column)
            if column in _OTHERS or (attribute and attribute.field == LEFT_OUT):
                continue
            if attribute is None:
                if value is not None:
                    custom[self.spellings.get(column, column)] = self._text(value, place)
            elif attribute.field == SETTINGS:
                settings = self._settings(value, place)
            elif attribute.field in self._fields and attribute.field not in fields:
                fields[attribute.field] = self._convert(attribute.field, value, place, custom)
            elif attribute.field not in self._fields:
                fields[attribute.field] = self._text(value, place)  # the body of a content
        taken = self._names.keys() | {name.casefold() for name in custom}
        custom |= {name: value for name, value in settings.items() if name.casefold() not in taken}
        given = {name: value for name, value in fields.items() if value is not None}
        return given, custom

    def _convert(self, name: str, value: Value, place: str, custom: Fields) -> Any:
        field = self._fields[name]
        if name == "link_type":
            return self._link_type(values.text(value), place)
        if isinstance(field, models.BooleanField):
            return flag(value)
        if isinstance(field, models.IntegerField):
            return max(number(value), 0) if "hits" in name else number(value)
        if isinstance(field, models.DateTimeField):
            return self._date(value, place)
        found = self._text(value, place)
        if field.max_length and len(found) > field.max_length:
            told = "A text was too long and has been cut; the whole is kept as a custom field."
            self._context.report.find(told, place, name)
            custom[to_wire(f"whole_{name}")] = found
            found = found[: field.max_length]
        if name in _ADDRESSES:
            self._tell_if_refused(name, found, place)
        return found

    def _tell_if_refused(self, name: str, address: str, place: str) -> None:
        try:
            _ADDRESS.read(address, name)
        except InvalidInput:
            told = (
                "An address has a scheme that runs scripts, such as javascript:; it is kept, but pages do not run it."
            )
            self._context.report.find(told, place, f"{to_wire(name)} {address[:60]}")

    def _date(self, value: Value, place: str) -> datetime | None:
        found = moment(value, self._context.options.time_zone)
        if found is None and isinstance(value, str) and value.strip() and not _NEVER.match(value):
            self._context.report.find("A date cannot be read and was left out.", place, value[:40])
        return found

    def _link_type(self, name: str, place: str) -> str:
        if name and name.casefold() not in LINK_TYPES:
            self._context.report.find("A kind of link is unknown here; the channel has its own page.", place, name[:60])
        return LINK_TYPES.get(name.casefold(), "None")

    def _settings(self, value: Value, place: str) -> Fields:
        found = values.settings(value, lambda told, detail: self._context.report.find(told, place, detail))
        return {name: _UPLOAD.sub("@/upload", entry) for name, entry in found.items()}

    def _text(self, value: Value, place: str) -> str:
        if isinstance(value, str) and UNSTORABLE.search(value):
            told = "A text had characters that databases cannot store; they were removed."
            self._context.report.find(told, place)
        return _UPLOAD.sub("@/upload", values.text(value))


def typed(settings: Fields, members: AttributeRegistry, context: Context, place: str) -> Fields:
    """Return settings by wire name, typed as the registry declares them; unreadable ones are left out and reported."""
    try:
        found = typed_settings(settings, members, context.options.time_zone)
    except ValueError:
        found = {}
        for name, value in settings.items():
            try:
                found |= typed_settings({name: value}, members, context.options.time_zone)
            except ValueError as error:
                context.report.find("A setting cannot be read and was left out.", place, str(error)[:200])
    return {camelise(name): value for name, value in found.items()}
