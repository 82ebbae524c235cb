"""Turns events into deliveries, and delivers them again on request."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Max, Min, QuerySet

from core import audit
from core.lib import clock
from events.feed import ID_NAMES
from events.models import Event
from webhooks.messages import body_of
from webhooks.models import Delivery, Webhook

_BATCH = 500  # events per transaction
RETENTION = timedelta(days=30)
MAX_REPLAYED = 10_000  # deliveries


def last_position() -> int:
    position: int | None = Event.objects.aggregate(last=Max("position"))["last"]
    return position or 0


def create_due() -> None:
    """Create the deliveries of new events; each node may call it at any time."""
    last = last_position()
    for hook_id in Webhook.objects.filter(is_on=True, position__lt=last).values_list("pk", flat=True):
        while _create_next(hook_id):
            pass


def _create_next(hook_id: int) -> bool:
    """Create the deliveries of the next events; return true if there may be more."""
    with transaction.atomic():
        # Another node that holds the row does the same.
        hook = Webhook.objects.select_for_update(skip_locked=True).filter(pk=hook_id, is_on=True).first()
        if hook is None:
            return False
        events = list(Event.objects.filter(position__gt=hook.position).order_by("position")[:_BATCH])
        if not events:
            return False
        wanted = [event for event in events if _wants(hook, event)]
        Delivery.objects.bulk_create(_make(hook, event) for event in wanted)
        _call_next(hook, {subject_of(event) for event in wanted})
        Webhook.objects.filter(pk=hook_id).update(position=events[-1].position)
    return len(events) == _BATCH


def _wants(hook: Webhook, event: Event) -> bool:
    names = hook.parse_event_names()
    return (not names or event.name in names) and (not hook.site_id or event.site_id == hook.site_id)


def subject_of(event: Event) -> str:
    return f"{event.name.partition('.')[0]}:{event.subject_id}"


def _make(hook: Webhook, event: Event) -> Delivery:
    message_id = f"evt_{event.position}"
    group = event.name.partition(".")[0]
    data: dict[str, Any] = {"siteId": event.site_id, "channelId": event.channel_id, "formId": event.form_id}
    data |= {"version": event.version, ID_NAMES[group]: event.subject_id, "fields": orjson.loads(event.fields)}
    data = {name: value for name, value in data.items() if value is not None}
    return Delivery(
        webhook=hook,
        position=event.position or 0,
        message_id=message_id,
        event_name=event.name,
        subject=subject_of(event),
        occurred_at=event.at,
        payload=body_of(message_id, event.name, event.at, data),
    )


def _call_next(hook: Webhook, subjects: Collection[str]) -> None:
    """Make the oldest waiting delivery of each subject due, unless one of the subject is. The webhook is locked."""
    waiting = Delivery.objects.filter(webhook=hook, state=Delivery.State.WAITING)
    names = sorted(subjects)
    for start in range(0, len(names), _BATCH):
        chosen = waiting.filter(subject__in=names[start : start + _BATCH])
        busy = set(chosen.filter(next_at__isnull=False).values_list("subject", flat=True))
        free = [name for name in names[start : start + _BATCH] if name not in busy]
        oldest = (
            waiting.filter(subject__in=free)
            .values_list("subject")
            .annotate(first=Min("position"))
            .values_list("first", flat=True)
        )
        waiting.filter(position__in=list(oldest)).update(next_at=clock.steady())


def call_next(hook: Webhook, subject: str) -> None:
    _call_next(hook, [subject])


def next_in_line() -> QuerySet[Delivery]:
    """Return the deliveries to be sent next, except for webhooks that are off."""
    return Delivery.objects.filter(next_at__isnull=False, webhook__is_on=True)


def replay(hook: Webhook, chosen: QuerySet[Delivery]) -> int:
    """Deliver ended deliveries of the webhook once more, with their messages and order; return their number."""
    with transaction.atomic():
        Webhook.objects.select_for_update().get(pk=hook.pk)
        ended = chosen.filter(webhook=hook).exclude(state=Delivery.State.WAITING).order_by("position")
        rows = list(ended.values_list("pk", "subject")[:MAX_REPLAYED])
        for start in range(0, len(rows), _BATCH):
            numbers = [pk for pk, _subject in rows[start : start + _BATCH]]
            Delivery.objects.filter(pk__in=numbers).update(
                state=Delivery.State.WAITING, first_sent_at=None, attempt_count=0, ended_at=None
            )
        _call_next(hook, {subject for _pk, subject in rows})
        if rows:
            audit.record("webhook.replayed", hook, site_id=hook.site_id or None, deliveries=len(rows))
    return len(rows)


def between(hook: Webhook, first: datetime, last: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(webhook=hook, occurred_at__gte=first, occurred_at__lte=last)


def purge_ended() -> None:
    """Delete deliveries that ended long ago."""
    old = Delivery.objects.filter(ended_at__lt=clock.now() - RETENTION).order_by("ended_at")
    while numbers := list(old.values_list("pk", flat=True)[:_BATCH]):
        Delivery.objects.filter(pk__in=numbers).exclude(state=Delivery.State.WAITING).delete()
