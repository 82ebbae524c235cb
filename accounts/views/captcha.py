"""Captchas: open to everybody."""

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import captcha
from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import TextField
from cms_api.rest.serializers import WireSerializer
from cms_api.rest.views import OpenView

MAX_NAME = 64  # characters
# Generated clients read the second one, and not every image type.
PICTURE_TYPES = ("image/png", "application/octet-stream")


class CaptchaView(OpenView):
    """`GET /captcha/{name}`: a new picture."""

    def get(self, request: Request, name: str) -> HttpResponse:
        """The picture; the cookie that belongs to it takes the place of an earlier one."""
        token = captcha.new_token(_checked(name))
        content_type = request.get_preferred_type(PICTURE_TYPES) or PICTURE_TYPES[0]
        response = HttpResponse(captcha.draw(name, token), content_type=content_type)
        response.headers["Cache-Control"] = "no-store"
        response.headers["Pragma"] = "no-cache"
        response.set_cookie(_cookie(name), token, max_age=captcha.SECONDS, httponly=True, **_cross_site(request))
        return response


class CaptchaSerializer(WireSerializer):
    captcha = TextField(help_text="The four characters that somebody has read from the picture, in any letter case.")


class CaptchaCheckView(OpenView):
    """`POST /captcha/{name}/actions/check`: whether somebody has read the picture."""

    _is_used_up = False

    def post(self, request: Request, name: str) -> Response:
        """True, once. Raises InvalidInput otherwise, so that a page need not look at the value.

        A body that holds no answer (`missing_member`, a value of another type) does not use the captcha up.
        """
        token = request.COOKIES.get(_cookie(_checked(name)), "")
        values = CaptchaSerializer.read(self.body, require=["captcha"]).values
        self._is_used_up = True
        captcha.check(name, token, values["captcha"])
        return Response(True)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """The answer, which takes the cookie of a captcha away that is used up, whatever the outcome."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._is_used_up:
            samesite = _cross_site(request).get("samesite")
            response.delete_cookie(_cookie(self.kwargs["name"]), samesite=samesite)
        return response


def _checked(name: str) -> str:
    if len(name) > MAX_NAME:
        raise InvalidInput("captcha_name_too_long", f"The name of a captcha has at most {MAX_NAME} characters.")
    return name


def _cookie(name: str) -> str:
    # Percent-encoded, since names of cookies are words of ASCII; LOGIN-CAPTCHA stays as it is.
    return f"SS-{quote(name, safe='')}"


def _cross_site(request: HttpRequest | Request) -> dict[str, Any]:
    """Lets pages of other origins send the cookie, where browsers allow that: through HTTPS only."""
    return {"samesite": "None", "secure": True} if request.is_secure() else {}
