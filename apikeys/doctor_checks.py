"""What the doctor looks at in API keys."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Max, Q

from apikeys.models import ApiKey, State
from cms_api.lib import clock
from cms_api.operation.doctor.examinations import Finding, examination, risky

_SOON = timedelta(days=14)
_UNUSED = timedelta(days=180)


@examination("API keys")
def _keys() -> Iterator[Finding]:
    """Keys that end soon, and keys that nobody would miss."""
    now, valid = clock.now(), ApiKey.objects.in_state(State.VALID)
    for key in valid.filter(expires_at__lte=now + _SOON).order_by("expires_at"):
        yield risky(f'The API key "{key.name}" ends at {key.expires_at:%Y-%m-%d %H:%M}.', "Give its clients another.")
    old = valid.filter(created_at__lt=now - _UNUSED).annotate(last=Max("tokens__last_used_at"))
    unused = Q(last=None) | Q(last__lt=now - _UNUSED)
    if idle := list(old.filter(unused).order_by("name").values_list("name", flat=True)):
        told = f"{len(idle)} API keys have not been used for {_UNUSED.days} days: {', '.join(idle[:5])}"
        yield risky(f"{told}.", "Revoke what nobody needs.")
