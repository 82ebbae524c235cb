from datetime import timedelta

from django.db.models import QuerySet

from core.lib import clock
from forms.models import Entry, Form

_BATCH = 500  # entries per transaction
MAX_DAYS = 36_500  # that a form keeps its entries
DAYS_OF_SPAM = 30


def delete_old() -> None:
    """Delete spam, and entries that are older than the days their form keeps them."""
    for form_id, days in Form.objects.values_list("pk", "keep_days"):
        entries = Entry.objects.filter(form_id=form_id)
        _delete_before(entries.filter(state=Entry.State.SPAM), DAYS_OF_SPAM)
        if days is not None:
            _delete_before(entries, min(days, MAX_DAYS))


def _delete_before(entries: QuerySet[Entry], days: int) -> None:
    due = entries.filter(created_at__lt=clock.now() - timedelta(days=days)).order_by("created_at")
    while numbers := list(due.values_list("pk", flat=True)[:_BATCH]):
        Entry.objects.filter(pk__in=numbers).delete()
