"""Where a content stands on its way to approval, and who decided so, in the words of the form and the list."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from contents.models import Content
from contents.services.approval import Kind, State, state_of
from contents.services.decisions import CHECK_MEMBERS

# What tells the state; one of them alone says nothing.
STATE_MEMBERS = ("is_checked", "checked_level")
_SECONDS = 19  # characters of a date and time


def state_at(members: Mapping[str, Any]) -> State | None:
    """The state, where the members tell it."""
    if any(name not in members for name in STATE_MEMBERS):
        return None
    return state_of(Content(**{name: members[name] for name in STATE_MEMBERS}))


def is_of_decision(name: str) -> bool:
    """Whether the custom member belongs to the last decision on the content."""
    return name.casefold() in CHECK_MEMBERS


def tell_decision(entries: Mapping[str, Any], outcome: State | None) -> str:
    """Who decided, when and why; nothing where nobody has.

    What they decided is told by `outcome` only, since the entries do not say it and the state may have changed later.
    """
    found = {name.casefold(): str(value) for name, value in entries.items() if is_of_decision(name) and value}
    if not found.keys() - {"check_isadmin"}:
        return ""
    words = {"name": found.get("check_username", "–"), "at": found.get("check_checkdate", "–")[:_SECONDS]}
    told = _sentence(outcome) % (words | {"level": outcome.level if outcome else 0})
    reasons = found.get("check_reasons", "")
    return _("%(decision)s, reasons: %(reasons)s") % {"decision": told, "reasons": reasons} if reasons else told


def _sentence(outcome: State | None) -> str:
    sentences = {
        Kind.APPROVED: _("Approved by %(name)s on %(at)s"),
        Kind.PASSED: _("Approved up to level %(level)d by %(name)s on %(at)s"),
        Kind.REJECTED: _("Rejected at level %(level)d by %(name)s on %(at)s"),
    }
    by_whom = _("by %(name)s on %(at)s")
    return sentences.get(outcome.kind, by_whom) if outcome else by_whom
