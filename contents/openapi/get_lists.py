"""OpenAPI of the GET lists."""

from collections.abc import Collection
from typing import Any

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from contents.lists.request import MAX_RULES
from contents.openapi.single import CHOSEN, FIELDS, INCLUDE, INCLUDED, TAG
from contents.rules.sql import MAX_IN_VALUES, MAX_PATTERN
from contents.wire.serializers import ContentSerializer
from core.openapi.describing import PAGE_ADDRESSES, Described, Parameter, Schema, list_of, record
from core.openapi.limits import default_of, limit_words
from core.openapi.schemas import ASKED_DATE, ASKED_FLAG, ASKED_ID, ASKED_NUMBER, ID, TEXT, help_of, without_default
from core.rest.fields import BooleanField, DateTimeField, IntegerField
from core.rest.names import to_wire


def filters_without(names: Collection[str]) -> tuple[Parameter, ...]:
    """One parameter per other member of a content, and the bounds of its dates."""
    members = ((to_wire(name), field) for name, field in ContentSerializer.field_table().items())
    return (*(_filter(name, field) for name, field in members if name not in names), *_DATES)


def _filter(name: str, field: Any) -> Parameter:
    default = "only approved ones" if name == "isChecked" else "any"
    meaning = without_default(help_of(field))
    return Parameter(name, f"Only contents with this value of {name}. {meaning} Default: {default}.", _asked(field))


def _asked(field: Any) -> Schema:
    if isinstance(field, IntegerField):
        return ASKED_NUMBER
    if isinstance(field, DateTimeField):
        return ASKED_DATE
    return ASKED_FLAG if isinstance(field, BooleanField) else TEXT


_DATES = (
    Parameter("addDateFrom", "Contents added at this time or later, such as 2026-11-20. Default: any.", ASKED_DATE),
    Parameter(
        "addDateTo",
        "Contents added at this time or earlier; a date alone includes that day. Default: any.",
        ASKED_DATE,
    ),
    Parameter("lastEditDateFrom", "Contents last edited at this time or later. Default: any.", ASKED_DATE),
    Parameter(
        "lastEditDateTo",
        "Contents last edited at this time or earlier; a date alone includes that day. Default: any.",
        ASKED_DATE,
    ),
)
OF_SITE = (
    Parameter(
        "channelIds",
        f"Contents of these channels: up to {MAX_IN_VALUES:,} comma-separated ids. Default: any.",
        {"type": "string", "pattern": r"^(\s*[+-]?\d{1,18}\s*(,\s*[+-]?\d{1,18}\s*)*)?$"},
    ),
    Parameter("channelGroup", "Contents of channels in this group. Default: any.", TEXT),
)
NARROWED = (
    Parameter("contentGroup", "Contents in this group. Default: any.", TEXT),
    Parameter("tag", "Contents with this tag. Default: any.", TEXT),
    Parameter(
        "like",
        "Members, comma-separated, whose parameter matches anywhere in the text, ignoring letter case, "
        f"instead of exactly; at most {MAX_PATTERN} characters each. Default: none.",
        TEXT,
    ),
)
_ORDER = (
    Parameter(
        "orderBy",
        f"Up to {MAX_RULES} columns, comma-separated, each with ASC (the default) or DESC: "
        "`AddDate DESC,Id`. Default: isTop, taxis and id, all descending.",
        TEXT,
    ),
)
WINDOW = (
    Parameter(
        "top",
        f"Maximum number of contents, up to {limit_words('CMS_MAX_PER_PAGE')}; less than 1 counts as 20. Default: 20.",
        ASKED_ID | {"maximum": default_of("CMS_MAX_PER_PAGE")},
    ),
    Parameter("skip", "Number of contents to skip; negative counts as 0. Default: 0.", ASKED_ID),
)
CUSTOM = (
    Parameter(
        "customFields",
        "Any custom field of the site, as a parameter of its own name, compared with its value. Default: any.",
        {"type": "object", "additionalProperties": {"description": "Value of the field."}},
        is_exploded=True,
    ),
)
_PAGE = record(
    {
        "value": list_of(CHOSEN) | {"description": "The contents of the page, in order."},
        "count": ID | {"minimum": 0, "description": "Number of matching contents on all pages."},
        **PAGE_ADDRESSES,
        **INCLUDED,
    },
    required=["value", "count"],
)


def _get_list(path: str, operation_id: str, description: str, places: tuple[Parameter, ...]) -> Described:
    found = ("channel_not_found", "site_not_found") if len(places) > 1 else ("site_not_found",)
    further = OF_SITE if len(places) == 1 else ()
    in_path = {each.name for each in places}
    return Described(
        method="GET",
        path=path,
        id=operation_id,
        tag=TAG,
        description=description,
        success="The contents of the page, the total, and URLs of other pages.",
        answer=_PAGE,
        parameters=(
            *places,
            *filters_without(in_path),
            *further,
            *NARROWED,
            *_ORDER,
            FIELDS,
            INCLUDE,
            *WINDOW,
            *CUSTOM,
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


OPERATIONS = (
    _get_list(
        "/contents/{siteId}",
        "listContentsOfSite",
        "Lists the contents of a site in pages, as older versions of SiteServer CMS do; only approved ones unless "
        "isChecked is sent. Any member may be a filter; all must match, and empty ones are ignored. POST /contents "
        "offers more rules.",
        (SITE_ID,),
    ),
    _get_list(
        "/contents/{siteId}/{channelId}",
        "listContentsOfChannel",
        "Lists the contents of a channel and its descendants in the same way as GET /contents/{siteId}.",
        (SITE_ID, CHANNEL_ID),
    ),
)
