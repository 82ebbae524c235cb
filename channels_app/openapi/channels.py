from channels_app.attributes import REGISTRY
from channels_app.models import LinkType
from channels_app.serializers import ChannelCreationSerializer, ChannelSerializer, MoveSerializer
from core.openapi.attribute_schemas import answered_attributes, sent_attributes
from core.openapi.describing import Body, Codes, Described, Link, Parameter, Schema, list_of, ref, value_of
from core.openapi.schemas import CUSTOM_NAMES, ID, NOT_BLANK, answered, one_of, sent, unchanged

TAG = "Channels"
SITE_ID = Parameter("siteId", "Id of the site and its home channel.", ID | {"minimum": 1}, "path")
CHANNEL_ID = Parameter("channelId", "Id of the channel; 0 is the site's home channel.", ID | {"minimum": 0}, "path")
_CUSTOM = {"description": "A custom field, as stored."}
_SYNONYM = "Synonym of indexName, from an example of SiteServer CMS. Default: indexName applies."


def open_record(schema: Schema) -> Schema:
    return schema | {"additionalProperties": _CUSTOM}


def _whole() -> Schema:
    children = list_of(ref("Channel")) | {"description": "Child channels in order, each with its own."}
    return open_record(answered(ChannelSerializer, children=children))


def _body(serializer: type[ChannelSerializer], *required: str, is_change: bool = False) -> Schema:
    schema = sent(serializer, require=required, is_change=is_change)
    words = unchanged(_SYNONYM) if is_change else _SYNONYM
    synonym = {"channelIndex": schema["properties"]["indexName"] | {"description": words}}
    properties = schema["properties"] | synonym | sent_attributes(REGISTRY, is_change=is_change)
    properties["channelName"]["pattern"] = NOT_BLANK
    custom = {"description": "A custom field; stored with the channel and returned."}
    return schema | {"properties": properties, "additionalProperties": custom, "propertyNames": CUSTOM_NAMES}


SCHEMAS: dict[str, Schema] = {
    "LinkType": one_of(*LinkType.values) | {"description": "Target of the channel's link."},
    "Channel": _whole(),
    "ChannelAttributes": answered_attributes(REGISTRY),
    "ChannelChanges": _body(ChannelSerializer, is_change=True),
    "NewChannel": _body(ChannelCreationSerializer, "channelName"),
    "ChannelMove": sent(MoveSerializer) | {"minProperties": 1},
}
_MISSING: Codes = {404: ("channel_not_found", "site_not_found")}
_STORING = ("custom_field_too_large", "missing_member", "name_taken", "too_many_entries")
_SAME = {"siteId": "$response.body#/value/siteId", "channelId": "$response.body#/value/id"}
_LINKS = (
    Link("getChannel", _SAME, "Read the channel by id."),
    Link("updateChannel", _SAME, "Change the channel by id."),
    Link("moveChannel", _SAME, "Move the channel by id."),
    Link("deleteChannel", _SAME, "Delete the channel by id."),
    Link("createContent", _SAME, "Add contents to the channel."),
)

OPERATIONS = (
    Described(
        method="GET",
        path="/channels/{siteId}",
        id="listChannels",
        tag=TAG,
        description="Returns the channel tree of a site below the home channel, with each next level in `children`.",
        success="The top-level channels, each with its children.",
        answer=value_of(list_of(ref("Channel")), "The top-level channels in order."),
        parameters=(SITE_ID,),
        codes={404: ("site_not_found",)},
    ),
    Described(
        method="POST",
        path="/channels/{siteId}",
        id="createChannel",
        tag=TAG,
        description="Creates a channel as the last child of `parentId`, by default of the home channel. indexName and "
        "filePath must be unique in the site.",
        success="The new channel.",
        answer=value_of(ref("Channel"), "The new channel, with its id."),
        parameters=(SITE_ID,),
        body=Body(schema=ref("NewChannel"), description="The channel; channelName is required."),
        codes={400: (*_STORING, "channel_not_found", "channel_takes_no_channels"), 404: ("site_not_found",)},
        links=_LINKS,
    ),
    Described(
        method="GET",
        path="/channels/{siteId}/{channelId}",
        id="getChannel",
        tag=TAG,
        description="Returns a channel with all its descendants in `children`.",
        success="The channel with all its descendants.",
        answer=value_of(ref("Channel"), "The channel with all its descendants."),
        parameters=(SITE_ID, CHANNEL_ID),
        codes=_MISSING,
    ),
    Described(
        method="PUT",
        path="/channels/{siteId}/{channelId}",
        id="updateChannel",
        tag=TAG,
        description="Changes the members that are sent. Send members of the channel's settings by name. Members sent "
        "back as they were returned change nothing.",
        success="The channel after the change.",
        answer=value_of(ref("Channel"), "The channel after the change."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("ChannelChanges"), description="The members to change, possibly none.", is_required=False),
        codes={400: _STORING, **_MISSING},
    ),
    Described(
        method="DELETE",
        path="/channels/{siteId}/{channelId}",
        id="deleteChannel",
        tag=TAG,
        description="Moves a channel, its descendants and their contents to the trash; they can be restored in the "
        "admin. The home channel cannot be deleted.",
        success="The deleted channel with its descendants.",
        answer=value_of(ref("Channel"), "The channel that was deleted."),
        parameters=(SITE_ID, CHANNEL_ID),
        codes={400: ("home_channel",), **_MISSING},
    ),
    Described(
        method="POST",
        path="/channels/{siteId}/{channelId}/actions/move",
        id="moveChannel",
        tag=TAG,
        description="Moves a channel with its descendants below `parentId`, before the sibling `before` or last. At "
        "least one of the two is required. A channel cannot be moved below itself.",
        success="The channel in its new position.",
        answer=value_of(ref("Channel"), "The channel in its new position."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("ChannelMove"), description="The new position; null for `before` means last."),
        codes={
            400: (
                "channel_below_itself",
                "channel_not_found",
                "channel_takes_no_channels",
                "home_channel",
                "missing_member",
            ),
            **_MISSING,
        },
    ),
)
