"""Sessions of administrators in the admin: their list, and how they end early.

Django stores each session in the database, so it ends on all nodes as soon as its row is deleted.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import Administrator, AdministratorSession
from accounts.services import find
from core import audit
from core.admin.sessions import began_at
from core.lib import clock
from core.lib.client_address import client_address

_SHOWN = 100
# A part of a browser's User-Agent → its name. The first that occurs counts: most browsers also name others.
_BROWSERS: Mapping[str, str] = {
    "MicroMessenger": "WeChat",
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS: Mapping[str, str] = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def note(request: HttpRequest, user: Administrator, **_: Any) -> None:
    """Record when and from where the session was last used, and delete records of sessions that have ended."""
    if request.session.session_key is None:
        request.session.create()
    used = {
        "seen_at": clock.now(),
        "address": client_address(request),
        "user_agent": request.META.get("HTTP_USER_AGENT", "")[:255],
    }
    began = began_at(request.session)
    stored, is_new = AdministratorSession.objects.get_or_create(
        session_id=request.session.session_key, defaults={**used, "administrator": user, "began_at": began}
    )
    if is_new:
        # Deleting a session deletes its record, unless the last release did it.
        longest = timedelta(seconds=settings.SESSION_END_SECONDS + settings.SESSION_COOKIE_AGE, days=1)
        AdministratorSession.objects.filter(seen_at__lt=clock.now() - longest).delete()
    else:
        AdministratorSession.objects.filter(pk=stored.pk).update(**used)


def sessions_of(administrator: Administrator) -> list[AdministratorSession]:
    """Return the valid ones, the last used first."""
    own = AdministratorSession.objects.filter(administrator=administrator, session__expire_date__gt=timezone.now())
    valid = administrator.get_session_auth_hash()
    found = own.select_related("session").order_by("-seen_at")[:_SHOWN]
    return [each for each in found if each.session.get_decoded().get(HASH_SESSION_KEY) == valid]


def end_one(administrator: Administrator, number: int) -> None:
    """End the session with this number, if it is one of the administrator's."""
    with transaction.atomic():
        own = AdministratorSession.objects.filter(administrator=administrator, pk=number)
        ended, _by_table = Session.objects.filter(pk__in=own.values("session_id")).delete()
        if ended:
            audit.record("administrator.sessions_ended", administrator, number=1)


@transaction.atomic
def end_all(administrator_id: int, *, but: str = "") -> Administrator:
    """End all sessions and access tokens, and return the administrator. Raises NotFound.

    The row of the session `but` stays: its request can store the new stamp there.
    """
    administrator = find(Administrator, administrator_id, lock=True)
    administrator.token_stamp = get_random_string(22)
    administrator.save(update_fields=["token_stamp"])
    others = AdministratorSession.objects.filter(administrator=administrator).exclude(session_id=but)
    Session.objects.filter(pk__in=others.values("session_id")).delete()
    audit.record("administrator.sessions_ended", administrator)
    return administrator


def describe_browser(user_agent: str) -> str:
    """Return browser and system, such as `Firefox, Windows`; empty if neither is known."""
    found = [next((name for part, name in names.items() if part in user_agent), "") for names in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in found if name)
