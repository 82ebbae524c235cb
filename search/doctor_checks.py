from collections.abc import Iterator
from datetime import timedelta

from core.lib import clock
from core.operation.doctor import Finding, doctor_check, note, risky, wrong
from events.models import Event, Numbering
from search.models import SearchEntry, SearchProgress
from search.sources import kinds, model_of, read_entries

_NEWEST = 20  # records of each kind
_LATE = timedelta(minutes=5)
_REPAIR = "Run: manage.py rebuild_search"


@doctor_check("Index of words")
def _index() -> Iterator[Finding]:
    numbered_id = Numbering.objects.values_list("numbered_id", flat=True).first() or 0  # earlier ones have positions
    for kind in kinds():
        progress = SearchProgress.objects.filter(kind=kind).first()
        if progress is None or progress.built_to is not None:
            told = (
                f"The index of words of {kind} is being built; until then, searches find fewer of them or take longer."
            )
            yield note(told, _REPAIR)
            continue
        newest = list(model_of(kind)._default_manager.order_by("-pk").values_list("pk", flat=True)[:_NEWEST])
        later = Event.objects.filter(position__gt=progress.position).order_by("position").first()
        oldest = later or Event.objects.filter(position=None, pk__gt=numbered_id).order_by("pk").first()
        if oldest is not None and oldest.at < clock.now() - _LATE:
            told = f"The index of words of {kind} does not follow changes since {oldest.at:%Y-%m-%d %H:%M:%S}."
            yield risky(told, "Check that a server or manage.py run_periodic_tasks is running.")
            return  # all follow the same events
        elif oldest is None and (number := _missing(kind, newest)) is not None:
            yield wrong(f"The index of words lacks {kind} {number}.", _REPAIR)


def _missing(kind: str, newest: list[int]) -> int | None:
    """Return one of the records without an entry."""
    there = set(SearchEntry.objects.filter(kind=kind, subject_id__in=newest).values_list("subject_id", flat=True))
    wanted = {entry.subject_id for entry in read_entries(kind, newest)}
    return min(wanted - there, default=None)
