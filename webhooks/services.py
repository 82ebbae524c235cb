import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core import audit
from core.lib import clock
from core.lib.errors import NotFound
from core.rest.preconditions import Precondition
from core.uploads.bounded_executor import BoundedExecutor
from sites.models import require_site
from webhooks.deliveries import last_position
from webhooks.event_names import TEST
from webhooks.http_client import Outcome, post
from webhooks.messages import body_of, headers_of
from webhooks.models import Webhook, WebhookChanged

# Slow receivers must not occupy the threads of a worker.
_TESTS = BoundedExecutor("webhook tests", places=2)


def find(webhook_id: int) -> Webhook:
    """Raises NotFound."""
    hook = Webhook.objects.filter(pk=webhook_id).first()
    if hook is None:
        raise _not_found(webhook_id)
    return hook


def create(values: Mapping[str, Any]) -> Webhook:
    """Raises InvalidInput."""
    _require_site(values)
    return Webhook.create(values, last_position())


def update(webhook_id: int, values: Mapping[str, Any], precondition: Precondition | None) -> Webhook:
    """Raises InvalidInput, NotFound, and the errors of the precondition."""
    _require_site(values)
    hook = find(webhook_id)
    try:
        hook.change(values, check=precondition)
    except WebhookChanged as error:
        raise _not_found(webhook_id) from error
    return hook


def delete(webhook_id: int, precondition: Precondition | None) -> Webhook:
    """Raises NotFound, and the errors of the precondition."""
    hook = find(webhook_id)
    try:
        hook.discard(check=precondition)
    except WebhookChanged as error:
        raise _not_found(webhook_id) from error
    hook.pk = webhook_id
    return hook


def rotate(webhook_id: int) -> Webhook:
    """Raises NotFound."""
    hook = find(webhook_id)
    try:
        hook.rotate()
    except WebhookChanged as error:
        raise _not_found(webhook_id) from error
    return hook


def test(hook: Webhook) -> Outcome:
    """Send a test event immediately, even if the webhook is off; its deliveries and state do not change.

    Raises LimitReached while others wait for their receivers.
    """
    message_id = f"evt_test_{secrets.token_hex(8)}"
    body = body_of(message_id, TEST, clock.now(), {"siteId": hook.site_id} if hook.site_id else {})
    outcome = _TESTS.run(post, hook.url, body.encode(), headers_of(message_id, body, hook.keys))
    with transaction.atomic():
        audit.record("webhook.tested", hook, site_id=hook.site_id or None, status=outcome.status)
    return outcome


def _require_site(values: Mapping[str, Any]) -> None:
    if site_id := values.get("site_id"):
        require_site(site_id, "siteId")


def _not_found(webhook_id: int) -> NotFound:
    return NotFound("webhook_not_found", f"There is no webhook {webhook_id}.")
