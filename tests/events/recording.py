"""The events that a test has caused."""

import json

from django.db import transaction

from events.models import Event
from tests.factories import ContentFactory


def forget():
    """Start from here: earlier events are gone."""
    Event.objects.all().delete()


def recorded():
    """Return names, subjects and fields of the events, in the order of their ids."""
    rows = Event.objects.order_by("id").values_list("name", "subject_id", "fields")
    return [(name, subject, json.loads(fields)) for name, subject, fields in rows]


@transaction.atomic
def create_content(channel):
    """Create a content and its body in one transaction, and return its id."""
    return ContentFactory(channel=channel).pk
