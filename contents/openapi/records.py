"""One content in the OpenAPI document: its record, and what is done with it."""

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from cms_api.openapi.describing import Body, Codes, Described, Link, Parameter, Schema, ref, value_of
from cms_api.openapi.schemas import CUSTOM_NAMES, ID, NOT_BLANK, TEXT, answered, sent
from contents.wire.serializers import ContentSerializer

TAG = "Contents"
CONTENT_ID = Parameter("id", "Number of the content, as answers have it in `id`.", ID | {"minimum": 1}, "path")
_CUSTOM = {"description": "A custom field: any member beyond those above, with the value that was stored."}
_KEPT = {"description": "A custom field: any other member is kept with the content and answered with it."}


def _open(schema: Schema) -> Schema:
    return schema | {"additionalProperties": _CUSTOM}


def _sent_content(*required: str, is_change: bool = False) -> Schema:
    schema = sent(ContentSerializer, require=required, is_change=is_change)
    schema["properties"]["title"] |= {"pattern": NOT_BLANK}
    return schema | {"additionalProperties": _KEPT, "propertyNames": CUSTOM_NAMES}


SCHEMAS: dict[str, Schema] = {
    "Content": _open(answered(ContentSerializer)),
    "NewContent": _sent_content("title"),
    "ContentChanges": _sent_content(is_change=True),
}

_MISSING: Codes = {404: ("channel_not_found", "content_not_found", "site_not_found")}
_STORING = (
    "channel_takes_no_contents",
    "custom_field_too_large",
    "data_picture",
    "missing_member",
    "nested_too_deeply",
    "too_many_entries",
)
_STORING_CODES = (*_STORING, "too_much_markup")
_SAME = {
    "siteId": "$response.body#/value/siteId",
    "channelId": "$response.body#/value/channelId",
    "id": "$response.body#/value/id",
}
_LINKS = (
    Link("getContent", _SAME, "The content can be read by its id."),
    Link("updateContent", _SAME, "The content can be changed by its id."),
    Link("deleteContent", _SAME, "The content can be deleted by its id."),
)
FIELDS = Parameter(
    "fields",
    "Names of the members that are wanted, comma-separated, in any letter case, custom fields too. The answer then "
    "lacks all other members, including required ones. Default: all.",
    TEXT,
)

OPERATIONS = (
    Described(
        method="POST",
        path="/contents/{siteId}/{channelId}",
        id="createContent",
        tag=TAG,
        description="Creates a content in a channel. Only `title` is required; what is not sent gets its default, "
        "and addUserName, taxis and lastEditDate are filled in. Without isChecked it waits for approval.",
        success="The whole record of the new content.",
        answer=value_of(ref("Content"), "The new content, with its id."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("NewContent"), description="The content; title is required."),
        codes={400: _STORING_CODES, 404: ("channel_not_found", "site_not_found")},
        links=_LINKS,
    ),
    Described(
        method="GET",
        path="/contents/{siteId}/{channelId}/{id}",
        id="getContent",
        tag=TAG,
        description="Reads a content, approved or not. One that stands in another channel than the path names is 404.",
        success="The content.",
        answer=value_of(ref("Content"), "The content; with `fields` only the members that were asked for."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID, FIELDS),
        codes={400: ("duplicate_member", "unknown_column"), **_MISSING},
    ),
    Described(
        method="PUT",
        path="/contents/{siteId}/{channelId}/{id}",
        id="updateContent",
        tag=TAG,
        description="Changes the members that are sent and leaves the others; approval changes only where isChecked "
        "or checkedLevel is sent. With If-Match the change happens only if nobody has changed the content meanwhile.",
        success="The content after the change.",
        answer=value_of(ref("Content"), "The content after the change."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID),
        body=Body(schema=ref("ContentChanges"), description="The members to change, none or more.", is_required=False),
        codes={400: _STORING_CODES, **_MISSING},
    ),
    Described(
        method="DELETE",
        path="/contents/{siteId}/{channelId}/{id}",
        id="deleteContent",
        tag=TAG,
        description="Moves a content to the trash, where the back end can bring it back from. It is gone from every "
        "list at once.",
        success="The content as it was.",
        answer=value_of(ref("Content"), "The content as it was."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID),
        codes=_MISSING,
    ),
)
