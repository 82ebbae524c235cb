"""Sends due deliveries: in a few threads of each node, each delivery by one of them.

A delivery is claimed for LEASE, sent outside any transaction, and then stored. If a node dies in between, another node
sends the same message again after the claim ends: receivers get each event at least once.
"""

import logging
import random
from datetime import datetime, timedelta
from http import HTTPStatus
from threading import Lock, Thread
from typing import Any

from django.db import connection, transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from core import audit
from core.audit import Actor
from core.lib import clock
from core.lib.database_faults import fault_of
from core.notifications.notifying import Subject, notify, responsible_for
from webhooks.deliveries import call_next
from webhooks.http_client import Outcome, post
from webhooks.messages import headers_of
from webhooks.models import Delivery, Webhook

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)  # longer than any request, including a slow resolver
PATIENCE = timedelta(hours=24)  # for a delivery, and for a webhook none of whose deliveries succeeds
AT_ONCE = 2  # requests to a webhook, from all nodes; one to a failing webhook
_THREADS = 16  # of a node
# After a number of failed attempts; none before the first.
RETRY_DELAYS = [timedelta(seconds=seconds) for seconds in (0, 5, 20, 80, 320, 1280, 5120, 3 * 60 * 60)]
_PAUSE = timedelta(seconds=30)  # of a webhook after a request without a response, so that hanging ones take few threads
_WORRYING = timedelta(hours=1)  # of failures until administrators are notified
_LOG = 20  # attempts that are stored of a delivery
_LEEWAY = timedelta(minutes=1)  # between the clocks of two nodes
_ACTOR = Actor("command", name="webhooks")


class _Threads:
    """The sending threads of this process, which end when nothing is due."""

    def __init__(self) -> None:
        self._lock, self._running, self._has_failed = Lock(), 0, False

    def start(self, number: int) -> None:
        with self._lock:
            for _ in range(min(number, _THREADS - self._running)):
                self._running += 1
                # Daemons: the claims make it safe to end with the process.
                Thread(target=self._run, name="webhooks", daemon=True).start()

    def _run(self) -> None:
        try:
            send_all()
            self._has_failed = False
        except Exception as error:
            if fault_of(error) is None:
                logger.exception("Webhooks could not be sent.")
            elif not self._has_failed:  # one line until it succeeds again, as for other periodic tasks
                logger.warning("Webhooks could not be sent; they are tried again: %s.", type(error).__name__)
            self._has_failed = True
        finally:
            connection.close()
            with self._lock:
                self._running -= 1


_threads = _Threads()


def send_due() -> None:
    """Start to send due deliveries, without waiting for receivers."""
    if number := len(_due_hooks()) * AT_ONCE:
        _threads.start(number)


def send_all() -> None:
    """Send deliveries until none is due that may be sent now."""
    while (delivery := claim()) is not None:
        # A slow receiver must not occupy a connection of the pool.
        connection.close()
        hook, body = delivery.webhook, delivery.payload
        store(delivery, post(hook.url, body.encode(), headers_of(delivery.message_id, body, hook.keys)))


def follow_clock() -> None:
    """Make deliveries due that wait for much longer than their own pause or claim: the clock of a machine has been set
    back."""
    now, longest = clock.steady(), len(RETRY_DELAYS) - 1
    far = Q(attempt_count__gt=longest, next_at__gt=clock.steady(2 * RETRY_DELAYS[longest] + _LEEWAY))
    for attempts, pause in enumerate(RETRY_DELAYS):
        far |= Q(attempt_count=attempts, next_at__gt=clock.steady(2 * pause + _LEEWAY))
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__isnull=False)
    changes: list[tuple[QuerySet[Any], dict[str, datetime | None]]] = [
        (waiting.filter(far), {"next_at": now}),
        (waiting.filter(claimed_until__gt=clock.steady(LEASE + _LEEWAY)), {"claimed_until": None}),
        (waiting.filter(first_sent_at__gt=clock.steady(_LEEWAY)), {"first_sent_at": now}),
        (Webhook.objects.filter(paused_until__gt=clock.steady(_PAUSE + _LEEWAY)), {"paused_until": None}),
        (Webhook.objects.filter(failing_since__gt=clock.steady(_LEEWAY)), {"failing_since": now}),
    ]
    for rows, values in changes:
        if rows.exists():  # SQLite's writer is not needed for nothing
            rows.update(**values)


def claim() -> Delivery | None:
    """Return a delivery that only this thread sends now, or None."""
    for hook_id in _due_hooks():
        if (delivery := _claim_of(hook_id)) is not None:
            return delivery
    return None


def _due_hooks() -> list[int]:
    """Return the webhooks with due deliveries, longest-waiting first, but failing ones last."""
    now = clock.steady()
    earliest = _due(now).filter(webhook=OuterRef("pk")).order_by("next_at").values("next_at")[:1]
    hooks = _sendable(now).annotate(since=Subquery(earliest)).filter(since__isnull=False)
    return list(hooks.order_by(F("failing_since").asc(nulls_first=True), "since").values_list("pk", flat=True))


def _sendable(now: datetime) -> QuerySet[Webhook]:
    return Webhook.objects.filter(Q(paused_until=None) | Q(paused_until__lte=now), is_on=True)


def _due(now: datetime) -> QuerySet[Delivery]:
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now)
    return waiting.filter(Q(claimed_until=None) | Q(claimed_until__lt=now))


def _claim_of(hook_id: int) -> Delivery | None:
    now = clock.steady()
    with transaction.atomic():
        hook = _sendable(now).select_for_update().filter(pk=hook_id).first()
        if hook is None:
            return None
        sent = hook.deliveries.filter(state=Delivery.State.WAITING, claimed_until__gte=now).count()
        if sent >= (AT_ONCE if hook.failing_since is None else 1):
            return None
        delivery = _due(now).filter(webhook=hook).order_by("next_at", "position").first()
        if delivery is None:
            return None
        delivery.claimed_until, delivery.first_sent_at = clock.steady(LEASE), delivery.first_sent_at or now
        delivery.attempt_count += 1
        delivery.save(update_fields=["claimed_until", "first_sent_at", "attempt_count"])
        delivery.webhook = hook
    return delivery


def store(delivery: Delivery, outcome: Outcome) -> None:
    """Store the outcome and its consequences, unless the claim was lost to another thread."""
    with transaction.atomic():
        hook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
        row = Delivery.objects.filter(pk=delivery.pk, claimed_until=delivery.claimed_until).first()
        if hook is None or row is None:
            return
        now = clock.now()
        row.claimed_until = None
        row.attempts = [*row.attempts, entry_of(outcome)][-_LOG:]
        if outcome.is_success:
            row.state, row.ended_at, row.next_at = Delivery.State.DELIVERED, now, None
        else:
            pause = retry_delay(row.attempt_count)
            if row.first_sent_at is not None and row.first_sent_at < clock.steady(pause - PATIENCE):
                row.state, row.ended_at, row.next_at = Delivery.State.GIVEN_UP, now, None
            else:
                row.next_at = clock.steady(pause)
        row.save()
        if row.next_at is None:
            call_next(hook, row.subject)
        _judge(hook, outcome)


def entry_of(outcome: Outcome) -> dict[str, object]:
    return {
        "at": clock.now().isoformat(" "),
        "status": outcome.status,
        "error": outcome.error,
        "response": outcome.response,
        "milliseconds": outcome.milliseconds,
    }


def retry_delay(attempts: int) -> timedelta:
    pause = RETRY_DELAYS[min(attempts, len(RETRY_DELAYS) - 1)]
    factor = random.uniform(0.8, 1.2)  # noqa: S311 - spreads requests, protects nothing
    return timedelta(seconds=pause.total_seconds() * factor)


def _judge(hook: Webhook, outcome: Outcome) -> None:
    """Pause a webhook that cannot be reached; switch it off after PATIENCE without a success, or after a 410 Gone."""
    hooks = Webhook.objects.filter(pk=hook.pk)
    if outcome.is_success:
        if hook.failing_since is not None:
            hooks.update(failing_since=None)
        return
    paused_until = None if outcome.status else clock.steady(_PAUSE)
    hooks.update(failing_since=hook.failing_since or clock.steady(), paused_until=paused_until)
    if outcome.status == HTTPStatus.GONE:
        reason = Webhook.Reason.GONE
    elif hook.failing_since is not None and hook.failing_since <= clock.steady(-PATIENCE):
        reason = Webhook.Reason.FAILING
    else:
        if hook.failing_since is not None and hook.failing_since <= clock.steady(-_WORRYING):
            _notify("webhook.failing", hook, once=f"webhook {hook.pk} fails since {hook.failing_since}")
        return
    if hook.is_on:
        now = clock.now()
        hooks.update(is_on=False, disabled_at=now, reason=reason, updated_at=now)
        with audit.acting_as(_ACTOR):
            audit.record("webhook.disabled", hook, site_id=hook.site_id or None, problem=str(reason))
        _notify("webhook.disabled", hook)


def _notify(kind: str, hook: Webhook, once: str = "") -> None:
    subject = Subject("webhook", hook.pk, hook.name, hook.site_id or None)
    notify(kind, {number: [subject] for number in responsible_for(hook.site_id)}, once=once)
