"""Describes changes of contents in plain language."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from hashlib import blake2s
from typing import Any, NamedTuple

import orjson
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels_app.models import Channel
from contents.admin.fields import label_of_field
from contents.admin.history.texts import cut
from contents.models import Content, ContentChange, CustomField
from contents.services.approval import ApprovalState, DecisionKind, state_of
from contents.services.decisions import CHECK_MEMBERS
from contents.storing.history import MEMBERS
from core.admin.formatting import format_date_time
from core.audit.models import AuditEntry
from core.rest.names import to_wire

# The state needs both members.
_STATE_MEMBERS = ("is_checked", "checked_level")
# Changed by every edit: listed last, and omitted beside other changes.
_ALONG = frozenset({"last_edit_user_name", "last_edit_date"})
_FIRST = frozenset({"title", "sub_title", "summary"})
_SETTINGS, _CUSTOM = "settings_xml", "settings_xml."
# Names for combined members.
_STATE, DECISION = "state", "decision"
_LABELS = {field.attname: label_of_field(field.name) for field in Content._meta.concrete_fields}
KIND_LABELS: dict[str, Any] = {
    **dict(ContentChange.Kind.choices),
    ContentChange.Kind.REVERTED: gettext_lazy("restored to an earlier version"),
}
_UNDONE: dict[str, Promise] = {
    ContentChange.Kind.CHANGED: gettext_lazy("Change undone"),
    ContentChange.Kind.APPROVED: gettext_lazy("Approval undone"),
    ContentChange.Kind.REJECTED: gettext_lazy("Rejection undone"),
    ContentChange.Kind.MOVED: gettext_lazy("Move undone"),
    ContentChange.Kind.PUBLISHED: gettext_lazy("Publication undone"),
    ContentChange.Kind.REVERTED: gettext_lazy("Restoration undone"),
}
_MAX_NAME = 60  # characters


def key_of(name: str) -> str:
    """A short name for URLs; custom fields may have any name and length."""
    return blake2s(name.encode(), digest_size=8).hexdigest() if name.startswith(_CUSTOM) else name


def find_key(key: str, names: Iterable[str]) -> str | None:
    return next((name for name in names if key_of(name) == key), None)


class Member(NamedTuple):
    """Label and API name of a member."""

    label: str
    wire: str

    def shortened(self) -> "Member":
        return Member(cut(self.label, _MAX_NAME), cut(self.wire, _MAX_NAME))


class DescribedMember(NamedTuple):
    """A member with its values before and after; `name` is its key in `texts`."""

    name: str
    member: Member
    before: str
    after: str


class ChangeWords:
    """Words for contents of one site; caches names of custom fields and channels."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._channels: dict[int, str] = {}

    def texts(self, members: Mapping[str, Any], outcome: ApprovalState | None = None) -> dict[str, str]:
        """Values as text by member name (custom: `settings_xml.` + name); approval becomes state and decision."""
        entries: dict[str, Any] = orjson.loads(members.get(_SETTINGS) or "{}")
        own = sorted(members.keys() - {_SETTINGS, *_STATE_MEMBERS}, key=_order)
        found = {name: self._text(name, members[name]) for name in own if name in _FIRST}
        if (state := _state_at(members)) is not None:
            found[_STATE] = str(state)
        if decision := describe_decision(entries, outcome):
            found[DECISION] = decision
        found |= {name: self._text(name, members[name]) for name in own if name not in _FIRST}
        for entry, value in entries.items():
            if entry.casefold() not in CHECK_MEMBERS:
                found[f"{_CUSTOM}{entry}"] = _as_text(value)
        return found

    def differences(
        self, before: Mapping[str, Any], after: Mapping[str, Any], *, by_decision: bool = False
    ) -> list[DescribedMember]:
        """Differing members: own ones, those changed by every edit, then custom fields."""
        old = self.texts(before)
        new = self.texts(after, _state_at(after) if by_decision else None)
        names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
        return [
            DescribedMember(name, self.member(name), old.get(name, ""), new.get(name, ""))
            for name in sorted(names, key=lambda name: name.startswith(_CUSTOM))
        ]

    def description_of(
        self, change: ContentChange, values: Mapping[str, Any], state: Mapping[str, Any]
    ) -> list[DescribedMember]:
        """The members that the change overwrote; `values` were before it, `state` after it."""
        # The state needs both members, even if only one was overwritten.
        pair = _STATE_MEMBERS if values.keys() & set(_STATE_MEMBERS) else ()
        names = (values.keys() - _ALONG) | set(pair)
        before = {name: values.get(name, state[name]) for name in names}
        differences = self.differences(before, {name: state[name] for name in names})
        # The row already shows who decided, when and why.
        return [told for told in differences if not (told.name == DECISION and is_decision(change))]

    def member(self, name: str) -> Member:
        if name.startswith(_CUSTOM):
            entry = name.removeprefix(_CUSTOM)
            return Member(self._custom_labels.get(entry) or entry, entry)
        if name == _STATE:
            return Member(_("State"), ", ".join(map(to_wire, _STATE_MEMBERS)))
        if name == DECISION:
            return Member(_("Last decision"), ", ".join(sorted(CHECK_MEMBERS - {"check_isadmin"})))
        return Member(capfirst(str(_LABELS[name])), to_wire(name))

    def load_channels(self, numbers: Iterable[int]) -> None:
        missing = set(numbers) - self._channels.keys()
        if missing:
            rows = Channel.objects.filter(pk__in=missing).values_list("pk", "channel_name")
            self._channels |= dict.fromkeys(missing, "") | dict(rows)

    @cached_property
    def _custom_labels(self) -> dict[str, str]:
        return dict(CustomField.objects.filter(site_id=self._site_id).values_list("name", "label"))

    def _text(self, name: str, value: Any) -> str:
        if name == "channel_id":
            self.load_channels([value])
            return self._channels[value] or _("channel %(number)d") % {"number": value}
        return _as_text(value)


def _state_at(members: Mapping[str, Any]) -> ApprovalState | None:
    if any(name not in members for name in _STATE_MEMBERS):
        return None
    return state_of(Content(**{name: members[name] for name in _STATE_MEMBERS}))


def describe_decision(entries: Mapping[str, Any], outcome: ApprovalState | None) -> str:
    """The last decision as a sentence, or ""; its result is `outcome`, since the entries do not have it."""
    folded = ((name.casefold(), value) for name, value in entries.items() if value)
    found = {name: str(value) for name, value in folded if name in CHECK_MEMBERS}
    if not found.keys() - {"check_isadmin"}:
        return ""
    at = found.get("check_checkdate", "–")[:19]  # to the second
    words = {"name": found.get("check_username", "–"), "at": at, "level": outcome.level if outcome else 0}
    sentences = {
        DecisionKind.APPROVED: _("Approved by %(name)s on %(at)s"),
        DecisionKind.PASSED: _("Approved up to level %(level)d by %(name)s on %(at)s"),
        DecisionKind.REJECTED: _("Rejected at level %(level)d by %(name)s on %(at)s"),
    }
    sentence = sentences.get(outcome.kind) if outcome else None
    told = (sentence or _("by %(name)s on %(at)s")) % words
    reasons = found.get("check_reasons", "")
    return _("%(decision)s, reasons: %(reasons)s") % {"decision": told, "reasons": reasons} if reasons else told


def describe_kind(change: ContentChange) -> str:
    if change.kind == ContentChange.Kind.REVERTED and change.reasons:
        undone = _UNDONE.get(change.reasons)
        return str(undone or _("Restored version %(version)s") % {"version": change.reasons})
    return capfirst(str(KIND_LABELS[change.kind]))


def describe_reasons(change: ContentChange) -> str:
    return "" if change.kind == ContentChange.Kind.REVERTED else change.reasons


def describe_author(change: ContentChange) -> str:
    """Name the author of the change; omits the operating system account of commands."""
    if change.actor_kind == AuditEntry.ActorKind.KEY:
        return describe_maker(change.actor_name, change.key_name)
    if change.actor_kind == AuditEntry.ActorKind.ADMINISTRATOR:
        return change.actor_name
    labels = dict(AuditEntry.ActorKind.choices)
    return str(labels.get(change.actor_kind, change.actor_kind))


def describe_maker(name: str, key_name: str) -> str:
    if not name or not key_name:
        return name or (key_name and _("by the API key “%(key)s”") % {"key": key_name})
    return _("%(name)s, by the API key “%(key)s”") % {"name": name, "key": key_name}


def names_changed(change: ContentChange) -> list[str]:
    """PreviousValues members; members that every edit changes only if there are no others."""
    found: dict[str, None] = {}
    for name in sorted((name for name in orjson.loads(change.before) if name in MEMBERS), key=_order):
        # A decision changes only its own entries of the custom fields.
        is_of_decision = name == _SETTINGS and is_decision(change)
        found[_STATE if name in _STATE_MEMBERS else DECISION if is_of_decision else name] = None
    return [name for name in found if name not in _ALONG] or list(found)


def is_decision(change: ContentChange | None) -> bool:
    return change is not None and change.kind in {ContentChange.Kind.APPROVED, ContentChange.Kind.REJECTED}


def _order(name: str) -> tuple[bool, bool, bool, int]:
    return name == _SETTINGS, name in _ALONG, name not in _FIRST, MEMBERS.index(name)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return format_date_time(value, exact=True)
    if value is None:
        return ""
    return orjson.dumps(value).decode() if isinstance(value, dict | list) else str(value)
