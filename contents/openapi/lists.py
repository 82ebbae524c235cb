"""OpenAPI of POST /contents."""

from contents.api.serializers import ContentListSerializer, CountField, IncludeField
from contents.lists.request import MAX_NAMES, MAX_RULES
from contents.openapi.single import CHOSEN, INCLUDED, TAG
from core.openapi.describing import Body, Described, Schema, list_of, record, ref
from core.openapi.limits import default_of
from core.openapi.schemas import one_of, sent


def _request() -> Schema:
    schema = sent(ContentListSerializer, require=["siteId"])
    properties = schema["properties"]
    for name, most in (
        ("wheres", MAX_RULES),
        ("orders", MAX_RULES),
        ("groupNames", MAX_NAMES),
        ("tagNames", MAX_NAMES),
    ):
        properties[name]["maxItems"] = most
    properties["wheres"]["items"] = ref("WhereEntry")
    properties["include"]["maxItems"] = len(IncludeField.words)
    properties["perPage"]["maximum"] = default_of("CMS_MAX_PER_PAGE")
    return schema


_ANSWER = record(
    {
        "totalCount": {
            "type": ["integer", "null"],
            "format": "int64",
            "minimum": 0,
            "description": "Number of matching contents on all pages; null if `count` is none.",
        },
        "contents": list_of(CHOSEN) | {"description": "The contents of the page, in order."},
        "nextCursor": {
            "type": ["string", "null"],
            "description": "`cursor` for the next page, null on the last. Only if a cursor was sent.",
        },
        **INCLUDED,
    },
    required=["totalCount", "contents"],
)

SCHEMAS: dict[str, Schema] = {
    "Count": one_of(*CountField.words) | {"description": "How to count the contents of a list."},
    "ContentListRequest": _request(),
}

OPERATIONS = (
    Described(
        method="POST",
        path="/contents",
        id="listContents",
        tag=TAG,
        description="Lists the contents of a site, or of a channel and its descendants, that match all filters and "
        "rules, in pages. Read-only. The response has no `value`, as in SiteServer CMS. Beyond the last page "
        f"`contents` is empty. At most {MAX_RULES} rules, which may take "
        "CMS_STATEMENT_SECONDS.",
        success="The contents of the page and the total.",
        answer=_ANSWER,
        body=Body(schema=ref("ContentListRequest"), description="Filters, order and page."),
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
                "unknown_member",
                "unknown_operator",
            ),
            401: ("site_not_allowed",),
        },
    ),
)
