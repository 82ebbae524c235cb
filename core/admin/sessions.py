import time
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

_BEGAN, _SEEN = "_began", "_seen"  # seconds of Unix time
_PURGED_AT_ONCE = 1000
session_seen = Signal()  # with request and user: a session begins or continues, at most once a minute


class SessionEnd:
    """Ends a session after CMS_SESSION_MINUTES without a click, and after SESSION_END_SECONDS in any case."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Other pages ignore the user and work without the database. The request of a script may have taken the cookie
        # of an ended session away before the form is sent.
        has_cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME) or request.method == "POST"
        if not has_cookie or not request.path_info.startswith("/admin/"):
            return self.get_response(request)
        if request.user.is_authenticated:
            _prolong(request)
        was_signed_in = request.user.is_authenticated
        response = self.get_response(request)
        if not was_signed_in and leads_to_sign_in(response):
            if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
                messages.info(request, _("Your session has ended; sign in again."))  # by a script; its page stays
            elif request.method == "POST":
                response.headers["Location"] = (
                    f"{reverse('admin:login')}?{urlencode({'next': _page_of_form(request)}, safe='/')}"
                )
                messages.info(request, _("Your session has ended, so the form was not stored. Sign in again."))
            else:
                messages.info(request, _("Your session has ended. Sign in again to continue where you left off."))
        return response


def leads_to_sign_in(response: HttpResponse) -> bool:
    """Return true if the page can be seen after signing in only; a new password redirects to the plain address."""
    return response.headers.get("Location", "").startswith(f"{reverse('admin:login')}?")


def _page_of_form(request: HttpRequest) -> str:
    """Return the page of the form, which offers its draft; else the address of the form."""
    page = urlsplit(request.headers.get("Referer", ""))
    is_own = (page.scheme, page.netloc) == (request.scheme, request.get_host()) and page.path.startswith("/admin/")
    return urlunsplit(("", "", page.path, page.query, "")) if is_own else request.get_full_path()


def _prolong(request: HttpRequest) -> None:
    session, now = request.session, time.time()
    began = session.get(_BEGAN)
    seen = session.get(_SEEN, now)
    # Also after the pause that Django checks by wall-clock time, which clocks that go back repeat.
    if began is not None and not (
        0 <= now - began < settings.SESSION_END_SECONDS and now - seen < settings.SESSION_COOKIE_AGE
    ):
        session.flush()
        request.user = AnonymousUser()
    elif began is None or not 0 <= now - seen < min(60.0, settings.SESSION_COOKIE_AGE / 10):
        session[_BEGAN], session[_SEEN] = began or now, now
        session_seen.send(sender=None, request=request, user=request.user)


def begin(request: HttpRequest, user: Any, **_: Any) -> None:
    request.session[_BEGAN] = request.session[_SEEN] = time.time()
    session_seen.send(sender=None, request=request, user=user)
    purge_ended_sessions()


def began_at(session: SessionBase) -> datetime:
    return datetime.fromtimestamp(session.get(_BEGAN) or time.time())


def purge_ended_sessions() -> None:
    """Delete up to a thousand expired sessions, skipping those locked by another sign-in."""
    with transaction.atomic():
        ended = Session.objects.select_for_update(skip_locked=True).filter(expire_date__lt=timezone.now())
        keys = list(ended.order_by("expire_date").values_list("pk", flat=True)[:_PURGED_AT_ONCE])
        if keys:
            Session.objects.filter(pk__in=keys).delete()
