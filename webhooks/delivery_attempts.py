"""Sends due deliveries: in a few threads of each node, each delivery by one of them.

A delivery is claimed for LEASE, sent outside any transaction, and then stored. A node that dies in between leaves the
claim, after which another node sends the same message again: receivers get each event at least once.
"""

import logging
import random
from datetime import datetime, timedelta
from http import HTTPStatus
from threading import Lock, Thread

from django.db import connection, transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from cms_api import audit
from cms_api.audit import Actor
from cms_api.lib import clock
from cms_api.notifications.notifying import Subject, notify, responsible_for
from webhooks.deliveries import call_next
from webhooks.messages import headers_of
from webhooks.models import Delivery, Webhook
from webhooks.posting import Outcome, post

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)  # longer than any request, including a slow resolver
PATIENCE = timedelta(hours=24)  # for a delivery, and for a webhook none of whose deliveries succeeds
AT_ONCE = 2  # requests to a webhook, from all nodes; one to a failing webhook
_THREADS = 16  # of a node
_FIRST_PAUSE, _LONGEST_PAUSE, _FACTOR = timedelta(seconds=5), timedelta(hours=3), 4
_PAUSE = timedelta(seconds=30)  # of a webhook after a request without a response, so that hanging ones take few threads
_WORRYING = timedelta(hours=1)  # of failures, after which administrators are notified
_LOG = 20  # attempts that are kept of a delivery
_ACTOR = Actor("command", name="webhooks")


class _Threads:
    """The sending threads of this process, which end when nothing is due."""

    def __init__(self) -> None:
        self._lock, self._running = Lock(), 0

    def start(self, number: int) -> None:
        with self._lock:
            for _ in range(min(number, _THREADS - self._running)):
                self._running += 1
                # Daemons: the claims make it safe to end with the process.
                Thread(target=self._run, name="webhooks", daemon=True).start()

    def _run(self) -> None:
        try:
            send_all()
        except Exception:
            logger.exception("Webhooks could not be sent.")
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


def claim() -> Delivery | None:
    """Return a delivery that this thread alone sends now, or None."""
    for hook_id in _due_hooks():
        if (delivery := _claim_of(hook_id)) is not None:
            return delivery
    return None


def _due_hooks() -> list[int]:
    """Return the webhooks with due deliveries: those that wait longest first, but failing ones last."""
    now = clock.now()
    earliest = _due(now).filter(webhook=OuterRef("pk")).order_by("next_at").values("next_at")[:1]
    hooks = _sendable(now).annotate(since=Subquery(earliest)).filter(since__isnull=False)
    return list(hooks.order_by(F("failing_since").asc(nulls_first=True), "since").values_list("pk", flat=True))


def _sendable(now: datetime) -> QuerySet[Webhook]:
    return Webhook.objects.filter(Q(paused_until=None) | Q(paused_until__lte=now), is_on=True)


def _due(now: datetime) -> QuerySet[Delivery]:
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now)
    return waiting.filter(Q(claimed_until=None) | Q(claimed_until__lt=now))


def _claim_of(hook_id: int) -> Delivery | None:
    now = clock.now()
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
        delivery.claimed_until, delivery.first_sent_at = now + LEASE, delivery.first_sent_at or now
        delivery.attempt_count += 1
        delivery.save(update_fields=["claimed_until", "first_sent_at", "attempt_count"])
        delivery.webhook = hook
    return delivery


def store(delivery: Delivery, outcome: Outcome) -> None:
    """Store the outcome and what follows from it, unless the claim was lost to another thread."""
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
            again = now + pause_after(row.attempt_count)
            if again - (row.first_sent_at or now) > PATIENCE:
                row.state, row.ended_at, row.next_at = Delivery.State.GIVEN_UP, now, None
            else:
                row.next_at = again
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


def pause_after(attempts: int) -> timedelta:
    pause = min(_FIRST_PAUSE * _FACTOR ** min(attempts - 1, 10), _LONGEST_PAUSE)
    factor = random.uniform(0.8, 1.2)  # noqa: S311 - spreads requests, protects nothing
    return timedelta(seconds=pause.total_seconds() * factor)


def _judge(hook: Webhook, outcome: Outcome) -> None:
    """Pause a webhook that cannot be reached; switch it off if nothing has succeeded for PATIENCE, or it is gone."""
    now, hooks = clock.now(), Webhook.objects.filter(pk=hook.pk)
    if outcome.is_success:
        if hook.failing_since is not None:
            hooks.update(failing_since=None)
        return
    hooks.update(failing_since=hook.failing_since or now, paused_until=None if outcome.status else now + _PAUSE)
    if outcome.status == HTTPStatus.GONE:
        reason = Webhook.Reason.GONE
    elif hook.failing_since is not None and now - hook.failing_since >= PATIENCE:
        reason = Webhook.Reason.FAILING
    else:
        if hook.failing_since is not None and now - hook.failing_since >= _WORRYING:
            _notify("webhook.failing", hook, once=f"webhook {hook.pk} fails since {hook.failing_since}")
        return
    if hook.is_on:
        hooks.update(is_on=False, disabled_at=now, reason=reason, updated_at=now)
        with audit.acting_as(_ACTOR):
            audit.record("webhook.disabled", hook, site_id=hook.site_id or None, problem=str(reason))
        _notify("webhook.disabled", hook)


def _notify(kind: str, hook: Webhook, once: str = "") -> None:
    subject = Subject("webhook", hook.pk, hook.name, hook.site_id or None)
    notify(kind, {number: [subject] for number in responsible_for(hook.site_id)}, once=once)
