"""Changes of contents in words for people: who, what, and the values before and after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import blake2s
from typing import Any, NamedTuple

import orjson
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels_app.models import Channel
from cms_api.admin.shown import shown_moment
from cms_api.audit.models import AuditEntry
from cms_api.rest.names import to_wire
from contents.admin.field_labels import label_of_field
from contents.models import Content, ContentChange, CustomField
from contents.services.approval import Kind, State, state_of
from contents.services.decisions import CHECK_MEMBERS
from contents.storing.history import MEMBERS

# What tells the state; one of them alone says nothing.
STATE_MEMBERS = ("is_checked", "checked_level")
_SECONDS = 19  # characters of a date and time
# Every edit changes these: they come after the others, and are not told beside them.
ALONG = frozenset({"last_edit_user_name", "last_edit_date"})
_FIRST = frozenset({"title", "sub_title", "summary"})
_SETTINGS = "settings_xml"
# What several members tell together, by names of its own.
_STATE, DECISION = "state", "decision"
_FOLDED_WIRE = {
    _STATE: ", ".join(to_wire(name) for name in STATE_MEMBERS),
    DECISION: ", ".join(sorted(CHECK_MEMBERS - {"check_isadmin"})),
}
_LABELS = {field.attname: label_of_field(field.name) for field in Content._meta.concrete_fields}
KIND_LABELS: dict[str, Any] = {
    **dict(ContentChange.Kind.choices),
    ContentChange.Kind.REVERTED: gettext_lazy("restored to an earlier version"),
}
_DECISIONS = frozenset({ContentChange.Kind.APPROVED, ContentChange.Kind.REJECTED})


def key_of(name: str) -> str:
    """A short name for addresses: custom members may be called anything, at any length."""
    is_own = not name.startswith(f"{_SETTINGS}.")
    return name if is_own else blake2s(name.encode(), digest_size=8).hexdigest()


def find_key(key: str, names: Iterable[str]) -> str | None:
    """The name that the key stands for, if it is among them."""
    return next((name for name in names if key_of(name) == key), None)


class Member(NamedTuple):
    """A member of a content by its words, and as the API names it."""

    label: str
    wire: str


class ToldMember(NamedTuple):
    """A member and its value, or its values before and after; `name` is its key among the texts."""

    name: str
    member: Member
    before: str
    after: str = ""


@dataclass(frozen=True)
class Differences:
    """What differs between two versions: own members first, then what every edit changes, then custom ones."""

    words: "ChangeWords"
    names: list[str]
    before: Mapping[str, str]
    after: Mapping[str, str]

    def told(self, names: Iterable[str]) -> list[ToldMember]:
        return [
            ToldMember(name, self.words.member(name), self.before.get(name, ""), self.after.get(name, ""))
            for name in names
        ]


class ChangeWords:
    """The words for contents of one site: names of custom members and of channels are read once."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._channels: dict[int, str] = {}

    def texts(self, members: Mapping[str, Any], outcome: State | None = None) -> dict[str, str]:
        """The values as texts, by the names of the members; each custom member by `settings_xml.` and its name.

        What tells of the approval is folded into two: the state, and the last decision, of which `outcome` says what
        it was.
        """
        entries: dict[str, Any] = orjson.loads(members.get(_SETTINGS) or "{}")
        found: dict[str, str] = {}
        if (state := state_at(members)) is not None:
            found[_STATE] = str(state)
        if decision := tell_decision(entries, outcome):
            found[DECISION] = decision
        own = sorted(members.keys() - {_SETTINGS, *STATE_MEMBERS}, key=_order)
        titles = [name for name in own if name in _FIRST]
        told = {name: self._text(name, members[name]) for name in own}
        custom = {
            f"{_SETTINGS}.{entry}": _as_text(value) for entry, value in entries.items() if not is_of_decision(entry)
        }
        return {name: told[name] for name in titles} | found | told | custom

    def differences(
        self, before: Mapping[str, Any], after: Mapping[str, Any], *, by_decision: bool = False
    ) -> Differences:
        """The members whose values differ; `by_decision` where one decision led from the one to the other."""
        old = self.texts(before)
        new = self.texts(after, state_at(after) if by_decision else None)
        names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
        return Differences(self, sorted(names, key=lambda name: name.startswith(f"{_SETTINGS}.")), old, new)

    def member(self, name: str) -> Member:
        """The words for a member, which may be a custom one."""
        kind, dot, entry = name.partition(".")
        if dot:
            return Member(self._labels.get(entry) or entry, entry)
        if kind in _FOLDED_WIRE:
            return Member(_("State") if kind == _STATE else _("Last decision"), _FOLDED_WIRE[kind])
        return Member(capfirst(str(_LABELS[kind])), to_wire(kind))

    def load_channels(self, numbers: Iterable[int]) -> None:
        """Read the names of the channels at once."""
        missing = set(numbers) - self._channels.keys()
        if missing:
            rows = Channel.objects.filter(pk__in=missing).values_list("pk", "channel_name")
            self._channels |= dict.fromkeys(missing, "") | dict(rows)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return dict(CustomField.objects.filter(site_id=self._site_id).values_list("name", "label"))

    def _text(self, name: str, value: Any) -> str:
        if name == "channel_id":
            self.load_channels([value])
            return self._channels[value] or _("channel %(number)d") % {"number": value}
        return _as_text(value)


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
    sentences = {
        Kind.APPROVED: _("Approved by %(name)s on %(at)s"),
        Kind.PASSED: _("Approved up to level %(level)d by %(name)s on %(at)s"),
        Kind.REJECTED: _("Rejected at level %(level)d by %(name)s on %(at)s"),
    }
    sentence = sentences.get(outcome.kind) if outcome else None
    told = (sentence or _("by %(name)s on %(at)s")) % (words | {"level": outcome.level if outcome else 0})
    reasons = found.get("check_reasons", "")
    return _("%(decision)s, reasons: %(reasons)s") % {"decision": told, "reasons": reasons} if reasons else told


def tell_kind(change: ContentChange) -> str:
    """What was done: `Changed`, `Restored version 3`."""
    if change.kind == ContentChange.Kind.REVERTED and change.reasons:
        return _("Restored version %(version)s") % {"version": change.reasons}
    return capfirst(str(KIND_LABELS[change.kind]))


def tell_reasons(change: ContentChange) -> str:
    return "" if change.kind == ContentChange.Kind.REVERTED else change.reasons


def tell_author(change: ContentChange) -> str:
    """Who made the change; the account of the operating system that ran a command is nobody's business."""
    if change.actor_kind == AuditEntry.ActorKind.KEY:
        return tell_maker(change.actor_name, change.key_name)
    if change.actor_kind == AuditEntry.ActorKind.ADMINISTRATOR:
        return change.actor_name
    labels = dict(AuditEntry.ActorKind.choices)
    return str(labels.get(change.actor_kind, change.actor_kind))


def tell_maker(name: str, key_name: str) -> str:
    """Who it was, with the API key if there was one."""
    if not name or not key_name:
        return name or (key_name and _("by the API key “%(key)s”") % {"key": key_name})
    return _("%(name)s, by the API key “%(key)s”") % {"name": name, "key": key_name}


def names_changed(change: ContentChange) -> list[str]:
    """The names of the members that the change overwrote; what every edit changes only where there is nothing else."""
    names = sorted((name for name in orjson.loads(change.before) if name in MEMBERS), key=_order)
    folded = list(dict.fromkeys(_folded(name, change) for name in names))
    return [name for name in folded if name not in ALONG] or folded


def is_decision(change: ContentChange | None) -> bool:
    """Whether the change was a decision on the content, so that its outcome is the state that it led to."""
    return change is not None and change.kind in _DECISIONS


def _folded(name: str, change: ContentChange) -> str:
    if name in STATE_MEMBERS:
        return _STATE
    # Of the custom members a decision changes those that tell of it, and no others.
    return DECISION if name == _SETTINGS and is_decision(change) else name


def _order(name: str) -> tuple[bool, bool, bool, int]:
    return name == _SETTINGS, name in ALONG, name not in _FIRST, MEMBERS.index(name)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return shown_moment(value, exact=True)
    if value is None:
        return ""
    return orjson.dumps(value).decode() if isinstance(value, dict | list) else str(value)
