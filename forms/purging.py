"""Deletion of entries: the only place from which they go, so that what belongs to them goes with them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator

from django.db import transaction
from django.db.models import QuerySet

from channels_app.services import lock_tree
from core import audit
from forms.models import Entry, Form

BATCH = 500  # entries of a transaction


def _hold_lists(entries: QuerySet[Entry]) -> None:
    """Take the locks of the sites whose pages will be renewed before those of the entries, as `delete_form` does."""
    lists = Form.objects.filter(pk__in=entries.values("form")).exclude(public_list=Form.PublicList.NONE)
    for site_id in lists.order_by("site").values_list("site", flat=True).distinct():
        lock_tree(site_id)


def delete_entries(entries: QuerySet[Entry]) -> int:
    """Delete these entries, at most BATCH, within the caller's transaction if there is one; return their number."""
    _rows, counts = entries.delete()
    return counts.get(Entry._meta.label, 0)


def batches(entries: QuerySet[Entry]) -> Iterator[int]:
    """Delete the entries in batches, each a transaction, and yield the size of each.

    `entries` is read again with its condition for each batch, since people may change entries in between.
    """
    while numbers := list(entries.order_by().values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            chosen = entries.filter(pk__in=numbers)
            _hold_lists(chosen)
            number = delete_entries(chosen)
        yield number


def empty(form: Form, tell: Callable[[int], object]) -> int:
    """Delete the entries of the form; `tell` gets their number after each batch."""
    done = 0
    for number in batches(Entry.objects.filter(form=form)):
        done += number
        tell(done)
    return done


def erase(entries: QuerySet[Entry], numbers: Collection[int]) -> Counter[int]:
    """Delete those of the entries with these ids; return how many by form.

    One transaction for each form. The audit notes the form and how many they were.
    """
    erased: Counter[int] = Counter()
    chosen = entries.filter(pk__in=numbers)
    for form in Form.objects.filter(pk__in=chosen.values("form")).order_by("pk"):
        own = list(chosen.filter(form=form).order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(own), BATCH):
            with transaction.atomic():
                portion = chosen.filter(pk__in=own[start : start + BATCH], form=form)
                _hold_lists(portion)
                count = delete_entries(portion)
                if count:
                    audit.record("entry.erased", form, site_id=form.site_id, entries=count)
            erased[form.pk] += count
    return +erased
