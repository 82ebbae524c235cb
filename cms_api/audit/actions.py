"""Every act that the audit knows, with the words that tell it: name → label.

Apps register theirs. A name is `<kind of object>.<participle>`. What is not listed cannot be noted, so that filters and
documents are complete (docs/audit.md tells when each is written).
"""

from collections.abc import Collection
from functools import cache

from django.utils.functional import Promise

from cms_api.lib.registrations import registered

Text = str | Promise


def subjects() -> dict[str, Text]:
    """The kinds of objects, for the filter of the list: the part of an action's name before the dot."""
    places: dict[str, tuple[int, Text]] = registered("SUBJECTS")
    return {name: words for name, (_place, words) in sorted(places.items(), key=lambda each: each[1][0])}


@cache
def actions() -> dict[str, Text]:
    """The words of each action, in the order of the kinds of objects."""
    order = list(subjects())
    return dict(sorted(registered("ACTIONS").items(), key=lambda action: order.index(group_of(action[0]))))


# Apps register other words, as LOCKED, for a change of this member: a lock, since unlocking has an action of its own.
_LOCK = "isLockedOut"


def group_of(action: str) -> str:
    """The kind of object that the action is about: `api_key` of `api_key.rotated`."""
    return action.partition(".")[0]


def label_of(action: str, changed: Collection[str] = ()) -> str:
    """The words for an action in the present language; its name, if a later version wrote the entry.

    `changed` are the members that it names.
    """
    locked = registered("LOCKED").get(action) if _LOCK in changed else None
    return str(locked or actions().get(action, action))
