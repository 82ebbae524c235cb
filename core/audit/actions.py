"""The known acts, `<kind of object>.<participle>`, with labels; an unlisted act cannot be noted."""

from collections.abc import Collection
from functools import cache

from core.lib.registrations import ACTIONS, LOCKED, SUBJECTS, Text


def subjects() -> dict[str, Text]:
    """Return the kinds of objects for the list's filter: the part of an action's name before the dot."""
    ordered = sorted(SUBJECTS.entries.items(), key=lambda each: each[1].place)
    return {name: subject.label for name, subject in ordered}


@cache
def actions() -> dict[str, Text]:
    order = list(subjects())
    return dict(sorted(ACTIONS.entries.items(), key=lambda action: order.index(group_of(action[0]))))


# Changing this member is a lock, since unlocking has its own action; apps register its label as LOCKED.
_LOCK = "isLockedOut"


def group_of(action: str) -> str:
    return action.partition(".")[0]


def label_of(action: str, changed: Collection[str] = ()) -> str:
    """Return the action's label in the current language, or its name if a later version wrote the entry."""
    locked = LOCKED.entries.get(action) if _LOCK in changed else None
    return str(locked or actions().get(action, action))
