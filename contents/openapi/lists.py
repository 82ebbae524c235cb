"""OpenAPI of POST /contents."""

from cms_api.openapi.describing import Body, Described, Schema, list_of, record, ref
from cms_api.openapi.limits import default_of, limit_words
from cms_api.openapi.schemas import one_of, sent
from contents.api.serializers import ContentListSerializer, CountField
from contents.openapi.records import TAG
from contents.openapi.rules import MAX_RULES


def _request() -> Schema:
    schema = sent(ContentListSerializer, require=["siteId"])
    properties = schema["properties"]
    for name, most in (
        ("wheres", MAX_RULES),
        ("orders", MAX_RULES),
        ("groupNames", default_of("CMS_MAX_NAMES")),
        ("tagNames", default_of("CMS_MAX_NAMES")),
    ):
        properties[name]["maxItems"] = most
    properties["wheres"]["items"] = ref("WhereEntry")
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
        "contents": list_of(ref("Content")) | {"description": "The contents of the page, in order."},
        "nextCursor": {
            "type": ["string", "null"],
            "description": "`cursor` for the next page, null on the last. Only if a cursor was sent.",
        },
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
        f"`contents` is empty. At most {limit_words('CMS_MAX_RULES')} rules, which may take "
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
