from collections.abc import Callable
from urllib.parse import quote

from django.conf import settings
from django.contrib import messages
from django.contrib.messages.api import get_messages
from django.http import HttpRequest, HttpResponse

from core.admin.sent_forms import has_acted
from core.admin.sessions import leads_to_sign_in

# The script of forms reads it (src/frame/draft.js), so it cannot be HttpOnly. It holds no secret.
COOKIE = "cms_saved_draft"
FIELD = "_draft_key"  # the key of the form's draft in the browser
_LONGEST = 500  # characters


class SavedDrafts:
    """Signals to the browser that a form was stored, so that it drops its draft."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "POST" or not request.path_info.startswith("/admin/") or not has_acted(response):
            return response
        if leads_to_sign_in(response) or _was_refused(request):  # before a stranger's form would be read
            return response
        if key := request.POST.get(FIELD, "")[:_LONGEST]:
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(
                COOKIE, quote(key, safe=""), path="/", samesite="Lax", secure=secure, max_age=24 * 60 * 60
            )
        return response


def _was_refused(request: HttpRequest) -> bool:
    # Messages of this request; reading them all would take them from the page that is to show them.
    queued = getattr(get_messages(request), "_queued_messages", [])
    return any(each.level >= messages.ERROR for each in queued)
