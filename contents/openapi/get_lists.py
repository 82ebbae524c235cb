"""The lists of the older original in the OpenAPI document: filters as parameters of a query."""

from typing import Any

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from cms_api.openapi.describing import PAGE_ADDRESSES, Described, Parameter, Schema, list_of, record, ref
from cms_api.openapi.limits import default_of, limit_words
from cms_api.openapi.schemas import ASKED_FLAG, ASKED_NUMBER, ID, help_of
from cms_api.rest.fields import BooleanField, IntegerField
from cms_api.rest.names import to_wire
from contents.openapi.records import FIELDS, TAG
from contents.serializers import ContentSerializer


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
_PAGE = record(
    {
        "value": list_of(ref("ChosenContent")) | {"description": "The contents of the page, in order."},
        "count": {"type": "integer", "minimum": 0, "description": "How many contents match, on all pages together."},
        **PAGE_ADDRESSES,
    },
    required=["value", "count"],
)


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


OPERATIONS = (
    _get_list("/contents/{siteId}", "listContentsOfSite", "a site", (SITE_ID,)),
    _get_list(
        "/contents/{siteId}/{channelId}",
        "listContentsOfChannel",
        "a channel and everything below it",
        (SITE_ID, CHANNEL_ID),
    ),
)
