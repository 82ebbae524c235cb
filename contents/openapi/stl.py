"""Contents below /stl in the OpenAPI document."""

from channels_app.openapi.stl import CHOICE
from cms_api.openapi.describing import Described, Parameter, Schema, list_of, ref, value_of
from cms_api.openapi.limits import limit_words
from cms_api.openapi.schemas import FLAG, ID, TEXT, answered, one_of
from cms_api.rest.names import to_wire
from cms_api.stl.openapi import (
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
from contents.stl.elements import MEMBERS
from contents.wire.serializers import ContentSerializer


def _stl_content() -> Schema:
    table = ContentSerializer.field_table()
    names = {to_wire(name) for name in table}
    return answered(ContentSerializer, without=names - set(MEMBERS))


SCHEMAS: dict[str, Schema] = {"StlContent": _stl_content()}

_CONTENT_ID = Parameter(
    "contentId", "Number of the content, 1 or more. Without it there is none, and the answer is null.", ID
)
_SCOPE = Parameter("scope", f"Contents of which channels around that one: {SCOPE} Default: Self.", SCOPES)
_NAMES = f"up to {limit_words('CMS_MAX_NAMES')},"
_FLAGS = tuple(
    Parameter(name, f"true: only contents that are {what}, false: only those that are not. Default: both.", FLAG)
    for name, what in (
        ("isTop", "pinned"),
        ("isRecommend", "recommended"),
        ("isHot", "hot"),
        ("isColor", "highlighted"),
    )
)
_MEDIA = tuple(
    Parameter(name, f"true: only contents with {what}, false: only those without. Default: both.", FLAG)
    for name, what in (("isImage", "an imageUrl"), ("isVideo", "a videoUrl"), ("isFile", "a fileUrl"))
)

OPERATIONS = (
    Described(
        method="GET",
        path="/stl/content",
        id="getStlContent",
        tag=TAG,
        description="Reads a content by its number, approved or not; where a channel is named, only in it or below "
        "it. Without `type` the answer is the record without subTitle, source, videoUrl and fileUrl; custom fields are "
        "in settingsXml. With `type` it is one value as text, shaped by the text parameters. A content that does not "
        "exist gives null.",
        success="The content, null, or with `type` a text.",
        answer=value_or_text(ref("StlContent")),
        parameters=(
            *CHOICE,
            _CONTENT_ID,
            Parameter(
                "type", f"{TYPE} One of pageContent, navigationUrl, any member of a content, or a custom field.", TEXT
            ),
            Parameter(
                "no",
                "Which picture, video or file of several: its number from 1, or all. Default: 1.",
                {"type": ["integer", "string"], "format": "int32", "pattern": "^(\\d{1,9}|[Aa][Ll][Ll])$"},
            ),
            Parameter(
                "isOriginal",
                "Whether a content that refers to another one answers with the values of that: true or false; what "
                "is neither counts as true. Default: true.",
                FLAG,
            ),
            *shaping(of_content=True),
            FORMAT,
        ),
        codes={400: (*SHAPING_CODES, "bad_format"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/contents",
        id="listStlContents",
        tag=TAG,
        description="Lists approved contents of channels around the channel that is meant, pinned ones first, the "
        "highest taxis first. Any column of the contents may be a parameter and filters by it.",
        success="The contents, none or more, with body and address.",
        answer=value_of(list_of(ref("Content")), "The contents in order."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId",
                "With isRelatedContents: number of the content to which the others are related. Default: none, so "
                "that all are.",
                ID,
            ),
            _SCOPE,
            flag("isAllChildren", "The same as scope=Descendant:"),
            Parameter(
                "group",
                f"Only contents in any of these groups, {_NAMES} comma-separated; groupContent is the same. Default: "
                "any.",
                TEXT,
            ),
            Parameter(
                "groupNot",
                f"Only contents in none of these groups, {_NAMES} comma-separated; groupContentNot is the same. "
                "Default: any.",
                TEXT,
            ),
            Parameter("groupChannel", "Only contents of channels in this group, one name. Default: any.", TEXT),
            Parameter(
                "groupChannelNot", "Only contents of channels outside of this group, one name. Default: any.", TEXT
            ),
            Parameter(
                "tags",
                f"Only contents with any of these tags, {_NAMES} separated by commas, semicolons or blanks; "
                '"one with a blank" stands in quotes. Default: any.',
                TEXT,
            ),
            flag("isRelatedContents", "Only contents that share a tag with contentId:"),
            *_FLAGS,
            *_MEDIA,
            WHERE,
            Parameter(
                "order",
                "How they are sorted: Default, Back, AddDate, AddDateBack, LastEditDate, LastEditDateBack, Hits, "
                f"HitsByDay, HitsByWeek, HitsByMonth, Random, {ORDER} Default: pinned ones first, then by taxis, the "
                "highest first.",
                TEXT,
            ),
            *WINDOW,
            Parameter(
                "columns",
                "Any column of the contents, as a parameter of its own name: x, or x,y for any of several, not:x,y, "
                "contains:x, start:x, end:x. Default: any value.",
                {
                    "type": "object",
                    "additionalProperties": {"description": "What the column must have."},
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
        description="Answers the address of a channel, of a content or of the site, as a link to it would have it: "
        "of a content where contentId is sent, else of a channel. One that does not exist gives null.",
        success="The address, or null.",
        answer=value_of({"type": ["string", "null"]}, "The address; null where there is nothing to link to."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId",
                "Number of the content whose address is wanted, 1 or more. Default: a channel is meant.",
                ID,
            ),
            Parameter(
                "context",
                "What is linked to: Channel, Content or Site, in any letter case; anything else does not "
                "count. Default: as the others say.",
                one_of("Channel", "Content", "Site"),
            ),
            Parameter(
                "href",
                "An address that is to be resolved instead: @/ and ~/ at its beginning mean the site. No javascript: "
                "or data: scheme. Default: that of the content or channel.",
                TEXT,
            ),
            Parameter(
                "host",
                "What comes before an address without a host, such as https://www.example.com. Default: nothing.",
                TEXT,
            ),
            Parameter("queryString", "What is put behind the address as its query, without ?. Default: nothing.", TEXT),
        ),
        codes={400: ("invalid_value", "site_not_found"), **NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/count",
        id="getStlCount",
        tag=TAG,
        description="Counts the approved contents of channels around the channel that is meant, or the channels "
        "directly below it. The number is a text, as in the original; of an unknown `type` it is 0.",
        success="The number as a text, or null where there is no such channel.",
        answer=value_of({"type": ["string", "null"], "pattern": "^[0-9]+$"}, "The number, in digits."),
        parameters=(
            *CHOICE,
            Parameter(
                "type",
                "What is counted: Contents or Channels, in any letter case; of anything else there are 0. Default: "
                "Contents.",
                one_of("Contents", "Channels"),
            ),
            _SCOPE,
            Parameter(
                "since",
                "Only contents added within this time: a number of years of 365 days, months of 30, days or hours, "
                "such as 1y, 2m, 3d or 12h, or of hours, such as 12. Default: any time.",
                {"type": "string", "pattern": r"^(\s*\d{1,9}\s*[YyMmDdHh]?\s*)?$"},
            ),
        ),
        codes={400: ("invalid_value", "site_not_found"), **NOT_ALLOWED},
    ),
)
