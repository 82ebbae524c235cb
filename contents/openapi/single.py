"""OpenAPI of a single content."""

from collections.abc import Iterable

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from channels_app.serializers import ChannelSerializer
from contents.api.including import CHANNEL_MEMBERS, CONTENT_MEMBERS
from contents.api.schedules import PlanSerializer
from contents.api.serializers import ContentChangesSerializer, IncludeField
from contents.wire.serializers import ContentSerializer
from core.openapi.describing import Body, Codes, Described, Link, Parameter, Schema, record, ref, value_of
from core.openapi.schemas import CUSTOM_NAMES, ID, NOT_BLANK, TEXT, answered, in_any_case, one_of, sent
from core.rest.serializers import WireSerializer

TAG = "Contents"
CONTENT_ID = Parameter("id", "Id of the content.", ID | {"minimum": 1}, "path")
_CUSTOM = {"description": "A custom field, as stored."}
_WORD = f"({'|'.join(map(in_any_case, IncludeField.words))})"
_INCLUDE = rf"^(\s*{_WORD}\s*(,\s*{_WORD}\s*)*)?$"
_KEPT = {"description": "A custom field; stored with the content and returned."}


def _open(schema: Schema) -> Schema:
    return schema | {"additionalProperties": _CUSTOM}


def _chosen() -> Schema:
    properties = answered(ContentSerializer)["properties"]
    return _open(record(properties, required=[])) | {"description": "The members of a content that `fields` names."}


def _part(serializer: type[WireSerializer], names: Iterable[str]) -> Schema:
    members = answered(serializer)["properties"]
    return record({name: members[name] for name in names})


def sent_content(
    *required: str, is_change: bool = False, serializer: type[WireSerializer] = ContentSerializer
) -> Schema:
    times = sent(PlanSerializer, is_change=is_change)["properties"]
    schema = sent(serializer, require=required, is_change=is_change, further=times)
    schema["properties"]["title"] |= {"pattern": NOT_BLANK}
    return schema | {"additionalProperties": _KEPT, "propertyNames": CUSTOM_NAMES}


SCHEMAS: dict[str, Schema] = {
    "Content": _open(answered(ContentSerializer)),
    "ContentPart": _chosen(),
    "NewContent": sent_content("title"),
    "ContentChanges": sent_content(is_change=True, serializer=ContentChangesSerializer),
    "Include": one_of(*IncludeField.words) | {"description": "Records that a response has besides its contents."},
    "Included": record(
        {
            "channels": {
                "type": "object",
                "additionalProperties": ref("IncludedChannel"),
                "description": "With `channel`: the channels of the contents, by id.",
            },
            "references": {
                "type": "object",
                "additionalProperties": ref("IncludedContent"),
                "description": "With `reference`: the contents that they refer to, by id; only approved ones.",
            },
        },
        required=[],
    ),
    "IncludedChannel": _part(ChannelSerializer, CHANNEL_MEMBERS),
    "IncludedContent": _part(ContentSerializer, CONTENT_MEMBERS),
}
INCLUDED = {"included": ref("Included") | {"description": "What `include` asks for; only then."}}
INCLUDE = Parameter(
    "include",
    "Records to add in `included`, comma-separated, in any letter case: channel (needs Channels:read), reference. "
    "Default: none.",
    {"type": "string", "pattern": _INCLUDE},
)

CHOSEN: Schema = {"anyOf": [ref("Content"), ref("ContentPart")]}  # where `fields` may choose the members

VERSION = Parameter(
    "version",
    "`draft` for the draft of an approved content, which needs Contents:write; `public` for the content. Default: "
    "public.",
    {"type": "string", "enum": ["public", "draft"]},
)
MISSING: Codes = {404: ("channel_not_found", "content_not_found", "site_not_found")}
_STORING = (
    "approved_already",
    "channel_takes_no_contents",
    "custom_field_too_large",
    "data_picture",
    "invalid_schedule",
    "missing_member",
    "nested_too_deeply",
    "too_many_entries",
)
STORING_CODES = (*_STORING, "too_much_markup")
_SAME = {
    "siteId": "$response.body#/value/siteId",
    "channelId": "$response.body#/value/channelId",
    "id": "$response.body#/value/id",
}
_LINKS = (
    Link("getContent", _SAME, "Read the content by id."),
    Link("updateContent", _SAME, "Change the content by id."),
    Link("deleteContent", _SAME, "Delete the content by id."),
)
FIELDS = Parameter(
    "fields",
    "Members to return, comma-separated, in any letter case, including custom fields; all others are omitted, "
    "even required ones. Default: all.",
    TEXT,
)

OPERATIONS = (
    Described(
        method="POST",
        path="/contents/{siteId}/{channelId}",
        id="createContent",
        tag=TAG,
        description="Creates a content in a channel. Only `title` is required; the service sets addUserName, taxis and "
        "lastEditDate by default. Without isChecked the content awaits approval.",
        success="The complete new content.",
        answer=value_of(ref("Content"), "The new content, with its id."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("NewContent"), description="The content; title is required."),
        codes={400: STORING_CODES, 404: ("channel_not_found", "site_not_found")},
        links=_LINKS,
    ),
    Described(
        method="GET",
        path="/contents/{siteId}/{channelId}/{id}",
        id="getContent",
        tag=TAG,
        description="Returns a content of the channel in the path, approved or not; with version=draft, with the "
        "values of its draft, and `isDraft`.",
        success="The content.",
        answer=record({"value": CHOSEN | {"description": "The content with that id."}, **INCLUDED}, required=["value"]),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID, FIELDS, INCLUDE, VERSION),
        codes={400: ("duplicate_member", "invalid_value", "unknown_column"), 404: (*MISSING[404], "draft_not_found")},
    ),
    Described(
        method="PUT",
        path="/contents/{siteId}/{channelId}/{id}",
        id="updateContent",
        tag=TAG,
        description="Changes the members that are sent; approval changes only with isChecked or checkedLevel. With "
        "isDraft, changes the draft of an approved content, which readers do not see; isChecked then publishes it.",
        success="The content, or its draft, after the change.",
        answer=value_of(ref("Content"), "The content, or its draft, after the change."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID, VERSION),
        body=Body(schema=ref("ContentChanges"), description="The members to change, possibly none.", is_required=False),
        codes={
            400: (*STORING_CODES, "draft_conflict", "invalid_level", "not_approved"),
            404: (*MISSING[404], "draft_not_found"),
        },
    ),
    Described(
        method="DELETE",
        path="/contents/{siteId}/{channelId}/{id}",
        id="deleteContent",
        tag=TAG,
        description="Moves a content to the trash, where it can be restored in the admin. With version=draft, "
        "permanently deletes only its draft.",
        success="The content, or draft, that was deleted.",
        answer=value_of(ref("Content"), "The content, or draft, that was deleted."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID, VERSION),
        codes={400: ("invalid_value",), 404: (*MISSING[404], "draft_not_found")},
    ),
)
