"""Captchas in the OpenAPI document."""

from accounts.openapi.paths import SIGN_IN
from accounts.views.captcha import MAX_NAME, PICTURE_TYPES, CaptchaSerializer
from cms_api.openapi.describing import Body, Described, Parameter, Schema, ref, value_of
from cms_api.openapi.schemas import sent

_CAPTCHA_NAME = Parameter(
    "name",
    "What the captcha is for, such as LOGIN-CAPTCHA: each name has a picture and a cookie of its own. At most "
    f"{MAX_NAME} characters, without a slash.",
    {"type": "string", "minLength": 1, "maxLength": MAX_NAME, "pattern": "^[^/]+$"},
    "path",
)

SCHEMAS: dict[str, Schema] = {
    "CaptchaAnswer": sent(CaptchaSerializer, require=["captcha"]),
}

OPERATIONS = (
    Described(
        method="GET",
        path="/captcha/{name}",
        id="getCaptcha",
        tag=SIGN_IN,
        description="Draws four characters that people can tell apart, as a PNG of 130 by 53 pixels, and sets the "
        "cookie SS-{name} that belongs to it. It is valid for 10 minutes and for one answer. If Accept prefers "
        "application/octet-stream, the same bytes come with that type.",
        success="The picture.",
        answer={"type": "string", "contentMediaType": "image/png", "description": "The bytes of the picture."},
        answer_types=PICTURE_TYPES,
        headers=("Set-Cookie", "Cache-Control"),
        parameters=(_CAPTCHA_NAME,),
        codes={400: ("captcha_name_too_long",), 429: ("busy",)},
        uses_database=False,
    ),
    Described(
        method="POST",
        path="/captcha/{name}/actions/check",
        id="checkCaptcha",
        tag=SIGN_IN,
        description="Checks what somebody has read from the picture whose cookie the request bears, letter case "
        "ignored. Whatever the outcome, the picture is used up. A wrong answer is 400, so that a page need not look "
        "at the value.",
        success="The answer was right.",
        answer=value_of({"type": "boolean", "enum": [True]}, "Always true: a wrong answer is 400."),
        parameters=(_CAPTCHA_NAME,),
        body=Body(schema=ref("CaptchaAnswer"), description="What was read from the picture."),
        codes={400: ("captcha_expired", "captcha_name_too_long", "captcha_wrong", "missing_member")},
    ),
)
