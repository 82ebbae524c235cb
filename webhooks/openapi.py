from core.openapi.describing import (
    Body,
    Codes,
    Described,
    Parameter,
    Schema,
    list_of,
    paged_list_of,
    record,
    ref,
    value_of,
)
from core.openapi.lists import LIST_CODES, LIST_WORDS, WINDOW
from core.openapi.schemas import COUNT, FLAG, ID, NOT_BLANK, date, number, sent, sent_number
from webhooks.deliveries import MAX_REPLAYED
from webhooks.models import Delivery, Webhook
from webhooks.serializers import MAX_CHOSEN, EventName, ReplaySerializer, WebhookSerializer

TAG = "Webhooks"
_ID = Parameter("id", "Id of the webhook.", ID | {"minimum": 1}, "path")
_NONE: Codes = {404: ("webhook_not_found",)}
_REFUSED = ("address_refused", "event_unknown", "site_not_found", "url_invalid")
_STATUS: Schema = {
    "type": ["integer", "null"],
    "format": "int32",
    "minimum": 0,
    "description": "HTTP status of the response; null: none came.",
}
_ERROR: Schema = {"type": "string", "description": "Why there was no success, besides the status; otherwise empty."}
_RESPONSE: Schema = {"type": "string", "description": "The first KiB of the response."}
_MILLISECONDS = COUNT | {"description": "Duration of the request in milliseconds."}
_WEBHOOK: dict[str, Schema] = {
    "id": number("Id of the webhook."),
    "name": {"type": "string", "description": "Name that administrators see."},
    "url": {"type": "string", "description": "URL to which events are sent."},
    "siteId": number("Site whose events are sent; 0: all sites, and users."),
    "events": list_of(ref("EventName")) | {"description": "Names of the events that are sent; empty: all."},
    "isOn": FLAG | {"description": "True if events are sent."},
    "offReason": {
        "type": "string",
        "enum": [str(value) for value in Webhook.Reason],
        "description": "Why the service switched the webhook off: failing (no success for 24 hours) or gone (the "
        "receiver responded 410); otherwise empty.",
    },
    "createdDate": date("Time at which the webhook was created."),
    "failingSince": date("Time of the first failure since the last success; null if there is none.", never=True),
    "offSince": date("Time since which the webhook is off; null if it is on.", never=True),
    "oldSecretEnds": date("Time until which the secret before the last rotation signs, too; null if none.", never=True),
}
_ATTEMPT = record(
    {
        "at": date("Time of the attempt."),
        "status": _STATUS,
        "error": _ERROR,
        "response": _RESPONSE,
        "milliseconds": _MILLISECONDS,
    }
)


def _limited(schema: Schema) -> Schema:
    """Return the schema of a request body with a limit for the number of events, and without blank texts."""
    properties = schema["properties"]
    blank = {name: properties[name] | {"pattern": NOT_BLANK} for name in ("name", "url")}
    events = properties["events"] | {"maxItems": len(EventName.words)}
    return schema | {"properties": properties | blank | {"events": events}}


SCHEMAS: dict[str, Schema] = {
    "EventName": {
        "type": "string",
        "enum": list(EventName.words),
        "description": "Name of an event, such as content.published.",
    },
    "Webhook": record(_WEBHOOK),
    "WebhookWithSecret": record(
        _WEBHOOK | {"secret": {"type": "string", "description": "The secret that signs. It is never returned again."}}
    ),
    "NewWebhook": _limited(sent(WebhookSerializer, require=("name", "url"))),
    "WebhookChanges": _limited(sent(WebhookSerializer, is_change=True)),
    "WebhookResponse": record(
        {
            "isDelivered": FLAG | {"description": "True if the receiver accepted the event with a status 2xx."},
            "status": _STATUS,
            "error": _ERROR,
            "response": _RESPONSE,
            "milliseconds": _MILLISECONDS,
        }
    ),
    "DeliveryAttempt": _ATTEMPT,
    "Delivery": record(
        {
            "id": number("Id of the delivery."),
            "messageId": {"type": "string", "description": "Id of the message, the same in each attempt."},
            "event": ref("EventName") | {"description": "Name of the event, such as content.published."},
            "occurredDate": date("Time of the event."),
            "state": {
                "type": "string",
                "enum": [str(value) for value in Delivery.State],
                "description": "waiting, delivered or givenUp.",
            },
            "nextDate": date("Time of the next attempt; null if none is due.", never=True),
            "endedDate": date("Time at which the event was delivered or given up; null before.", never=True),
            "attemptCount": COUNT | {"description": "Number of attempts since the event, or since the last replay."},
            "attempts": list_of(ref("DeliveryAttempt")) | {"description": "The last 20 attempts, oldest first."},
            "payload": {"type": "string", "description": "The body that is sent."},
        }
    ),
    "Replay": sent(ReplaySerializer)
    | {
        "properties": sent(ReplaySerializer)["properties"]
        | {
            "deliveryIds": {
                "type": ["array", "null"],
                "items": sent_number(None, None),
                "maxItems": MAX_CHOSEN,
                "description": "Ids of deliveries. Default: those of the period.",
            }
        }
    },
}

OPERATIONS = (
    Described(
        method="GET",
        path="/webhooks",
        id="listWebhooks",
        tag=TAG,
        description=f"Lists the webhooks, without their secrets. {LIST_WORDS}",
        success="The webhooks, possibly none.",
        answer=paged_list_of(ref("Webhook")),
        parameters=WINDOW,
        codes=LIST_CODES,
    ),
    Described(
        method="POST",
        path="/webhooks",
        id="createWebhook",
        tag=TAG,
        description="Creates a webhook for the events from now on, and returns its secret, this once.",
        success="The new webhook with its secret.",
        answer=value_of(ref("WebhookWithSecret"), "The new webhook, with its id and secret."),
        body=Body(schema=ref("NewWebhook"), description="The webhook; name and url are required."),
        codes={400: (*_REFUSED, "missing_member")},
    ),
    Described(
        method="GET",
        path="/webhooks/{id}",
        id="getWebhook",
        tag=TAG,
        description="Returns a webhook and its state, without its secret.",
        success="The webhook.",
        answer=value_of(ref("Webhook"), "The webhook with that id."),
        parameters=(_ID,),
        codes=_NONE,
    ),
    Described(
        method="PUT",
        path="/webhooks/{id}",
        id="updateWebhook",
        tag=TAG,
        description="Changes the members that are sent. A webhook that is switched on again sends waiting events.",
        success="The webhook after the change.",
        answer=value_of(ref("Webhook"), "The webhook after the change."),
        parameters=(_ID,),
        body=Body(schema=ref("WebhookChanges"), description="The members to change, possibly none.", is_required=False),
        codes={400: (*_REFUSED, "missing_member"), **_NONE},
    ),
    Described(
        method="DELETE",
        path="/webhooks/{id}",
        id="deleteWebhook",
        tag=TAG,
        description="Deletes a webhook and its deliveries for good.",
        success="The webhook that was deleted.",
        answer=value_of(ref("Webhook"), "The webhook that was deleted."),
        parameters=(_ID,),
        codes=_NONE,
    ),
    Described(
        method="POST",
        path="/webhooks/{id}/test",
        id="testWebhook",
        tag=TAG,
        description="Sends the event webhook.test immediately, even if the webhook is off, and returns the response "
        "of the receiver.",
        success="The response of the receiver, or the reason why none came.",
        answer=value_of(ref("WebhookResponse"), "The response of the receiver."),
        parameters=(_ID,),
        codes={429: ("busy",), **_NONE},
    ),
    Described(
        method="POST",
        path="/webhooks/{id}/secret",
        id="rotateWebhookSecret",
        tag=TAG,
        description="Replaces the secret and returns the new one, this once. For 24 hours the old one signs, too.",
        success="The webhook with its new secret.",
        answer=value_of(ref("WebhookWithSecret"), "The webhook with its new secret."),
        parameters=(_ID,),
        codes=_NONE,
    ),
    Described(
        method="GET",
        path="/webhooks/{id}/deliveries",
        id="listWebhookDeliveries",
        tag=TAG,
        description="Lists the deliveries of a webhook, newest first. Returns all, or with top or skip a page with the "
        "URLs of other pages.",
        success="The deliveries, possibly none.",
        answer=paged_list_of(ref("Delivery")),
        parameters=(_ID, *WINDOW),
        codes={**LIST_CODES, **_NONE},
    ),
    Described(
        method="POST",
        path="/webhooks/{id}/replay",
        id="replayWebhook",
        tag=TAG,
        description="Repeats ended deliveries, with the same messages and in the same order: by deliveryIds, or by "
        f"the period of their events. At most {MAX_REPLAYED:,}, the oldest first.",
        success="The number of deliveries.",
        answer=value_of(COUNT, "Number of events that will be delivered once more."),
        parameters=(_ID,),
        body=Body(schema=ref("Replay"), description="The deliveries, or the period."),
        codes={400: ("period_missing",), **_NONE},
    ),
)
