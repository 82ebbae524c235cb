"""Checks the links that are due: one request at a time, and with pauses for each host.

A host is claimed for LEASE, asked outside any transaction, and then released. If the process dies in between, the host
is asked again after the claim ends.
"""

from datetime import datetime, timedelta
from time import monotonic

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Min, Q

from contents.external_links.requests import Outcome, request
from contents.models import ExternalHost, ExternalLink, ExternalLinkProgress, LinkProblem
from core.lib import clock

LEASE = timedelta(minutes=5)  # longer than a check with a slow resolver
PAUSE = timedelta(seconds=5)  # between two requests to a host
AGAIN = timedelta(days=7)  # between two checks of a link
DOUBT = timedelta(days=1)  # until a link that fails is checked again, and is dead if it still fails
_SECONDS = 4.0  # of one call of the periodic task
_HOSTS = 20  # that are tried at a time
_MINUTE = timedelta(minutes=1)
_OVERLOADED = (429, 503)


def check_due() -> None:
    """Periodic task."""
    end = monotonic() + _SECONDS
    while settings.CMS_CHECK_LINKS and monotonic() < end and (link := claim()) is not None:
        # A slow host must not occupy a connection of the pool.
        connection.close()
        store(link, request(link.address, "GET" if link.needs_get else "HEAD"))


def claim() -> ExternalLink | None:
    """Return a link whose host only this process asks now, or None."""
    now = clock.steady()
    for host in ExternalHost.objects.filter(next_at__lte=now).order_by("next_at")[:_HOSTS]:
        lease = clock.steady(LEASE)
        unclaimed = ExternalHost.objects.filter(pk=host.pk, next_at=host.next_at)
        if unclaimed.update(next_at=lease, paused_until=lease):
            link = host.links.filter(next_at__lte=now).order_by("next_at").first()
            if link is not None:
                return link
            with transaction.atomic():
                _release(host.pk, now)
    return None


def store(link: ExternalLink, outcome: Outcome) -> None:
    """Store the outcome, and release the host."""
    now = clock.steady()
    pause = max(PAUSE, timedelta(seconds=outcome.wait))
    with transaction.atomic():
        if outcome.status is not None:
            _note_response(now)
        ExternalLink.objects.filter(pk=link.pk).update(**_changes(link, outcome, now))
        _release(link.host_id, clock.steady(pause))


def _release(host_id: int, paused_until: datetime) -> None:
    # Locked, so that no new link is missed.
    if (host := ExternalHost.objects.select_for_update().filter(pk=host_id).first()) is None:
        return
    earliest = host.links.aggregate(at=Min("next_at"))["at"]
    host.paused_until, host.next_at = paused_until, earliest and max(earliest, paused_until)
    host.save(update_fields=["paused_until", "next_at"])


def _note_response(now: datetime) -> None:
    earlier = Q(responded_at=None) | Q(responded_at__lt=now - _MINUTE)
    ExternalLinkProgress.objects.filter(earlier).update(responded_at=now)


def _changes(link: ExternalLink, outcome: Outcome, now: datetime) -> dict[str, object]:
    is_refused = (outcome.status or 0) >= 400 and outcome.status not in _OVERLOADED
    if is_refused and not link.needs_get:
        # Some hosts do not support HEAD; GET decides.
        return {"needs_get": True, "next_at": clock.steady(PAUSE)}
    failing_since, is_dead = None, False
    if outcome.problem not in ("", LinkProblem.UNKNOWN):
        failing_since = link.failing_since or now
        is_dead = link.is_dead or (failing_since <= now - DOUBT and _is_certain(outcome, failing_since))
    soon = failing_since is not None and not is_dead
    return {
        "checked_at": now,
        "status": outcome.status,
        "problem": outcome.problem,
        "failing_since": failing_since,
        "is_dead": is_dead,
        "next_at": clock.steady(DOUBT if soon else AGAIN),
    }


def _is_certain(outcome: Outcome, failing_since: datetime) -> bool:
    """Return false if no host has responded since the link fails: perhaps this server cannot reach the Internet."""
    responses = ExternalLinkProgress.objects.filter(responded_at__gt=failing_since)
    return outcome.status is not None or responses.exists()
