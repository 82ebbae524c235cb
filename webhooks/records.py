"""Webhooks and deliveries as the API shows them."""

from datetime import datetime
from typing import Any

from webhooks.http_client import Outcome
from webhooks.models import Webhook

Record = dict[str, Any]
# Member → column.
WEBHOOK = {
    "id": "id",
    "name": "name",
    "url": "url",
    "siteId": "site_id",
    "events": "event_names",
    "isOn": "is_on",
    "offReason": "reason",
    "createdDate": "created_at",
    "failingSince": "failing_since",
    "offSince": "disabled_at",
    "oldSecretEnds": "old_secret_ends_at",
}
DELIVERY = {
    "id": "id",
    "messageId": "message_id",
    "event": "event_name",
    "occurredDate": "occurred_at",
    "state": "state",
    "nextDate": "next_at",
    "endedDate": "ended_at",
    "attemptCount": "attempt_count",
    "attempts": "attempts",
    "payload": "payload",
}


def show_webhook(row: tuple[Any, ...]) -> Record:
    record = dict(zip(WEBHOOK, map(_shown, row), strict=True))
    record["events"] = list(filter(None, record["events"].split(",")))
    return record


def show_delivery(row: tuple[Any, ...]) -> Record:
    return dict(zip(DELIVERY, map(_shown, row), strict=True))


def webhook_record(hook: Webhook) -> Record:
    return show_webhook(tuple(getattr(hook, column) for column in WEBHOOK.values()))


def outcome_record(outcome: Outcome) -> Record:
    return {
        "isDelivered": outcome.is_success,
        "status": outcome.status,
        "error": outcome.error,
        "response": outcome.response,
        "milliseconds": outcome.milliseconds,
    }


def _shown(value: Any) -> Any:
    return value.isoformat(" ", "seconds") if isinstance(value, datetime) else value
