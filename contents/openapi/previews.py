"""OpenAPI of previews by a token."""

from channels_app.openapi.channels import CHANNEL_ID, SITE_ID
from contents.openapi.single import CONTENT_ID, MISSING, TAG
from core.openapi.describing import Codes, Described, Parameter, Schema, record, ref, value_of
from core.openapi.schemas import date

_TOKEN = Parameter(
    "token",
    "Token of the preview, valid for an hour, or a minute in frames of the admin.",
    {"type": "string", "minLength": 1, "maxLength": 500},
    place="path",
)
_CODES: Codes = {404: ("preview_ended",)}

SCHEMAS: dict[str, Schema] = {
    "Preview": record(
        {
            "token": {"type": "string", "description": "Token of the preview, for the path of GET."},
            "url": {
                "type": "string",
                "description": "Where people see it: previewAddress of the site, or a path of this service.",
            },
            "endsAt": date("When the token ends, in an hour."),
        }
    )
}

OPERATIONS = (
    Described(
        method="POST",
        path="/contents/{siteId}/{channelId}/{id}/preview",
        id="createPreview",
        tag=TAG,
        description="Makes a link that shows the current content, or its draft, to anyone for an hour. It does not "
        "work while the content is in the trash, and ends early if the key loses the right to make it.",
        success="The link.",
        answer=value_of(ref("Preview"), "The link, which anyone may open."),
        parameters=(SITE_ID, CHANNEL_ID, CONTENT_ID),
        codes=MISSING,
    ),
    Described(
        method="GET",
        path="/previews/{token}",
        id="getPreview",
        tag=TAG,
        description="Returns an unpublished version of a content: with the values of its draft, or with unsaved text "
        "of an administrator; id is -1 for a new content. Needs only the token of the preview.",
        success="The content.",
        answer=value_of(ref("Content"), "The content, which may not be stored."),
        parameters=(_TOKEN,),
        codes=_CODES,
    ),
    Described(
        method="GET",
        path="/previews/{token}/page",
        id="getPreviewPage",
        tag=TAG,
        description="Returns the page of a content with the values of its draft, in the template of the site. Needs "
        "the token of the preview only.",
        success="The page.",
        answer={"type": "string", "description": "The page as HTML."},
        answer_types=("text/html",),
        parameters=(_TOKEN,),
        codes=_CODES,
    ),
)
