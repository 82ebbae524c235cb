"""Unsaved text of the content form. Administrators see only their own, on every device.

It is not a draft of the content: storing it creates no version, history entry, notification or approval.
"""

from datetime import timedelta
from typing import Any, TypedDict

import orjson
from django.db import transaction
from django.db.models import QuerySet

from channels_app.models import Channel
from contents.models import Content, UnsavedText
from core.lib import clock
from core.lib.errors import InvalidInput

MOST = 20  # texts of an administrator; the oldest go first
LARGEST = 2_000_000  # characters
KEPT = timedelta(days=30)


class Place(TypedDict):
    """The content of the form or, of a new one, its channel; the other is None."""

    content: Content | None
    channel: Channel | None


def texts_of(user: Any, place: Place) -> QuerySet[UnsavedText]:
    """The administrator's texts for the place, the newest first."""
    return UnsavedText.objects.filter(administrator_id=user.pk, **place).order_by("-kept_at", "-pk")


@transaction.atomic
def keep(user: Any, page: str, place: Place, fields: dict[str, list[str]], version: int) -> UnsavedText:
    """Store what the page of the form has, in place of what it had before. Raises InvalidInput if it is too large."""
    text = orjson.dumps(fields).decode()
    if len(text) > LARGEST:
        raise InvalidInput("invalid_value", f"Unsaved text can have at most {LARGEST} characters.", member="fields")
    row = UnsavedText(administrator_id=user.pk, page=page, **place, fields=text, version=version, kept_at=clock.now())
    changed = ("content", "channel", "fields", "version", "kept_at")
    UnsavedText.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=("administrator", "page"), update_fields=changed
    )
    own = UnsavedText.objects.filter(administrator_id=user.pk).order_by("-kept_at", "-pk")
    if too_many := list(own.values_list("pk", flat=True)[MOST : 2 * MOST]):
        UnsavedText.objects.filter(pk__in=too_many).delete()
    return row


def drop(user: Any, page: str) -> None:
    """Delete what the page had, since it is saved or not wanted."""
    UnsavedText.objects.filter(administrator_id=user.pk, page=page).delete()


def purge_old() -> int:
    return UnsavedText.objects.filter(kept_at__lte=clock.now() - KEPT).delete()[0]
