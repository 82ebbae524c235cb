from typing import Any

from rest_framework import serializers

from core.rest.fields import BooleanField, DateTimeField, IntegerField, TextField, invalid, read_integer
from core.rest.serializers import WireSerializer
from webhooks.event_names import EVENT_NAMES
from webhooks.receivers import MAX_URL

MAX_CHOSEN = 500  # deliveries


class EventName(TextField):
    words = tuple(EVENT_NAMES)


class EventsField(serializers.ListField):
    child = EventName()

    def read(self, value: Any, name: str) -> str:
        if not isinstance(value, list) or not all(isinstance(item, str) and "," not in item for item in value):
            raise invalid(name, "a list of names of events")
        return ",".join(value)


class WebhookSerializer(WireSerializer):
    name = TextField(max_length=200, help_text="Name for administrators.")
    url = TextField(
        max_length=MAX_URL, help_text="Receiver: http or https, without user name, at port 80, 443, or 1024 or more."
    )
    site_id = IntegerField(min_value=0, help_text="Site whose events are sent. 0: all sites, and users. Default: 0.")
    events = EventsField(help_text="Names of the events. Empty: all, also future ones. Default: empty.")
    is_on = BooleanField(help_text="False: nothing is sent; events wait until the webhook is on. Default: true.")


class DeliveryIdsField(serializers.ListField):
    child = IntegerField()

    def read(self, value: Any, name: str) -> list[int]:
        if not isinstance(value, list) or len(value) > MAX_CHOSEN:
            raise invalid(name, f"a list of at most {MAX_CHOSEN} ids")
        return [read_integer(item, name) for item in value]


class ReplaySerializer(WireSerializer):
    @classmethod
    def field_table(cls) -> dict[str, Any]:
        # `from` is no name in Python.
        return {
            "delivery_ids": DeliveryIdsField(help_text="Ids of deliveries. Default: those of the period."),
            "from": DateTimeField(help_text="Time of the first event. Default: none; required without deliveryIds."),
            "to": DateTimeField(help_text="Time of the last event. Default: none; required without deliveryIds."),
        }
