"""Tells the browser that a form was saved, so that it gives up the draft it keeps of it."""

from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse

# Read by the editor's script (src/form/drafts.js), so it is not for HTTP only. It holds no secret.
COOKIE = "cms_saved_draft"


def tell_saved(response: HttpResponse, draft_key: str) -> HttpResponse:
    """The answer to a form that was saved, naming the draft that is no longer needed."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(
        COOKIE, quote(draft_key, safe=""), path="/", samesite="Lax", secure=secure, max_age=24 * 60 * 60
    )
    return response
