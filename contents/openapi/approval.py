from contents.api.serializers import CheckedItemSerializer, CheckSerializer
from contents.openapi.rules import rule
from contents.openapi.single import TAG
from core.openapi.describing import Body, Described, Schema, list_of, record, ref
from core.openapi.limits import default_of, limit_words
from core.openapi.schemas import number, sent

_ANSWER = record(
    {
        "contents": list_of(ref("Content")) | {"description": "The contents now approved."},
        "missing": list_of(
            record({"channelId": number("Channel as it was sent."), "id": number("Content as it was sent.")})
        )
        | {"description": "The entries of the request for which there is no content. Only if there are any."},
    },
    required=["contents"],
)


def _request() -> Schema:
    schema = sent(CheckSerializer, require=["siteId", "contents"])
    schema["properties"]["contents"]["maxItems"] = default_of("CMS_MAX_PER_PAGE")
    return schema


SCHEMAS: dict[str, Schema] = {
    "CheckRequest": _request(),
    "CheckedItem": rule(CheckedItemSerializer),
}


def _check(path: str, operation_id: str, description: str) -> Described:
    return Described(
        method="POST",
        path=path,
        id=operation_id,
        tag=TAG,
        description=description,
        success="The approved contents.",
        answer=_ANSWER,
        body=Body(schema=ref("CheckRequest"), description="The contents to approve."),
        codes={400: ("missing_member", "site_not_found", "too_many_entries"), 401: ("site_not_allowed",)},
    )


OPERATIONS = (
    _check(
        "/contents/check",
        "checkContents",
        "Gives contents of one site final approval at any level; unknown ones are listed in `missing`. At most "
        f"{limit_words('CMS_MAX_PER_PAGE')} at once. The response has no `value`, as in SiteServer CMS.",
    ),
    _check(
        "/contents/actions/check",
        "checkContentsByAction",
        "Approves contents like POST /contents/check, with the same body and response.",
    ),
)
