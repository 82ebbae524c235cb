"""Sessions of users on the host of one site: an access token in a cookie, which no other site and no API accepts."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts import access_tokens
from accounts.models import User


def member_of(request: HttpRequest, site_id: int) -> User | None:
    """Return the user who is signed in to the site."""
    text = request.COOKIES.get(settings.MEMBER_COOKIE_NAME, "")
    return access_tokens.owner(text, User, _place(site_id)) if text else None


def begin(response: HttpResponse, user: User, site_id: int) -> None:
    token, _expiry = access_tokens.issue(user, _place(site_id))
    response.set_cookie(
        settings.MEMBER_COOKIE_NAME,
        token,
        max_age=access_tokens.LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def end(request: HttpRequest, response: HttpResponse, site_id: int) -> None:
    access_tokens.end(request.COOKIES.get(settings.MEMBER_COOKIE_NAME, ""), User, _place(site_id))
    response.delete_cookie(settings.MEMBER_COOKIE_NAME, samesite="Lax")


def _place(site_id: int) -> str:
    return f"site {site_id}"
