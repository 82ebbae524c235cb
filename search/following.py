"""Keeps the index up to date: it follows the events, and builds the entries of a kind that has none yet.

Small transactions, one at a time for each kind, which any process continues. Until an event has reached the index,
`search.query` reads the record itself.
"""

from collections.abc import Iterator
from time import monotonic

from django.db import DatabaseError, connection
from django.db.transaction import atomic

from events.following import changed_after
from events.models import Numbering
from events.numbering import lock_numbering, number_new
from search.entries import FORM, store
from search.models import SearchEntry, SearchProgress
from search.sources import kinds, model_of, read_entries

_RECORDS = 200  # records in a transaction
_SECONDS = 2.0  # of one call of the periodic task


def follow() -> None:
    """Periodic task."""
    end, failure = monotonic() + _SECONDS, None
    progresses = {progress.kind: progress for progress in SearchProgress.objects.all()}
    numbering = Numbering.objects.first()
    for kind in [kind for kind in kinds() if _is_due(progresses.get(kind), numbering)]:
        try:
            while step(kind) and monotonic() < end:
                pass
        except DatabaseError as error:  # the other kinds are followed all the same
            failure = error
    if failure is not None:
        raise failure


def rebuild(kind: str) -> Iterator[int]:
    """Build all entries again; yield the number of records of each step."""
    number_new()  # the new entries follow these events already
    with atomic():
        _begin(_locked(kind, wait=True))
    while SearchProgress.objects.filter(kind=kind, built_to__isnull=False).exists():
        with atomic():
            yield _build_some(_locked(kind, wait=True))


def step(kind: str) -> int:
    """Bring some entries up to date; return 0 if none are left or another process is at work."""
    if not _is_due(SearchProgress.objects.filter(kind=kind).first(), Numbering.objects.first()):
        return 0
    with atomic():
        try:
            progress = _locked(kind)
        except SearchProgress.DoesNotExist:
            return 0
        if _is_outdated(progress, Numbering.objects.first()):
            _begin(progress)
        return _follow_events(progress) or _build_some(progress)


def _is_due(progress: SearchProgress | None, numbering: Numbering | None) -> bool:
    if progress is None or progress.built_to is not None or _is_outdated(progress, numbering):
        return True
    return numbering is not None and numbering.last_position > progress.position


def followed_to(kind: str) -> int | None:
    """Return the position of the last event that the entries follow; None if some may have none."""
    progress = SearchProgress.objects.filter(kind=kind, built_to=None).first()
    return None if progress is None or _is_outdated(progress, Numbering.objects.first()) else progress.position


def _is_outdated(progress: SearchProgress, numbering: Numbering | None) -> bool:
    """Return whether events after its position may be gone, or its entries have another form."""
    return progress.form != FORM or progress.position < (numbering.deleted_position if numbering else 0)


def _locked(kind: str, *, wait: bool = False) -> SearchProgress:
    """Return the row, locked until the transaction ends.

    Raises DoesNotExist if another process has locked it, unless `wait`.
    """
    if not SearchProgress.objects.filter(kind=kind).exists():
        missing = SearchProgress(kind=kind, form=0, position=0, built_to=0)
        SearchProgress.objects.bulk_create([missing], ignore_conflicts=True)
    can_skip = connection.features.has_select_for_update_skip_locked and not wait
    return SearchProgress.objects.select_for_update(skip_locked=can_skip).get(kind=kind)


def _begin(progress: SearchProgress) -> None:
    progress.form, progress.built_to = FORM, 0
    progress.position = lock_numbering().last_position  # a new one begins with the time
    progress.save()


def _follow_events(progress: SearchProgress) -> int:
    # Further records get their entries in order while these are built: newer ones after older ones.
    ids, position = changed_after(progress.position, progress.kind, most=_RECORDS, up_to=progress.built_to)
    if ids:
        store(progress.kind, ids, read_entries(progress.kind, ids))
    if followed := position - progress.position:
        progress.position = position
        progress.save(update_fields=["position"])
    return followed


def _build_some(progress: SearchProgress) -> int:
    if progress.built_to is None:
        return 0
    after = progress.built_to
    records = model_of(progress.kind)._default_manager.filter(pk__gt=after).order_by("pk")
    ids = list(records.values_list("pk", flat=True)[:_RECORDS])
    surplus = SearchEntry.objects.filter(kind=progress.kind, subject_id__gt=after).exclude(subject_id__in=ids)
    if len(ids) == _RECORDS:
        surplus = surplus.filter(subject_id__lte=ids[-1])
    surplus.delete()
    store(progress.kind, ids, read_entries(progress.kind, ids))
    progress.built_to = ids[-1] if len(ids) == _RECORDS else None
    progress.save(update_fields=["built_to"])
    return len(ids)
