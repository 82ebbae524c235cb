"""What the form of a content shows and sends: its members as plain values, by the names of their inputs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from cms_api.rest.names import to_wire
from contents.admin.writing.custom_inputs import INPUT, custom_values_of, input_name
from contents.flags import MARKS
from contents.models import Content, ContentBody, CustomField
from contents.wire.name_list import split_names

Values = dict[str, Any]
TEXTS = (
    "title",
    "sub_title",
    "summary",
    "image_url",
    "video_url",
    "file_url",
    "author",
    "source",
    "link_url",
    "tags",
)
BODY, GROUPS, ADD_DATE = "body", "groups", "add_date"
# Inputs of several lines; the browser takes the line ends out of the others.
_SEVERAL_LINES = frozenset({"summary", BODY})


def values_of(members: Mapping[str, Any], body: str, fields: list[CustomField]) -> Values:
    """The members, by attribute name, as values of the form."""
    custom = custom_values_of(members["settings_xml"], fields)
    own = {name: members[name] for name in (*TEXTS, *MARKS, ADD_DATE)}
    return {**own, GROUPS: members["group_name_collection"], BODY: body, **custom}


def stored_values(content: Content, fields: list[CustomField]) -> Values:
    body = ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""
    names = (*TEXTS, *MARKS, ADD_DATE, "group_name_collection", "settings_xml")
    return values_of({name: getattr(content, name) for name in names}, body, fields)


def empty_values(fields: list[CustomField], now: datetime) -> Values:
    nothing = {**dict.fromkeys(TEXTS, ""), **dict.fromkeys(MARKS, False)}
    blank = {**nothing, ADD_DATE: now, "group_name_collection": "", "settings_xml": "{}"}
    return values_of(blank, "", fields)


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    """The names of the values that differ, as far as a form can tell."""
    return {name for name in one.keys() & other.keys() if _plain(name, one[name]) != _plain(name, other[name])}


def wire_members(values: Mapping[str, Any], fields: list[CustomField]) -> dict[str, Any]:
    """The values as members of a body of the API, of which the serializer knows what may be in them."""
    custom = {input_name(field): field.name for field in fields}
    names = {BODY: "content", GROUPS: "groupNameCollection"}
    return {
        custom[name] if name.startswith(INPUT) else names.get(name) or to_wire(name): _sent(value)
        for name, value in values.items()
    }


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(microsecond=0)
    if name == GROUPS:
        return split_names(value)
    if not isinstance(value, str):
        return value
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    return lines if name in _SEVERAL_LINES or name.startswith(INPUT) else lines.replace("\n", "")


def _sent(value: Any) -> Any:
    return value.replace(microsecond=0).isoformat(" ") if isinstance(value, datetime) else value
