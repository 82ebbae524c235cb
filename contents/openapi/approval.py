"""The approval of contents in the OpenAPI document."""

from cms_api.openapi.describing import Body, Described, Schema, list_of, record, ref
from cms_api.openapi.limits import default_of, limit_words
from cms_api.openapi.schemas import sent
from contents.api.serializers import CheckedItemSerializer, CheckSerializer
from contents.openapi.records import TAG
from contents.openapi.rules import rule

_ANSWER = record(
    {
        "contents": list_of(ref("Content"))
        | {"description": "The contents that are approved now; those that do not exist are left out."}
    }
)


def _request() -> Schema:
    schema = sent(CheckSerializer, require=["siteId", "contents"])
    schema["properties"]["contents"]["maxItems"] = default_of("CMS_MAX_PER_PAGE")
    return schema


SCHEMAS: dict[str, Schema] = {
    "CheckRequest": _request(),
    "CheckedItem": rule(CheckedItemSerializer),
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
        answer=_ANSWER,
        body=Body(schema=ref("CheckRequest"), description="The contents to approve."),
        codes={400: ("missing_member", "site_not_found", "too_many_entries"), 401: ("site_not_allowed",)},
    )


OPERATIONS = (
    _check("/contents/check", "checkContents", "The answer stands at the top, without `value`, as in the original."),
    _check(
        "/contents/actions/check", "checkContentsByAction", "The same as POST /contents/check, by its other address."
    ),
)
