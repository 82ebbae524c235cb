"""Pictures of users in the OpenAPI document."""

from accounts.openapi.accounts import account_of
from accounts.openapi.paths import NO_USER, USER_ID, USERS
from cms_api.openapi.describing import Body, Described, Parameter, value_of
from cms_api.openapi.limits import limit_words
from cms_api.openapi.schemas import ID

OPERATIONS = (
    Described(
        method="POST",
        path="/users/{id}/avatar",
        id="uploadUserAvatar",
        tag=USERS,
        description="Takes a picture for a user as the only file of a form; any name of the part and of the file "
        f"will do. GIF, JPEG, PNG, WebP or BMP, up to {limit_words('CMS_AVATAR_MAX_BYTES')} bytes and "
        f"{limit_words('CMS_AVATAR_MAX_PIXELS')} pixels; it is stored smaller, with {limit_words('CMS_AVATAR_SIDE')} "
        "pixels on the longer side at most.",
        success="The user with the address of the new picture.",
        answer=account_of("User", "The user with the new avatarUrl."),
        parameters=(USER_ID,),
        body=Body(
            schema={
                "type": "object",
                "required": ["avatar"],
                "properties": {
                    "avatar": {
                        "type": "string",
                        "format": "binary",  # of OpenAPI 3.0, by which generators of clients take files
                        "contentMediaType": "application/octet-stream",
                        "description": "The picture: the bytes of a file.",
                    }
                },
            },
            description="A form with one file. Further parts that are no files are ignored.",
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
        description="Answers the absolute address of a user's picture. A user without one, and an id that no user "
        "has, get the address of the default picture.",
        success="The address.",
        answer=value_of({"type": "string"}, "The absolute address of the picture."),
        parameters=(Parameter("id", "Number of the user; one that no user has is no error.", dict(ID), "path"),),
    ),
)
