"""A form that creates something does so once; a repeated submission gets the first response.

Django masks the CSRF token differently for each page, so session, token and values together identify a submitted form.
The database stores the response encrypted with a key derived from that token, which no row contains: only the sender
can see a key or password that is shown once.
"""

import hashlib
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, TypeVar, cast

import orjson
from django.contrib import messages
from django.contrib.messages.api import get_messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from core.lib import clock
from core.lib.sealing import derived_key, seal, unseal
from core.models import SentForm

View = TypeVar("View", bound=Callable[..., Any])
LIFETIME = timedelta(minutes=10)
PATIENCE = timedelta(seconds=30)  # of a repeat's wait for the first response
_PAUSE = 0.1  # seconds
_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field


def once(view: View) -> View:
    """Let a view process a form once. It may take the page of the admin before the request."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        request = next(each for each in args if isinstance(each, HttpRequest))
        return answer_once(request, lambda: view(*args, **kwargs))

    return cast(View, guarded)


def shown_once(response: HttpResponse) -> HttpResponse:
    """Mark the response to a form that has acted, although it is no redirect: it shows a secret."""
    response.has_acted = True  # type: ignore[attr-defined]
    return response


def has_acted(response: HttpResponse) -> bool:
    """Return true unless the form was refused, and is shown again."""
    return response.status_code == 302 or hasattr(response, "has_acted")


@sensitive_variables("token", "key", "response")
def answer_once(request: HttpRequest, act: Callable[[], HttpResponse]) -> HttpResponse:
    token, session = request.POST.get(_TOKEN, ""), request.session.session_key
    if request.method != "POST" or not token or not session or not request.user.is_authenticated:
        return act()
    digest, key = _digest(request, session, token), derived_key("response of form", session, token)
    deadline = time.monotonic() + PATIENCE.total_seconds()
    _ended().filter(pk=digest).delete()
    while not _claim(digest):
        row = SentForm.objects.filter(pk=digest).first()
        if row is not None and row.response is not None:
            return _restore(request, unseal(key, bytes(row.response)))
        if time.monotonic() > deadline:
            messages.warning(request, _("This form is still being processed. Check the list before you send it again."))
            return HttpResponseRedirect(request.get_full_path())
        if row is not None:  # else the first request was refused
            time.sleep(_PAUSE)
    try:
        response = act()
    except BaseException:
        SentForm.objects.filter(pk=digest).delete()
        raise
    if has_acted(response):
        SentForm.objects.filter(pk=digest).update(response=seal(key, _record(request, response)))
    else:
        SentForm.objects.filter(pk=digest).delete()
    return response


def purge_ended() -> None:
    """Delete old responses, and forms whose worker ended before there was one."""
    _ended().delete()


def _ended() -> QuerySet[SentForm]:
    is_old = Q(sent_at__lt=clock.steady(-LIFETIME))
    return SentForm.objects.filter(is_old | Q(response=None, sent_at__lt=clock.steady(-2 * PATIENCE)))


def _claim(digest: str) -> bool:
    return SentForm.objects.get_or_create(pk=digest)[1]


def _digest(request: HttpRequest, session: str, token: str) -> str:
    """Keyed, since passwords could be guessed from plain digests. A form is the same with another of its buttons."""
    values = sorted((name, each) for name, each in request.POST.lists() if not name.startswith("_") and name != _TOKEN)
    files = sorted((name, [(one.name, one.size) for one in each]) for name, each in request.FILES.lists())
    sent = repr([session, token, request.get_full_path(), values, files])
    return hashlib.blake2b(sent.encode(), digest_size=32, key=derived_key("sent forms")).hexdigest()


def _record(request: HttpRequest, response: Any) -> bytes:
    if hasattr(response, "render"):
        response.render()
    # Messages of the request; the middleware would add them only to the first response.
    queued = getattr(get_messages(request), "_queued_messages", [])
    kept = {
        "status": response.status_code,
        "headers": dict(response.items()),
        "cookies": [morsel.OutputString() for morsel in response.cookies.values()],
        "content": b64encode(response.content).decode(),
        "messages": [[each.level, str(each.message), each.extra_tags] for each in queued],
    }
    return orjson.dumps(kept)


def _restore(request: HttpRequest, recorded: bytes) -> HttpResponse:
    kept = orjson.loads(recorded)
    waiting: Any = get_messages(request)
    known = {str(each) for each in waiting}  # if the browser took them from the first response
    waiting.used = False  # they are still to be shown
    for level, text, tags in kept["messages"]:
        if text not in known:
            messages.add_message(request, level, text, tags)
    response = HttpResponse(b64decode(kept["content"]), status=kept["status"], headers=kept["headers"])
    for cookie in kept["cookies"]:
        response.cookies.load(cookie)
    return shown_once(response)
