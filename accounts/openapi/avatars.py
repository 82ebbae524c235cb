from accounts.avatars import SIDE
from accounts.openapi.accounts import account_of
from accounts.openapi.paths import NO_USER, USER_ID, USERS
from core.openapi.describing import Body, Described, Parameter, value_of
from core.openapi.limits import limit_words
from core.openapi.schemas import ID

OPERATIONS = (
    Described(
        method="POST",
        path="/users/{id}/avatar",
        id="uploadUserAvatar",
        tag=USERS,
        description="Uploads a picture for a user as the only file of a form, under any part and file name: GIF, JPEG, "
        f"PNG, WebP or BMP, up to {limit_words('CMS_AVATAR_MAX_BYTES')} bytes and "
        f"{limit_words('CMS_AVATAR_MAX_PIXELS')} pixels. Larger pictures are scaled to "
        f"{SIDE} pixels on the longer side.",
        success="The user with the new picture.",
        answer=account_of("User", "The user with the new avatarUrl."),
        parameters=(USER_ID,),
        body=Body(
            schema={
                "type": "object",
                "required": ["avatar"],
                "properties": {
                    "avatar": {
                        "type": "string",
                        "format": "binary",  # OpenAPI 3.0 style, which client generators recognize as a file
                        "contentMediaType": "application/octet-stream",
                        "description": "The bytes of the picture.",
                    }
                },
            },
            description="A form with one file. Other parts are ignored.",
            media_type="multipart/form-data",
            encoding={"avatar": {"contentType": "image/png, image/jpeg, image/gif, image/webp, image/bmp"}},
        ),
        codes={
            400: (
                "file_empty",
                "file_expected",
                "not_a_picture",
                "one_file_expected",
                "picture_too_large",
                "picture_too_large_for_format",
            ),
            413: ("file_too_large",),
            429: ("busy",),
            503: ("storage_unavailable",),
            **NO_USER,
        },
    ),
    Described(
        method="GET",
        path="/users/{id}/avatar",
        id="getUserAvatar",
        tag=USERS,
        description="Returns the absolute URL of a user's picture, or of the default picture if the user has none or "
        "does not exist.",
        success="The URL.",
        answer=value_of({"type": "string"}, "The absolute URL of the picture."),
        parameters=(Parameter("id", "Id of the user, who may not exist.", dict(ID), "path"),),
    ),
)
