from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Max, Q

from apikeys.models import LAST_USE, ApiKey, KeyState
from core.lib import clock
from core.operation.doctor import Finding, doctor_check, risky

_SOON = timedelta(days=14)
_UNUSED = timedelta(days=180)


@doctor_check("API keys")
def _keys() -> Iterator[Finding]:
    now, valid = clock.now(), ApiKey.objects.in_state(KeyState.VALID)
    for key in valid.filter(expires_at__lte=now + _SOON).order_by("expires_at"):
        yield risky(
            f'The API key "{key.name}" expires at {key.expires_at:%Y-%m-%d %H:%M}.', "Give its clients a new key."
        )
    old = valid.filter(created_at__lt=now - _UNUSED).annotate(last=LAST_USE)
    unused = Q(last=None) | Q(last__lt=now - _UNUSED)
    if idle := list(old.filter(unused).order_by("name").values_list("name", flat=True)):
        told = f"{len(idle)} API keys have not been used for {_UNUSED.days} days: {', '.join(idle[:5])}"
        yield risky(f"{told}.", "Revoke the keys that are no longer needed.")
    yield from _legacy_keys(now)


def _legacy_keys(now: datetime) -> Iterator[Finding]:
    """Yield a finding for each key whose SiteServer form is still used, or ends soon."""
    keys = ApiKey.objects.in_state(KeyState.VALID).filter(legacy_tokens__ends_at__gt=now).order_by("name")
    rows = keys.annotate(used=Max("legacy_tokens__last_used_at"), ends=Max("legacy_tokens__ends_at"))
    for name, used, ends in rows.values_list("name", "used", "ends"):
        if used is None and ends > now + _SOON:
            continue
        last = f"last used at {used:%Y-%m-%d %H:%M}" if used else "never used here"
        told = f'The API key "{name}" still accepts its SiteServer form until {ends:%Y-%m-%d %H:%M} ({last}).'
        yield risky(told, "Rotate the key, give its clients the new token, and end the original key.")
