"""Channels below /channels in the OpenAPI document."""

from channels_app.attributes import REGISTRY
from channels_app.models import LinkType
from channels_app.serializers import ChannelCreationSerializer, ChannelSerializer, MoveSerializer
from cms_api.openapi.attribute_schemas import answered_attributes, sent_attributes
from cms_api.openapi.describing import Body, Codes, Described, Link, Parameter, Schema, list_of, ref, value_of
from cms_api.openapi.schemas import CUSTOM_NAMES, ID, NOT_BLANK, answered, one_of, sent, unchanged

TAG = "Channels"
SITE_ID = Parameter("siteId", "Number of the site, which is that of its home channel.", ID | {"minimum": 1}, "path")
CHANNEL_ID = Parameter(
    "channelId", "Number of the channel; 0 stands for the home channel of the site.", ID | {"minimum": 0}, "path"
)
_CUSTOM = {"description": "A custom field: any member beyond those above, as it was stored."}
_SYNONYM = "The same as indexName, as the original's example of an update calls it. Default: indexName counts."


def open_record(schema: Schema) -> Schema:
    """The same with custom fields."""
    return schema | {"additionalProperties": _CUSTOM}


def _whole() -> Schema:
    children = list_of(ref("Channel")) | {"description": "The channels directly below it, each with its own, in order."}
    return open_record(answered(ChannelSerializer, children=children))


def _body(serializer: type[ChannelSerializer], *required: str, is_change: bool = False) -> Schema:
    schema = sent(serializer, require=required, is_change=is_change)
    words = unchanged(_SYNONYM) if is_change else _SYNONYM
    synonym = {"channelIndex": schema["properties"]["indexName"] | {"description": words}}
    properties = schema["properties"] | synonym | sent_attributes(REGISTRY, is_change=is_change)
    properties["channelName"]["pattern"] = NOT_BLANK
    custom = {"description": "A custom field: any other member is kept with the channel and answered with it."}
    return schema | {"properties": properties, "additionalProperties": custom, "propertyNames": CUSTOM_NAMES}


SCHEMAS: dict[str, Schema] = {
    "LinkType": one_of(*LinkType.values) | {"description": "What the link of a channel leads to."},
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
    Link("getChannel", _SAME, "The channel can be read by its id."),
    Link("updateChannel", _SAME, "The channel can be changed by its id."),
    Link("moveChannel", _SAME, "The channel can be moved by its id."),
    Link("deleteChannel", _SAME, "The channel can be deleted by its id."),
    Link("createContent", _SAME, "Contents can be added to the channel."),
)

OPERATIONS = (
    Described(
        method="GET",
        path="/channels/{siteId}",
        id="listChannels",
        tag=TAG,
        description="Reads the tree of a site: the channels below the home channel, each with those below it in "
        "`children`, in their order.",
        success="The channels directly below the home channel, each with its own.",
        answer=value_of(list_of(ref("Channel")), "The channels directly below the home channel."),
        parameters=(SITE_ID,),
        codes={404: ("site_not_found",)},
    ),
    Described(
        method="POST",
        path="/channels/{siteId}",
        id="createChannel",
        tag=TAG,
        description="Creates a channel as the last one below `parentId`, by default below the home channel. "
        "indexName and filePath must be unlike those of the site's other channels.",
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
        description="Reads a channel with everything below it in `children`, however deep.",
        success="The channel, with everything below it.",
        answer=value_of(ref("Channel"), "The channel, with everything below it."),
        parameters=(SITE_ID, CHANNEL_ID),
        codes=_MISSING,
    ),
    Described(
        method="PUT",
        path="/channels/{siteId}/{channelId}",
        id="updateChannel",
        tag=TAG,
        description="Changes the members that are sent and leaves the others. Members of the channel's settings are "
        "set by their names. A member that is sent as it was answered changes nothing; with If-Match the change "
        "happens only if nobody has changed the channel meanwhile.",
        success="The channel after the change.",
        answer=value_of(ref("Channel"), "The channel after the change."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("ChannelChanges"), description="The members to change, none or more.", is_required=False),
        codes={400: _STORING, **_MISSING},
    ),
    Described(
        method="DELETE",
        path="/channels/{siteId}/{channelId}",
        id="deleteChannel",
        tag=TAG,
        description="Moves a channel, what is below it and all their contents to the trash, where the back end can "
        "bring them back from. The home channel cannot be deleted.",
        success="The channel as it was, with everything below it.",
        answer=value_of(ref("Channel"), "The channel as it was."),
        parameters=(SITE_ID, CHANNEL_ID),
        codes={400: ("home_channel",), **_MISSING},
    ),
    Described(
        method="POST",
        path="/channels/{siteId}/{channelId}/actions/move",
        id="moveChannel",
        tag=TAG,
        description="Puts a channel, with everything below it, below `parentId` and there before the sibling "
        "`before`, or last. At least one of the two has to be sent. A channel cannot stand below itself.",
        success="The channel in its new place.",
        answer=value_of(ref("Channel"), "The channel in its new place."),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref("ChannelMove"), description="The new place; null for `before` is the last one."),
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
