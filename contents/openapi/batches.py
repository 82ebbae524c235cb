from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from contents.api.serializers import (
    MAX_BATCH,
    BatchSerializer,
    ChangedContentsSerializer,
    CheckedContentsSerializer,
    ChosenContentsSerializer,
    MovedContentsSerializer,
    NewContentsSerializer,
)
from contents.openapi.single import CHOSEN, MISSING, STORING_CODES, TAG, sent_content
from contents.wire.serializers import ContentSerializer
from core.openapi.describing import Body, Described, Schema, list_of, record, ref
from core.openapi.schemas import sent, sent_member
from core.rest.names import to_wire

_ANSWER = (
    "By default a batch changes all contents or none: an error names the first content that is refused, such as "
    "`contents[3]` or `ids[3]`, in `message` and `member`, and gives its place from 0 as `position`. With "
    "`atomic: false` the status is 200, and each content has a result, possibly the error that it would get alone."
)
_CODES = ("duplicate_entry", "missing_member", "too_many_entries", "unknown_column", "unknown_member")


def _batch(serializer: type[BatchSerializer], member: str, **further: object) -> Schema:
    required = [to_wire(name) for name, field in serializer.field_table().items() if field.required]
    schema = sent(serializer, require=required)
    schema["properties"][member] |= {"maxItems": MAX_BATCH, **further}
    return schema


def _changed_content() -> Schema:
    schema = sent_content("id", is_change=True)
    number = sent_member(ContentSerializer.field_table()["id"], is_required=True)
    return schema | {"properties": {"id": number} | schema["properties"]}


SCHEMAS: dict[str, Schema] = {
    "NewContents": _batch(NewContentsSerializer, "contents", items=ref("NewContent")),
    "ChangedContent": _changed_content(),
    "ChangedContents": _batch(ChangedContentsSerializer, "contents", items=ref("ChangedContent")),
    "ChosenContents": _batch(ChosenContentsSerializer, "ids", uniqueItems=True),
    "CheckedContents": _batch(CheckedContentsSerializer, "ids", uniqueItems=True),
    "MovedContents": _batch(MovedContentsSerializer, "ids", uniqueItems=True),
    "BatchResult": record(
        {
            "status": {"type": "integer", "format": "int32", "description": "200, or the status of the error."},
            "content": CHOSEN | {"description": "The content, if the status is 200."},
            "error": ref("Error") | {"description": "Why nothing was done with it otherwise."},
        },
        required=["status"],
    ),
    "BatchAnswer": record(
        {
            "contents": list_of(CHOSEN) | {"description": "The contents in order, unless atomic is false."},
            "results": list_of(ref("BatchResult")) | {"description": "The results in order, if atomic is false."},
        },
        required=[],
    )
    | {"description": _ANSWER},
}


def _operation(
    path: str, operation_id: str, body: str, words: str, success: str, codes: tuple[str, ...] = (), method: str = "POST"
) -> Described:
    return Described(
        method=method,
        path=f"/contents/{{siteId}}/{{channelId}}/batch{path}",
        id=operation_id,
        tag=TAG,
        description=f"{words} At most {MAX_BATCH} contents; all or none, unless `atomic` is false.",
        success=success,
        answer=ref("BatchAnswer"),
        parameters=(SITE_ID, CHANNEL_ID),
        body=Body(schema=ref(body), description="The contents, and how to treat errors."),
        codes={400: (*_CODES, *codes), **MISSING},
    )


OPERATIONS = (
    _operation(
        "",
        "createContents",
        "NewContents",
        "Creates contents in order, so that the last one is on top; each needs a `title`.",
        "The new contents.",
        STORING_CODES,
    ),
    _operation(
        "",
        "updateContents",
        "ChangedContents",
        "Changes the members that are sent with each `id`.",
        "The contents after the change.",
        STORING_CODES,
        method="PUT",
    ),
    _operation(
        "/check",
        "checkContentsOfChannel",
        "CheckedContents",
        "Gives contents final approval.",
        "The approved contents.",
    ),
    _operation(
        "/move",
        "moveContents",
        "MovedContents",
        "Moves contents to the top of another channel of the site, in order, so that the last one is on top.",
        "The contents in their new channel.",
        ("channel_not_found", "channel_takes_no_contents", "in_channel_already"),
    ),
    _operation(
        "/delete",
        "deleteContents",
        "ChosenContents",
        "Moves contents to the trash; they can be restored in the admin.",
        "The contents that were deleted.",
    ),
)
