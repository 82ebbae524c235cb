from datetime import timedelta

from django.db import transaction

from apikeys.models import ApiKey, KeyState
from core.lib import clock
from core.notifications.notifying import Subject, notify, responsible_for

DAYS = (7, 1)  # before the end


def notify_of_expiring() -> None:
    """Notify the highest rank of keys that expire soon: a week and a day before, once each."""
    now = clock.now()
    valid = ApiKey.objects.in_state(KeyState.VALID)
    for days in sorted(DAYS):
        ending = valid.filter(expires_at__lte=now + timedelta(days=days)).order_by("expires_at", "pk")
        valid = valid.exclude(expires_at__lte=now + timedelta(days=days))
        for key in ending:
            _notify(key, days)


@transaction.atomic
def _notify(key: ApiKey, days: int) -> None:
    subject = Subject("key", key.pk, key.name, note=f"{key.expires_at:%Y-%m-%d %H:%M}")
    once = f"key {key.pk} expires at {key.expires_at}, {days}"
    notify("api_key.expiring", {each: [subject] for each in responsible_for()}, once=once)
