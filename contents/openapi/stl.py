from channels_app.openapi.stl import CHOICE
from contents.lists.request import MAX_NAMES
from contents.stl.elements import MEMBERS
from contents.wire.serializers import ContentSerializer
from core.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from core.openapi.schemas import ASKED_ID, FLAG, TEXT, answered, one_of, without_defaults
from core.stl.openapi import (
    FORMAT,
    LIST_CODES,
    NOT_ALLOWED,
    ORDER,
    SCOPE,
    SCOPES,
    SHAPING_CODES,
    TAG,
    TYPE,
    WHERE,
    WINDOW,
    flag,
    shaping,
    value_or_text,
)

SCHEMAS: dict[str, Schema] = {
    "StlContent": without_defaults(answered(ContentSerializer))
    | {"required": list(MEMBERS), "additionalProperties": {"description": "A custom field, as stored."}}
}

_CONTENT_ID = Parameter("contentId", "Id of the content, 1 or more. Without it the response is null.", ASKED_ID)
_SCOPE = Parameter("scope", f"Channels whose contents to use. {SCOPE} Default: Self.", SCOPES)
_NAMES = f"up to {MAX_NAMES}"
_FLAGS = tuple(
    Parameter(name, f"true: only {what} contents; false: only others. Default: both.", FLAG)
    for name, what in (
        ("isTop", "pinned"),
        ("isRecommend", "recommended"),
        ("isHot", "hot"),
        ("isColor", "highlighted"),
    )
)
_MEDIA = tuple(
    Parameter(name, f"true: only contents with {what}; false: only others. Default: both.", FLAG)
    for name, what in (("isImage", "an imageUrl"), ("isVideo", "a videoUrl"), ("isFile", "a fileUrl"))
)

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/content",
        id="getStlContent",
        tag=TAG,
        description="Returns a content by id, approved or not; with a channel, only one in or below it. The record "
        "has no body, navigationUrl, summary, author, source, subTitle, picture, video and file unless `_fields` asks; "
        "custom fields are in settingsXml. With `type`, returns one value as shaped text. An unknown content gives "
        "null.",
        success="The content, null, or with `type` a text.",
        answer=value_or_text(ref("StlContent")),
        parameters=(
            *CHOICE,
            _CONTENT_ID,
            Parameter(
                "type",
                f"{TYPE} pageContent, navigationUrl, any member of a content, or a custom field. Default: the record.",
                TEXT,
            ),
            Parameter(
                "_fields",
                "Further members of the record, comma-separated, in any letter case, including custom fields; * for "
                "all. Default: none.",
                TEXT,
            ),
            Parameter(
                "no",
                "Which picture, video or file: its position from 1, or all. Default: 1.",
                {"type": ["integer", "string"], "format": "int32", "pattern": "^(\\d{1,9}|[Aa][Ll][Ll])$"},
            ),
            Parameter(
                "isOriginal",
                "Use the values of the content that this one refers to. Invalid values count as true. Default: true.",
                FLAG,
            ),
            *shaping(of_content=True),
            FORMAT,
        ),
        codes={400: (*SHAPING_CODES, "bad_format", "too_many_entries", "unknown_column"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/contents",
        id="listStlContents",
        tag=TAG,
        description="Lists approved contents of channels around the selected channel, pinned first, then by descending "
        "taxis. Any column may be a filter.",
        success="The contents with body and URL.",
        answer=value_of(list_of(ref("Content")), "The contents in order."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId",
                "With isRelatedContents: the content whose tags to share. Default: none, so all match.",
                ASKED_ID,
            ),
            _SCOPE,
            flag("isAllChildren", "Same as scope=Descendant."),
            Parameter(
                "group",
                f"Contents in any of {_NAMES} comma-separated groups; same as groupContent. Default: any.",
                TEXT,
            ),
            Parameter(
                "groupNot",
                f"Contents in none of {_NAMES} comma-separated groups; same as groupContentNot. Default: any.",
                TEXT,
            ),
            Parameter("groupChannel", "Contents of channels in this one group. Default: any.", TEXT),
            Parameter("groupChannelNot", "Contents of channels not in this one group. Default: any.", TEXT),
            Parameter(
                "tags",
                f"Contents with any of {_NAMES} tags, separated by commas, semicolons or blanks; quote a tag with "
                "blanks. Default: any.",
                TEXT,
            ),
            flag("isRelatedContents", "Only contents that share a tag with contentId."),
            flag("isNoDup", "Of contents with the same title, only the one with the lowest id."),
            *_FLAGS,
            *_MEDIA,
            WHERE,
            Parameter(
                "order",
                "Sort order: Default, Back, AddDate, AddDateBack, LastEditDate, LastEditDateBack, Hits, HitsByDay, "
                f"HitsByWeek, HitsByMonth, Random, {ORDER} Default: pinned first, then descending taxis.",
                TEXT,
            ),
            *WINDOW,
            Parameter(
                "columns",
                "Any column, as a parameter of its own name: x, x,y (any of them), not:x,y, contains:x, "
                "start:x, end:x. Default: any.",
                {
                    "type": "object",
                    "additionalProperties": {"description": "Condition on the column."},
                },
                is_exploded=True,
            ),
        ),
        codes={400: (*LIST_CODES, "query_too_slow", "too_many_entries"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/a",
        id="getStlAddress",
        tag=TAG,
        description="Returns the URL of a channel, content or site, as a link would use it. An unknown one gives null.",
        success="The URL.",
        answer=value_of({"type": ["string", "null"]}, "The URL; null without a target."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId",
                "Id of the content to link to, 1 or more. Default: the target is a channel.",
                ASKED_ID,
            ),
            Parameter(
                "context",
                "Target: Channel, Content or Site, in any letter case; others are ignored. The last of "
                "context, channelIndex, channelName, upLevel, topLevel and parent decides. Default: Content "
                "with contentId, else Channel.",
                one_of("Channel", "Content", "Site"),
            ),
            Parameter(
                "href",
                "URL to resolve instead; leading @/ or ~/ is the site. No javascript: or data: scheme. "
                "Default: the target's URL.",
                TEXT,
            ),
            Parameter(
                "host",
                "Prefix for a URL without a host, such as https://www.example.com. Default: none.",
                TEXT,
            ),
            Parameter("queryString", "Query to append, without ?. Default: none.", TEXT),
        ),
        codes={400: ("invalid_value", "site_not_found"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/count",
        id="getStlCount",
        tag=TAG,
        description="Counts the approved contents of channels around the selected channel, or its child channels. "
        "Returns a text, as in SiteServer CMS; 0 for an unknown `type`.",
        success="The count, or null for an unknown channel.",
        answer=value_of({"type": ["string", "null"], "pattern": "^[0-9]+$"}, "The count in decimal digits."),
        parameters=(
            *CHOICE,
            Parameter(
                "type",
                "Contents or Channels, in any letter case. Default: Contents.",
                one_of("Contents", "Channels"),
            ),
            _SCOPE,
            Parameter(
                "since",
                "Contents added within this time: years of 365 days, months of 30, days or hours, such as 1y, "
                "2m, 3d or 12h; 12 means hours. Default: any.",
                {"type": "string", "pattern": r"^(\s*\d{1,9}\s*[YyMmDdHh]?\s*)?$"},
            ),
        ),
        codes={400: ("invalid_value", "site_not_found"), **NOT_ALLOWED},
    ),
)
