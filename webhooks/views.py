from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from core.lib.errors import InvalidInput
from core.rest.conditional import keep, tag_of, use
from core.rest.pagination import PagedList
from core.rest.views import ApiView
from webhooks import records, services
from webhooks.deliveries import between, replay
from webhooks.models import Delivery, Webhook
from webhooks.serializers import ReplaySerializer, WebhookSerializer


def _represent(hook: Webhook) -> tuple[str, records.Record]:
    record = records.webhook_record(hook)
    return tag_of("webhook", record), record


def _with_secret(hook: Webhook) -> Response:
    return Response(records.webhook_record(hook) | {"secret": hook.secret})


def _values(body: dict[str, Any], *require: str) -> dict[str, Any]:
    values = WebhookSerializer.read(body, require=require).values
    if "events" in values:
        values["event_names"] = values.pop("events")
    return values


class WebhookBaseView(ApiView):
    # Keys that are limited to sites never have this scope.
    required_scope = "System"
    reads_replicas = False  # the sending tasks change the shown members

    def require_place(self, webhook_id: int = 0, **kwargs: Any) -> None:
        if webhook_id:
            services.find(webhook_id)


class WebhooksView(WebhookBaseView):
    def get(self, request: Request) -> HttpResponseBase:
        rows: QuerySet[Webhook, Any] = Webhook.objects.values_list(*records.WEBHOOK.values())
        return PagedList(request, rows, records.show_webhook).answer()

    def post(self, request: Request) -> Response:
        return _with_secret(services.create(_values(self.body, "name", "url")))


class WebhookView(WebhookBaseView):
    def get(self, request: Request, webhook_id: int) -> Response:
        tag, record = _represent(services.find(webhook_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, webhook_id: int) -> Response:
        services.find(webhook_id)  # 404 comes before the body
        hook = services.update(webhook_id, _values(self.body), self.if_match(_represent))
        tag, record = _represent(hook)
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, webhook_id: int) -> Response:
        return Response(records.webhook_record(services.delete(webhook_id, self.if_match(_represent))))


class SecretView(WebhookBaseView):
    def post(self, request: Request, webhook_id: int) -> Response:
        return _with_secret(services.rotate(webhook_id))


class TestView(WebhookBaseView):
    stores_by_itself = True  # no transaction stays open while the receiver responds

    def post(self, request: Request, webhook_id: int) -> Any:
        outcome = services.test(services.find(webhook_id))
        return self.store(partial(Response, records.outcome_record(outcome)))


class _Deliveries(PagedList):
    chunk = 100  # rows; each has up to 20 responses


class DeliveriesView(WebhookBaseView):
    def get(self, request: Request, webhook_id: int) -> HttpResponseBase:
        rows: QuerySet[Delivery, Any] = services.find(webhook_id).deliveries.values_list(*records.DELIVERY.values())
        return _Deliveries(request, rows, records.show_delivery, newest_first=True).answer()


class ReplayView(WebhookBaseView):
    def post(self, request: Request, webhook_id: int) -> Response:
        hook = services.find(webhook_id)
        values = ReplaySerializer.read(self.body).values
        if "delivery_ids" in values:
            chosen = hook.deliveries.filter(pk__in=values["delivery_ids"])
        else:
            if not values.keys() >= {"from", "to"}:
                raise InvalidInput("period_missing", "Send deliveryIds, or from and to.")
            # "Never" is earlier than every date.
            chosen = between(hook, values["from"] or datetime.min, values["to"] or datetime.min)
        return Response(replay(hook, chosen))
