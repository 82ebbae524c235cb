"""Entries of the audit in words for people."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from cms_api.admin.shown import shown_value
from cms_api.audit.models import AuditEntry
from cms_api.lib.registrations import registered

_GONE = (".deleted", ".purged")
_TRASHED = ".trashed"
# Kinds of objects in entries that nobody may change, by their names since.
_MOVED = {"cms_api.node": "operation.node"}
# Names of details, as people read them; the files have them as they are.
DETAILS: dict[str, str | Promise] = {
    "before": gettext_lazy("before"),
    "channels": gettext_lazy("channels"),
    "command": gettext_lazy("command"),
    "contents": gettext_lazy("contents"),
    "created": pgettext_lazy("rows of a table", "new"),
    "differences": gettext_lazy("differences"),
    "entries": gettext_lazy("entries"),
    "file": gettext_lazy("file"),
    "filters": gettext_lazy("filters"),
    "format": gettext_lazy("format"),
    "left_out": pgettext_lazy("rows of a table", "left out"),
    "limits": gettext_lazy("limits reached"),
    "not_noted_before": gettext_lazy("not noted before"),
    "number": gettext_lazy("number"),
    "overlap": gettext_lazy("overlap"),
    "owner": gettext_lazy("owner"),
    "public_part": gettext_lazy("token begins with"),
    "reason": gettext_lazy("reason"),
    "scopes": gettext_lazy("scopes"),
    "sites": gettext_lazy("sites"),
    "source": gettext_lazy("source"),
    "updated": pgettext_lazy("rows of a table", "changed"),
    "with": gettext_lazy("along with"),
}


def tell_actor(entry: AuditEntry, *, with_account: bool = True) -> str:
    """Who acted: `root`, `root, by the API key news robot`, `command create_site (deploy)`.

    The account of the operating system is left out where it is nobody's business.
    """
    if entry.actor_kind == AuditEntry.ActorKind.KEY:
        return _("%(name)s, by the API key “%(key)s”") % {"name": entry.actor_name, "key": entry.key_name}
    if entry.actor_kind == AuditEntry.ActorKind.COMMAND:
        names = {"command": entry.details.get("command", "?"), "name": entry.actor_name or "?"}
        return (_("command %(command)s (%(name)s)") if with_account else _("command %(command)s")) % names
    return entry.actor_name or str(entry.get_actor_kind_display())


def tell_reason(entry: AuditEntry) -> str:
    """Why something was refused; empty for what was not."""
    return _tell("reason", entry.details.get("reason", ""))


def tell_details(entry: AuditEntry) -> list[tuple[str, str]]:
    """The details, each with its name in words; the command stands with the actor, values with what changed."""
    elsewhere = {"values", "command"} if entry.actor_kind == AuditEntry.ActorKind.COMMAND else {"values"}
    return [
        (str(DETAILS.get(name, name)), _tell(name, value))
        for name, value in entry.details.items()
        if name not in elsewhere
    ]


def tell_changes(
    entry: AuditEntry,
    label: Callable[[str], str] = str,
    words: Callable[[str, Any], str] = lambda name, value: shown_value(value),
) -> list[str]:
    """What changed, a line for each member of which the entry has the values, and one with the names of the others."""
    values = entry.details.get("values", {})
    told = []
    for name in entry.changed:
        if name in values:
            before, after = (words(name, value) for value in values[name])
            told.append(_("%(name)s: %(before)s → %(after)s") % {"name": label(name), "before": before, "after": after})
    others = ", ".join(label(name) for name in entry.changed if name not in values)
    return [*told, others] if others else told


def tell_kind(entry: AuditEntry) -> str:
    """The kind of the object: `API key`."""
    try:
        return capfirst(str(apps.get_model(_MOVED.get(entry.object_type, entry.object_type))._meta.verbose_name))
    except (LookupError, ValueError):  # of a later version, or none
        return entry.object_type


def page_of(entry: AuditEntry, site: admin.AdminSite) -> str:
    """The address of the object's page; empty where there is none, as of objects that are gone."""
    if not entry.object_id or entry.action.endswith(_GONE):
        return ""
    app_label, _dot, model_name = entry.object_type.partition(".")
    if entry.action.endswith(_TRASHED):
        model_name = f"trashed{model_name}"
    try:
        if site.is_registered(apps.get_model(app_label, model_name)):
            return reverse(f"{site.name}:{app_label}_{model_name}_change", args=[entry.object_id])
    except (LookupError, ValueError, NoReverseMatch):
        pass
    return ""


def _tell(name: str, value: Any) -> str:
    words = registered("DETAIL_VALUES").get(name, {})
    return ", ".join(str(words.get(str(each), each)) for each in (value if isinstance(value, list) else [value]))
