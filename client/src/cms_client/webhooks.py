"""Webhooks: list, read, create, update, delete, test, rotate the secret, deliveries and replays."""

from collections.abc import Iterable

from cms_client import operations
from cms_client.answers import page_of, record_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Delivery, Page, Webhook, WebhookResponse
from cms_client.wire import Members, without_absent


class Webhooks(Resource[D]):
    """Operations of `client.webhooks`. They need a key with the scope `Webhooks`."""

    @operation
    def list(self, *, top: int | None = None, skip: int | None = None) -> Operation[Page[Webhook]]:
        """Return the webhooks whose events the key may read."""
        return operations.get("webhooks", read=page_of, query=without_absent({"top": top, "skip": skip}))

    @operation
    def get(self, webhook_id: int, *, if_none_match: str | None = None) -> Operation[Webhook]:
        """Return a webhook. Raises NotModified if its ETag still matches `if_none_match`."""
        return operations.get("webhooks", webhook_id, read=record_of, if_none_match=if_none_match)

    @operation
    def create(self, members: Members, *, idempotency_key: str | None = None) -> Operation[Webhook]:
        """Create a webhook from its `name`, `url` and `events`; only this response has its `secret`."""
        return operations.post("webhooks", read=record_of, body=members, key=idempotency_key)

    @operation
    def update(self, webhook_id: int, members: Members, *, if_match: str | None = None) -> Operation[Webhook]:
        """Update these members and return the webhook. Raises PreconditionFailed if `if_match` is outdated."""
        return operations.put("webhooks", webhook_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, webhook_id: int, *, if_match: str | None = None) -> Operation[Webhook]:
        """Delete a webhook and return its last state."""
        return operations.delete("webhooks", webhook_id, read=record_of, if_match=if_match)

    @operation
    def test(self, webhook_id: int, *, idempotency_key: str | None = None) -> Operation[WebhookResponse]:
        """Send a test event at once and return the receiver's response, or the reason why there is none."""
        return operations.post("webhooks", webhook_id, "test", read=record_of, body={}, key=idempotency_key)

    @operation
    def rotate_secret(self, webhook_id: int, *, idempotency_key: str | None = None) -> Operation[Webhook]:
        """Return the webhook with a new `secret`; the old one signs, too, until `oldSecretEnds`."""
        return operations.post("webhooks", webhook_id, "secret", read=record_of, body={}, key=idempotency_key)

    @operation
    def deliveries(
        self, webhook_id: int, *, top: int | None = None, skip: int | None = None
    ) -> Operation[Page[Delivery]]:
        """Return the deliveries of a webhook with their attempts, newest first."""
        query = without_absent({"top": top, "skip": skip})
        return operations.get("webhooks", webhook_id, "deliveries", read=page_of, query=query)

    @operation
    def replay(
        self,
        webhook_id: int,
        delivery_ids: Iterable[int] | None = None,
        *,
        since: str | None = None,
        until: str | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[int]:
        """Send these deliveries again, or the events of a period; return how many deliveries there will be."""
        ids = None if delivery_ids is None else [*delivery_ids]
        body = without_absent({"deliveryIds": ids, "from": since, "to": until})
        return operations.post("webhooks", webhook_id, "replay", read=value_of, body=body, key=idempotency_key)
