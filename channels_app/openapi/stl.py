from channels_app.openapi.channels import open_record
from channels_app.serializers import ChannelSerializer
from core.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from core.openapi.schemas import ASKED_ID, COUNT, FLAG, ID, TEXT, answered, without_defaults
from core.stl.openapi import (
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
    "contentNum": ID | {"description": "Number of its own contents, approved or not."},
    "additional": _SETTINGS | {"description": "Same object as attributes."},
    "attributes": _SETTINGS | {"description": "Settings of the channel, with defaults."},
}


def _stl(*names: str, without: tuple[str, ...]) -> Schema:
    further = {name: _FURTHER[name] for name in names}
    return open_record(without_defaults(answered(ChannelSerializer, without=without, **further)))


SCHEMAS: dict[str, Schema] = {
    "StlChannel": _stl("contentNum", "additional", "attributes", without=("lastNode", "children", "navigationUrl")),
    "StlListedChannel": _stl("contentNum", "attributes", without=("lastNode", "children")),
}

CHOICE = (
    *SITE,
    Parameter(
        "channelId",
        "Id of the channel; a minus sign is ignored. Default: 0, the home channel.",
        ASKED_ID,
    ),
    Parameter(
        "channelIndex",
        "indexName of the channel, case-sensitive; takes precedence over channelId. Default: channelId applies.",
        TEXT,
    ),
    Parameter(
        "channelName",
        "channelName, case-sensitive; first sought below the channel from channelIndex or channelId. Default: "
        "those apply.",
        TEXT,
    ),
    Parameter(
        "upLevel",
        "Levels to go up from channelId, at most to the home channel. Default: 0.",
        COUNT,
    ),
    Parameter(
        "topLevel",
        "Depth of the ancestor of channelId to select, from 0 (home channel) to the channel itself. "
        "Default: upLevel and parent apply.",
        COUNT,
    ),
    flag("parent", "Same as upLevel=1."),
)

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/channel",
        id="getStlChannel",
        tag=TAG,
        description="Returns a channel with its settings, or with `type` one value as shaped text. An unknown "
        "channelId gives null; an unknown index or name is ignored.",
        success="The channel, null, or with `type` a text.",
        answer=value_or_text(ref("StlChannel")),
        parameters=(
            *CHOICE,
            Parameter(
                "type",
                f"{TYPE} title, channelIndex, pageContent, extendValues, countOfChannels, countOfContents, "
                "countOfImageContents, any member of a channel, or a custom field. Default: the record.",
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
        description="Lists channels around the selected channel, by default its children, in tree order.",
        success="The channels.",
        answer=value_of(list_of(ref("StlListedChannel")), "The channels in order."),
        parameters=(
            *CHOICE,
            Parameter("scope", f"Which channels to list. {SCOPE} Default: Children.", SCOPES),
            flag("isTotal", "All channels of the site, including the home channel."),
            flag("isAllChildren", "Same as scope=Descendant."),
            Parameter("isImage", "true: only channels with an imageUrl; false: only others. Default: both.", FLAG),
            Parameter("groupChannel", "Channels in any of these groups, comma-separated. Default: any.", TEXT),
            Parameter("groupChannelNot", "Channels in none of these groups, comma-separated. Default: any.", TEXT),
            WHERE,
            Parameter(
                "order",
                f"Sort order: Default, Back, AddDate, AddDateBack, Random, {ORDER} Default: tree order.",
                TEXT,
            ),
            *WINDOW,
        ),
        codes={400: LIST_CODES, **NOT_ALLOWED},
    ),
)
