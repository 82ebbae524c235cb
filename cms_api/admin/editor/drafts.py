from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse

# The editor's script reads it (src/form/drafts.js), so it cannot be HttpOnly. It holds no secret.
COOKIE = "cms_saved_draft"


def mark_saved(response: HttpResponse, draft_key: str) -> HttpResponse:
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(
        COOKIE, quote(draft_key, safe=""), path="/", samesite="Lax", secure=secure, max_age=24 * 60 * 60
    )
    return response
