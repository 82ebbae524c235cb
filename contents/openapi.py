"""Contents in the OpenAPI document."""

from typing import Any

from channels_app.openapi import CHANNEL_ID, CHOICE, SITE_ID
from cms_api.openapi.describing import Body, Codes, Described, Link, Parameter, Schema, list_of, ref, value_of
from cms_api.openapi.limits import default_of, limit_words
from cms_api.openapi.schemas import ASKED_FLAG, ASKED_NUMBER, ID, NOT_BLANK, answered, help_of, sent
from cms_api.rest.fields import BooleanField, IntegerField
from cms_api.rest.names import to_wire
from cms_api.stl.openapi import (
    FORMAT,
    LIST_CODES,
    ORDER,
    SHAPING,
    SHAPING_CODES,
    TYPE,
    WHERE,
    WINDOW,
    flag,
    value_or_text,
)
from cms_api.stl.openapi import TAG as STL_TAG
from contents.serializers import (
    CheckedItemSerializer,
    CheckSerializer,
    ContentListSerializer,
    ContentSerializer,
    OrderSerializer,
    WhereSerializer,
)
from contents.stl import MEMBERS

TAG = "Contents"
CONTENT_ID = Parameter("id", "Number of the content, as answers have it in `id`.", ID | {"minimum": 1}, "path")
_CUSTOM = {"description": "A custom field: any member beyond those above, with the value that was stored."}
_KEPT = {"description": "A custom field: any other member is kept with the content and answered with it."}
_RULES = default_of("CMS_MAX_RULES")
OPERATORS = (
    *("=", "!=", ">", ">=", "<", "<=", "In", "NotIn", "Like", "NotLike"),
    *("Between", "IsNull", "StartsWith", "EndsWith", "Contains"),
)


def _open(schema: Schema) -> Schema:
    return schema | {"additionalProperties": _CUSTOM}


def _chosen() -> Schema:
    """A content of which only some members were asked for."""
    schema = answered(ContentSerializer)
    del schema["required"]
    return _open(schema) | {
        "description": "A content; with `fields` only the members that were asked for, in the usual order."
    }


def _stl_content() -> Schema:
    table = ContentSerializer.field_table()
    names = {to_wire(name) for name in table}
    return answered(ContentSerializer, without=names - set(MEMBERS))


def _sent_content(*required: str) -> Schema:
    schema = sent(ContentSerializer, require=required)
    schema["properties"]["title"] |= {"pattern": NOT_BLANK}
    return schema | {"additionalProperties": _KEPT}


def _rule(serializer: Any) -> Schema:
    required = [to_wire(member) for member in serializer.required_members]
    return sent(serializer, require=required)


def _where() -> Schema:
    rule = _rule(WhereSerializer)
    rule["required"] = ["column"]
    properties = rule["properties"]
    properties["value"] = properties["value"] | {"type": ["string", "number", "boolean", "null"]}
    properties["operator"] = properties["operator"] | {"examples": list(OPERATORS)}
    return rule


def _group(word: str, schema: Schema, description: str) -> Schema:
    return {
        "type": "object",
        "required": [word],
        "properties": {word: schema | {"description": description}},
        "additionalProperties": False,
    }


def _list_request() -> Schema:
    schema = sent(ContentListSerializer, require=["siteId"])
    properties = schema["properties"]
    for name, most in (
        ("wheres", _RULES),
        ("orders", _RULES),
        ("groupNames", default_of("CMS_MAX_NAMES")),
        ("tagNames", default_of("CMS_MAX_NAMES")),
    ):
        properties[name]["maxItems"] = most
    properties["wheres"]["items"] = ref("WhereEntry")
    properties["perPage"]["maximum"] = default_of("CMS_MAX_PER_PAGE")
    return schema


_SOME = {"type": "array", "items": ref("WhereEntry"), "minItems": 1, "maxItems": _RULES}

SCHEMAS: dict[str, Schema] = {
    "Content": _open(answered(ContentSerializer)),
    "ChosenContent": _chosen(),
    "NewContent": _sent_content("title"),
    "ContentChanges": _sent_content(),
    "ContentListRequest": _list_request(),
    "WhereEntry": {
        "description": "One rule, or a group of rules; groups may stand in groups, up to 10 levels deep.",
        "anyOf": [ref("Where"), ref("WhereAny"), ref("WhereAll"), ref("WhereNot")],
    },
    "Where": _where(),
    "WhereAny": _group("any", _SOME, "Rules or groups of which at least one must hold."),
    "WhereAll": _group("all", _SOME, "Rules or groups which must all hold."),
    "WhereNot": _group("not", ref("WhereEntry"), "The rule or group that must not hold."),
    "Order": _rule(OrderSerializer),
    "CheckRequest": sent(CheckSerializer, require=["siteId", "contents"]),
    "CheckedItem": _rule(CheckedItemSerializer),
    "StlContent": _stl_content(),
}

# ---- /contents

_MISSING: Codes = {404: ("channel_not_found", "content_not_found", "site_not_found")}
_STORING = ("channel_takes_no_contents", "data_picture", "missing_member", "nested_too_deeply", "too_many_entries")
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
    "Names of the members that are wanted, comma-separated, in any letter case, custom fields too. Default: all.",
)
_CURSOR = {
    "nextCursor": {
        "type": ["string", "null"],
        "description": "What to send as `cursor` for the next page, null on the last one. Only where a cursor was "
        "sent.",
    }
}
_LIST_ANSWER = {
    "type": "object",
    "required": ["totalCount", "contents"],
    "properties": {
        "totalCount": {
            "type": ["integer", "null"],
            "minimum": 0,
            "description": "How many contents match, on all pages together; null where `count` is none.",
        },
        "contents": list_of(ref("ChosenContent")) | {"description": "The contents of the page, in order."},
        **_CURSOR,
    },
    "additionalProperties": False,
}
_CHECK_ANSWER = {
    "type": "object",
    "required": ["contents"],
    "properties": {
        "contents": list_of(ref("Content"))
        | {"description": "The contents that are approved now; those that do not exist are left out."}
    },
    "additionalProperties": False,
}


def _check(path: str, operation_id: str, further: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=TAG,
        description="Approves contents of one site for good, whatever level they have reached; unknown ones are left "
        f"out. At most {limit_words('CMS_MAX_PER_PAGE')} at once. {further}",
        success="The contents that are approved now.",
        answer=_CHECK_ANSWER,
        body=Body(schema=ref("CheckRequest"), description="The contents to approve."),
        codes={400: ("missing_member", "site_not_found", "too_many_entries"), 401: ("site_not_allowed",)},
    )


CONTENTS = (
    Described(
        method="POST",
        path="/contents",
        id="listContents",
        tag=TAG,
        description="Lists the contents of a site, or of a channel and everything below it, that match all filters "
        "and rules, in pages. Pinned contents come first, then channelId, taxis and id, all descending, unless "
        "`orders` says otherwise. It only reads. The answer stands at the top, without `value`, as in the original. "
        "Past the last page `contents` is empty. Rules may take the seconds of CMS_STATEMENT_SECONDS, and there may "
        f"be {limit_words('CMS_MAX_RULES')} of them.",
        success="The contents of the page, and how many there are on all pages.",
        answer=_LIST_ANSWER,
        body=Body(schema=ref("ContentListRequest"), description="Which contents, in which order, and which page."),
        codes={
            400: (
                "channel_not_found",
                "invalid_cursor",
                "missing_member",
                "page_too_large",
                "pattern_without_wildcard",
                "query_too_slow",
                "site_not_found",
                "too_many_entries",
                "unknown_column",
                "unknown_operator",
            ),
            401: ("site_not_allowed",),
        },
    ),
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
        answer=value_of(ref("ChosenContent"), "The content, or what was asked for of it."),
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
    _check("/contents/check", "checkContents", "The answer stands at the top, without `value`, as in the original."),
    _check(
        "/contents/actions/check", "checkContentsByAction", "The same as POST /contents/check, by its other address."
    ),
)

# ---- the lists of the older original


def _filters() -> tuple[Parameter, ...]:
    """A parameter for every member of a content but those that the path or another parameter names."""
    return tuple(
        Parameter(to_wire(name), f"Only contents with this value of {to_wire(name)}. {help_of(field)}", _asked(field))
        for name, field in ContentSerializer.field_table().items()
    )


def _asked(field: Any) -> Schema:
    if isinstance(field, IntegerField):
        return ASKED_NUMBER
    return ASKED_FLAG if isinstance(field, BooleanField) else {"type": "string"}


_DATES = (
    Parameter("addDateFrom", "Only contents added at this moment or later, such as 2026-11-20. Default: any."),
    Parameter("addDateTo", "Only contents added at this moment or before; a date alone lasts to the end of its day."),
    Parameter("lastEditDateFrom", "Only contents last edited at this moment or later. Default: any."),
    Parameter("lastEditDateTo", "Only contents last edited at this moment or before; a date alone lasts all day."),
)
_OF_SITE = (
    Parameter("channelIds", "Only contents of these channels, comma-separated numbers. Default: any."),
    Parameter("channelGroup", "Only contents of channels in this group. Default: any."),
)
_LISTED = (
    Parameter("contentGroup", "Only contents in this group. Default: any."),
    Parameter("tag", "Only contents with this tag. Default: any."),
    Parameter(
        "like",
        "Names of members, comma-separated: the parameter of that name is looked for anywhere in the text, letter "
        "case ignored, instead of being compared as a whole. Default: none.",
    ),
    Parameter(
        "orderBy",
        "Columns, comma-separated, each with ASC (default) or DESC: `AddDate DESC,Id`. Default: isTop, taxis and id, "
        "all descending.",
    ),
    FIELDS,
    Parameter(
        "top",
        f"How many contents at most. Default: 20. Up to {limit_words('CMS_MAX_PER_PAGE')}; above it 400.",
        ID | {"maximum": default_of("CMS_MAX_PER_PAGE")},
    ),
    Parameter("skip", "How many contents are left out at the beginning. Default: 0.", dict(ID)),
    Parameter(
        "customFields",
        "Any custom field of the site, as a parameter of its own name: only contents with this value of it.",
        {"type": "object", "additionalProperties": {"description": "The value of the field."}},
        is_exploded=True,
    ),
)
_PAGE = {
    "type": "object",
    "required": ["value", "count"],
    "properties": {
        "value": list_of(ref("ChosenContent")) | {"description": "The contents of the page, in order."},
        "count": {"type": "integer", "minimum": 0, "description": "How many contents match, on all pages together."},
        "first": {"type": "string", "description": "Address of the first page; missing on that page itself."},
        "prev": {"type": "string", "description": "Address of the page before; missing on the first page."},
        "next": {"type": "string", "description": "Address of the next page; missing on the last page."},
        "last": {"type": "string", "description": "Address of the last page; missing on that page itself."},
    },
    "additionalProperties": False,
}


def _get_list(path: str, operation_id: str, which: str, places: tuple[Parameter, ...], *names: str) -> Described:
    found = ("channel_not_found", "site_not_found") if len(places) > 1 else ("site_not_found",)
    further = _OF_SITE if len(places) == 1 else ()
    in_path = {each.name for each in places}
    return Described(
        method="GET",
        path=path,
        id=operation_id,
        tag=TAG,
        description=f"Lists the contents of {which} in pages, as the older original had it. Only approved ones, "
        "unless isChecked is sent. Any member of a content may be a parameter, and all that are sent must hold; an "
        "empty value counts as not sent. POST /contents has more rules.",
        success="The contents of the page, how many match, and addresses of other pages.",
        answer=_PAGE,
        parameters=(
            *places,
            *(each for each in _filters() if each.name not in in_path),
            *_DATES,
            *further,
            *_LISTED,
        ),
        codes={
            400: (
                "duplicate_member",
                "invalid_value",
                "page_too_large",
                "query_too_slow",
                "too_many_entries",
                "unknown_column",
            ),
            404: found,
        },
    )


LISTS = (
    _get_list("/contents/{siteId}", "listContentsOfSite", "a site", (SITE_ID,)),
    _get_list(
        "/contents/{siteId}/{channelId}",
        "listContentsOfChannel",
        "a channel and everything below it",
        (SITE_ID, CHANNEL_ID),
    ),
)

# ---- /stl

_NOT_ALLOWED: Codes = {401: ("site_not_allowed",)}
_CONTENT_ID = Parameter(
    "contentId", "Number of the content, in digits. Without it there is none, and the answer is null."
)
_SCOPE = "Self, Children, SelfAndChildren, Descendant (all below) or All (itself and all below), in any letter case."
_FLAGS = tuple(
    Parameter(name, f"true: only contents that are {what}, false: only those that are not. Default: both.")
    for name, what in (
        ("isTop", "pinned"),
        ("isRecommend", "recommended"),
        ("isHot", "hot"),
        ("isColor", "highlighted"),
    )
)
_MEDIA = tuple(
    Parameter(name, f"true: only contents with {what}, false: only those without. Default: both.")
    for name, what in (("isImage", "an imageUrl"), ("isVideo", "a videoUrl"), ("isFile", "a fileUrl"))
)

STL = (
    Described(
        method="GET",
        path="/stl/content",
        id="getStlContent",
        tag=STL_TAG,
        description="Reads a content by its number, approved or not; where a channel is named, only in it or below "
        "it. Without `type` the answer has neither body nor addresses; with `type` it is one value as a text, shaped "
        "as the text parameters say. A content that does not exist gives null.",
        success="The content, null, or with `type` a text.",
        answer=value_or_text(ref("StlContent")),
        parameters=(
            *CHOICE,
            _CONTENT_ID,
            Parameter("type", f"{TYPE} One of pageContent, navigationUrl, any member of a content, or a custom field."),
            Parameter("no", "Which picture, video or file of several: its number from 1, or all. Default: the first."),
            Parameter(
                "isOriginal",
                "Whether a content that refers to another one answers with the values of that: true or false; what "
                "is neither counts as true. Default: true.",
            ),
            *SHAPING,
            FORMAT,
        ),
        codes={400: (*SHAPING_CODES, "bad_format"), **_NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/contents",
        id="listStlContents",
        tag=STL_TAG,
        description="Lists approved contents of channels around the channel that is meant, pinned ones first, the "
        "highest taxis first. Any column of the contents may be a parameter and filters by it.",
        success="The contents, none or more, with body and address.",
        answer=value_of(list_of(ref("Content")), "The contents in order."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId", "With isRelatedContents: the content to which the others are related. Default: none."
            ),
            Parameter("scope", f"Contents of which channels around that one: {_SCOPE} Default: Self."),
            flag("isAllChildren", "The same as scope=Descendant:"),
            Parameter("group", "Only contents in any of these groups, comma-separated; groupContent is the same."),
            Parameter(
                "groupNot", "Only contents in none of these groups, comma-separated; groupContentNot is the same."
            ),
            Parameter("groupChannel", "Only contents of channels in this group, one name. Default: any."),
            Parameter("groupChannelNot", "Only contents of channels outside of this group, one name. Default: any."),
            Parameter(
                "tags", 'Only contents with any of these tags, separated by commas or blanks; "one with a blank".'
            ),
            flag("isRelatedContents", "Only contents that share a tag with contentId:"),
            *_FLAGS,
            *_MEDIA,
            WHERE,
            Parameter(
                "order",
                "How they are sorted: Default, Back, AddDate, AddDateBack, LastEditDate, LastEditDateBack, Hits, "
                f"HitsByDay, HitsByWeek, HitsByMonth, Random, {ORDER}",
            ),
            *WINDOW,
            Parameter(
                "columns",
                "Any column of the contents, as a parameter of its own name: x, or x,y for any of several, not:x,y, "
                "contains:x, start:x, end:x.",
                {
                    "type": "object",
                    "additionalProperties": {"description": "What the column must have."},
                },
                is_exploded=True,
            ),
        ),
        codes={400: (*LIST_CODES, "query_too_slow", "too_many_entries"), **_NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/a",
        id="getStlAddress",
        tag=STL_TAG,
        description="Answers the address of a channel, of a content or of the site, as a link to it would have it: "
        "of a content where contentId is sent, else of a channel. One that does not exist gives null.",
        success="The address, or null.",
        answer=value_of({"type": ["string", "null"]}, "The address; null where there is nothing to link to."),
        parameters=(
            *CHOICE,
            Parameter(
                "contentId", "Number of the content whose address is wanted, in digits. Default: a channel is meant."
            ),
            Parameter(
                "context",
                "What is linked to: Channel, Content or Site, in any letter case. Default: as the others say.",
            ),
            Parameter("href", "An address that is to be resolved instead: @/ and ~/ at its beginning mean the site."),
            Parameter(
                "host",
                "What comes before an address without a host, such as https://www.example.com. Default: nothing.",
            ),
            Parameter("queryString", "What is put behind the address as its query, without ?. Default: nothing."),
        ),
        codes={400: ("invalid_value", "site_not_found"), **_NOT_ALLOWED},
    ),
    Described(
        method="GET",
        path="/stl/count",
        id="getStlCount",
        tag=STL_TAG,
        description="Counts the approved contents of channels around the channel that is meant, or the channels "
        "directly below it. The number is a text, as in the original; of an unknown `type` it is 0.",
        success="The number as a text, or null where there is no such channel.",
        answer=value_of({"type": ["string", "null"], "pattern": "^[0-9]+$"}, "The number, in digits."),
        parameters=(
            *CHOICE,
            Parameter("type", "What is counted: Contents (default) or Channels, in any letter case."),
            Parameter("scope", f"Contents of which channels around that one: {_SCOPE} Default: Self."),
            Parameter(
                "since", "Only contents added within this time: 1y, 2m, 3d, 12h, or so many hours. Default: any time."
            ),
        ),
        codes={400: ("invalid_value", "site_not_found"), **_NOT_ALLOWED},
    ),
)

OPERATIONS = (*CONTENTS, *LISTS, *STL)
