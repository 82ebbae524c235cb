"""The known acts, `<kind of object>.<participle>`, with labels; an unlisted act cannot be noted."""

from collections.abc import Collection
from functools import cache

from django.utils.functional import Promise

from cms_api.lib.registrations import registered

Text = str | Promise


def subjects() -> dict[str, Text]:
    """Return the kinds of objects for the list's filter: the part of an action's name before the dot."""
    places: dict[str, tuple[int, Text]] = registered("SUBJECTS")
    return {name: words for name, (_place, words) in sorted(places.items(), key=lambda each: each[1][0])}


@cache
def actions() -> dict[str, Text]:
    order = list(subjects())
    return dict(sorted(registered("ACTIONS").items(), key=lambda action: order.index(group_of(action[0]))))


# Changing this member is a lock, since unlocking has its own action; apps register its label as LOCKED.
_LOCK = "isLockedOut"


def group_of(action: str) -> str:
    return action.partition(".")[0]


def label_of(action: str, changed: Collection[str] = ()) -> str:
    """Return the action's label in the current language, or its name if a later version wrote the entry."""
    locked = registered("LOCKED").get(action) if _LOCK in changed else None
    return str(locked or actions().get(action, action))
