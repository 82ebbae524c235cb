"""Reading the records that change, for followers that keep the position that they have reached."""

from events.models import Event

_EVENTS = 1000  # that are read at a time


def changed_after(position: int, subject: str, *, most: int, up_to: int | None = None) -> tuple[set[int], int]:
    """Return the ids of at most `most` records of the subject (content, …) with later events, and the new position.

    With `up_to`, records of higher ids are left out.
    """
    ids: set[int] = set()
    events = Event.objects.filter(position__gt=position).order_by("position")
    for reached, name, subject_id in events.values_list("position", "name", "subject_id")[:_EVENTS]:
        if name.partition(".")[0] == subject and (up_to is None or subject_id <= up_to):
            if len(ids) == most and subject_id not in ids:
                break
            ids.add(subject_id)
        position = reached or position
    return ids, position
