from accounts.openapi.paths import SIGN_IN
from accounts.serializers import CaptchaSerializer
from accounts.views import MAX_CAPTCHA_NAME, PICTURE_TYPES
from core.openapi.describing import Body, Described, Parameter, Schema, ref, value_of
from core.openapi.schemas import sent

_CAPTCHA_NAME = Parameter(
    "name",
    "Purpose of the captcha, such as LOGIN-CAPTCHA; each name has its own picture and cookie. At most "
    f"{MAX_CAPTCHA_NAME} characters, without a slash.",
    {"type": "string", "minLength": 1, "maxLength": MAX_CAPTCHA_NAME, "pattern": "^[^/]+$"},
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
        description="Returns a PNG of 130 by 53 pixels with four distinguishable characters, and sets its cookie "
        "SS-{name}. Valid for 10 minutes and one check. If Accept prefers application/octet-stream, the same "
        "bytes have that type.",
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
        description="Checks the text of the captcha whose cookie is sent, ignoring letter case; a wrong text gives "
        "400. Each captcha can be checked once.",
        success="The text is right.",
        answer=value_of({"type": "boolean", "enum": [True]}, "Always true; a wrong text gives 400."),
        parameters=(_CAPTCHA_NAME,),
        body=Body(schema=ref("CaptchaAnswer"), description="The text of the captcha."),
        codes={400: ("captcha_expired", "captcha_name_too_long", "captcha_wrong", "missing_member")},
    ),
)
