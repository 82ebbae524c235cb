"""Channels below /stl in the OpenAPI document."""

from channels_app.openapi.channels import open_record
from channels_app.serializers import ChannelSerializer
from cms_api.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from cms_api.openapi.schemas import COUNT, FLAG, ID, TEXT, answered
from cms_api.stl.openapi import (
    FORMAT,
    LIST_CODES,
    NOT_ALLOWED,
    ORDER,
    SCOPE,
    SCOPES,
    SHAPING,
    SHAPING_CODES,
    SITE,
    TAG,
    TYPE,
    WHERE,
    WINDOW,
    flag,
    value_or_text,
)

_SETTINGS = ref("ChannelAttributes")
_FURTHER = {
    "contentNum": ID | {"description": "How many contents the channel itself has, approved or not."},
    "additional": _SETTINGS | {"description": "What is set for the channel, the same object as attributes."},
    "attributes": _SETTINGS | {"description": "What is set for the channel; each member has its own default."},
}


def _stl(*names: str, without: tuple[str, ...]) -> Schema:
    further = {name: _FURTHER[name] for name in names}
    return open_record(answered(ChannelSerializer, without=without, **further))


SCHEMAS: dict[str, Schema] = {
    "StlChannel": _stl("contentNum", "additional", "attributes", without=("lastNode", "children", "navigationUrl")),
    "StlListedChannel": _stl("contentNum", "attributes", without=("lastNode", "children")),
}

CHOICE = (
    *SITE,
    Parameter(
        "channelId",
        "Number of the channel, of which a minus sign does not count. Default: the home channel of the site, and so "
        "is 0.",
        ID,
    ),
    Parameter(
        "channelIndex",
        "The indexName of the channel, in its own letter case, which counts before channelId. Default: channelId "
        "counts.",
        TEXT,
    ),
    Parameter(
        "channelName",
        "The channelName of the channel, in its own letter case, sought first below the one of channelIndex or "
        "channelId. Default: those count.",
        TEXT,
    ),
    Parameter(
        "upLevel",
        "How many levels above the channel of channelId the one stands that is meant; nothing stands above the home "
        "channel. Default: 0.",
        COUNT,
    ),
    Parameter(
        "topLevel",
        "How deep the channel stands that is meant, on the way from the home channel, which is 0, to the channel of "
        "channelId, where the way ends. Default: upLevel and parent count.",
        COUNT,
    ),
    flag("parent", "The same as upLevel=1:"),
)

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/channel",
        id="getStlChannel",
        tag=TAG,
        description="Reads a channel with what is set for it. With `type` the answer is one of its values as a text, "
        "shaped as the text parameters say. A channelId that does not exist gives null, and an index or a name that "
        "no channel has is ignored.",
        success="The channel, null, or with `type` a text.",
        answer=value_or_text(ref("StlChannel")),
        parameters=(
            *CHOICE,
            Parameter(
                "type",
                f"{TYPE} One of title, channelIndex, pageContent, extendValues, countOfChannels, countOfContents, "
                "countOfImageContents, any member of a channel, or a custom field.",
                TEXT,
            ),
            *SHAPING,
            FORMAT,
        ),
        codes={400: (*SHAPING_CODES, "bad_format"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/channels",
        id="listStlChannels",
        tag=TAG,
        description="Lists channels around the channel that is meant, by default those directly below it, in the "
        "order of the tree.",
        success="The channels, none or more.",
        answer=value_of(list_of(ref("StlListedChannel")), "The channels in order."),
        parameters=(
            *CHOICE,
            Parameter("scope", f"Which channels around that one: {SCOPE} Default: Children.", SCOPES),
            flag("isTotal", "Whether all channels of the site are meant, the home channel too:"),
            flag("isAllChildren", "The same as scope=Descendant:"),
            Parameter(
                "isImage", "true: only channels with an imageUrl, false: only those without. Default: both.", FLAG
            ),
            Parameter("groupChannel", "Only channels in any of these groups, comma-separated. Default: any.", TEXT),
            Parameter("groupChannelNot", "Only channels in none of these groups, comma-separated. Default: any.", TEXT),
            WHERE,
            Parameter(
                "order",
                f"How they are sorted: Default, Back, AddDate, AddDateBack, Random, {ORDER} Default: as in the tree.",
                TEXT,
            ),
            *WINDOW,
        ),
        codes={400: LIST_CODES, **NOT_ALLOWED},
    ),
)
