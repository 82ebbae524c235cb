from datetime import timedelta

from core.lib import clock
from forms.models import Entry, Form

_BATCH = 500  # entries per transaction
MAX_DAYS = 36_500  # that a form keeps its entries


def delete_old() -> None:
    """Delete entries that are older than the days their form keeps them."""
    for form_id, days in Form.objects.filter(keep_days__isnull=False).values_list("pk", "keep_days"):
        before = clock.now() - timedelta(days=min(days or 0, MAX_DAYS))
        due = Entry.objects.filter(form_id=form_id, created_at__lt=before).order_by("created_at")
        while numbers := list(due.values_list("pk", flat=True)[:_BATCH]):
            Entry.objects.filter(pk__in=numbers).delete()
