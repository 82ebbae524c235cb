"""Changes of contents in words for people: who, what, and the values before and after."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import orjson
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from channels_app.models import Channel
from cms_api.models import AuditEntry
from cms_api.rest.names import to_wire
from contents.history import MEMBERS
from contents.models import Content, ContentChange, CustomField

# Every edit changes these: they come last, and are not told beside others.
ALONG = frozenset({"last_edit_user_name", "last_edit_date"})
_FIRST = frozenset({"title", "sub_title", "summary"})
_SETTINGS = "settings_xml"
_LABELS = {field.attname: field.verbose_name for field in Content._meta.concrete_fields}
_SECONDS = 19  # characters of a date and time


class Member(NamedTuple):
    """A member of a content by its words, and as the API names it."""

    label: str
    wire: str


class Told(NamedTuple):
    """A member and its value, or its values before and after."""

    member: Member
    before: str
    after: str = ""


class ChangeWords:
    """The words for contents of one site: names of custom members and of channels are read once."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._channels: dict[int, str] = {}

    def texts(self, members: Mapping[str, Any]) -> dict[str, str]:
        """The values as texts, by the names of the members; each custom member by `settings_xml.` and its name."""
        found: dict[str, str] = {}
        for name in sorted(members, key=_order):
            if name == _SETTINGS:
                entries = orjson.loads(members[name])
                found |= {f"{_SETTINGS}.{entry}": _as_text(value) for entry, value in entries.items()}
            else:
                found[name] = self._text(name, members[name])
        return found

    def differences(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Told]:
        """The members whose values differ; what every edit changes comes last."""
        old, new = self.texts(before), self.texts(after)
        names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
        return [Told(self.member(name), old.get(name, ""), new.get(name, "")) for name in names]

    def member(self, name: str) -> Member:
        """The words for a member, which may be a custom one."""
        kind, _dot, entry = name.partition(".")
        if entry:
            return Member(self._labels.get(entry) or entry, entry)
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


def tell_kind(change: ContentChange) -> str:
    """What was done: `Changed`, `Brought back to version 3`."""
    if change.kind == ContentChange.Kind.REVERTED and change.reasons:
        return _("Brought back to version %(version)s") % {"version": change.reasons}
    return capfirst(change.get_kind_display())


def tell_reasons(change: ContentChange) -> str:
    """Why, if it was said."""
    return "" if change.kind == ContentChange.Kind.REVERTED else change.reasons


def tell_author(change: ContentChange) -> str:
    """Who made the change; the account of the operating system that ran a command is nobody's business."""
    if change.actor_kind == AuditEntry.ActorKind.KEY:
        return _("%(name)s, by the API key “%(key)s”") % {"name": change.actor_name, "key": change.key_name}
    if change.actor_kind == AuditEntry.ActorKind.ADMINISTRATOR:
        return change.actor_name
    labels = dict(AuditEntry.ActorKind.choices)
    return str(labels.get(change.actor_kind, change.actor_kind))


def names_changed(change: ContentChange) -> list[str]:
    """The names of the members that the change overwrote; what every edit changes only where there is nothing else."""
    names = sorted((name for name in orjson.loads(change.before) if name in MEMBERS), key=_order)
    return [name for name in names if name not in ALONG] or names


def _order(name: str) -> tuple[bool, bool, int]:
    return name in ALONG, name not in _FIRST, MEMBERS.index(name)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return value.isoformat(" ")[:_SECONDS]
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode() if _is_nested(value) else str(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)
