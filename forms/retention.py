from datetime import datetime, timedelta

from django.db.models import QuerySet

from core.lib import clock
from forms import entry_files
from forms.models import Entry, Form
from forms.purging import batches
from forms.receiving import SAME

MAX_DAYS = 36_500  # that a form keeps its entries
DAYS_OF_SPAM = 30


def delete_old() -> None:
    """Delete spam, and entries that are older than the days their form keeps them."""
    _delete(Entry.objects.filter(spam_at__lt=_before(DAYS_OF_SPAM)))
    for form_id, days in Form.objects.filter(keep_days__isnull=False).values_list("pk", "keep_days"):
        _delete(Entry.objects.filter(form_id=form_id, created_at__lt=_before(min(days or 0, MAX_DAYS))))
    Entry.objects.exclude(digest="").filter(created_at__lt=clock.now() - SAME).update(digest="")
    entry_files.sweep()


def _before(days: int) -> datetime:
    return clock.now() - timedelta(days=days)


def _delete(due: QuerySet[Entry]) -> None:
    for _number in batches(due):
        pass
