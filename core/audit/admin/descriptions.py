from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from core.admin.formatting import format_value
from core.admin.pages import BaseModelAdmin
from core.admin.ranks import Rank, rank_of
from core.admin.views import render_page
from core.audit.actions import label_of
from core.audit.models import AuditEntry
from core.lib.registrations import DETAIL_VALUES

_PER_PAGE = 50  # entries of a history
_MOVED = {"cms_api.node": "operation.node"}
DETAILS: dict[str, str | Promise] = {
    "before": gettext_lazy("before"),
    "channels": gettext_lazy("channels"),
    "command": gettext_lazy("command"),
    "contents": gettext_lazy("contents"),
    "created": pgettext_lazy("rows of a table", "new"),
    "deliveries": gettext_lazy("deliveries"),
    "differences": gettext_lazy("differences"),
    "entries": gettext_lazy("entries"),
    "file": gettext_lazy("file"),
    "filters": gettext_lazy("filters"),
    "format": gettext_lazy("format"),
    "left_out": pgettext_lazy("rows of a table", "left out"),
    "limits": gettext_lazy("limits reached"),
    "not_noted_before": gettext_lazy("not recorded before"),
    "number": gettext_lazy("number"),
    "overlap": gettext_lazy("overlap"),
    "owner": gettext_lazy("owner"),
    "places": gettext_lazy("limited to"),
    "problem": gettext_lazy("problem"),
    "public_part": gettext_lazy("token begins with"),
    "reason": gettext_lazy("reason"),
    "scopes": gettext_lazy("scopes"),
    "seconds": gettext_lazy("seconds"),
    "sites": gettext_lazy("sites"),
    "source": gettext_lazy("source"),
    "status": gettext_lazy("status"),
    "updated": pgettext_lazy("rows of a table", "changed"),
    "url": "URL",
    "with": gettext_lazy("along with"),
}


def describe_actor(entry: AuditEntry, *, with_account: bool = True) -> str:
    """Return the actor: `root`, `root, by the API key news robot`, `command create_site (deploy)`."""
    if entry.actor_kind == AuditEntry.ActorKind.KEY:
        return _("%(name)s, by the API key “%(key)s”") % {"name": entry.actor_name, "key": entry.key_name}
    if entry.actor_kind == AuditEntry.ActorKind.COMMAND:
        names = {"command": entry.details.get("command", "?"), "name": entry.actor_name or "?"}
        return (_("command %(command)s (%(name)s)") if with_account else _("command %(command)s")) % names
    return entry.actor_name or str(entry.get_actor_kind_display())


def describe_reason(entry: AuditEntry) -> str:
    return _tell("reason", entry.details.get("reason", ""))


def describe_details(entry: AuditEntry) -> list[tuple[str, str]]:
    """Return the details with their labels, without command (shown with the actor) and values (shown as changes)."""
    elsewhere = {"values", "command"} if entry.actor_kind == AuditEntry.ActorKind.COMMAND else {"values"}
    return [
        (str(DETAILS.get(name, name)), _tell(name, value))
        for name, value in entry.details.items()
        if name not in elsewhere
    ]


def describe_changes(
    entry: AuditEntry,
    label: Callable[[str], str] = str,
    words: Callable[[str, Any], str] = lambda name, value: format_value(value),
) -> list[str]:
    """Return a line for each changed member with stored values, and one with the names of the others."""
    values = entry.details.get("values", {})
    told = []
    for name in entry.changed:
        if name in values:
            before, after = (words(name, value) for value in values[name])
            told.append(_("%(name)s: %(before)s → %(after)s") % {"name": label(name), "before": before, "after": after})
    others = ", ".join(label(name) for name in entry.changed if name not in values)
    return [*told, others] if others else told


def describe_kind(entry: AuditEntry) -> str:
    try:
        return capfirst(str(apps.get_model(_MOVED.get(entry.object_type, entry.object_type))._meta.verbose_name))
    except (LookupError, ValueError):  # of a later version, or empty
        return entry.object_type


def page_of(entry: AuditEntry, site: admin.AdminSite) -> str:
    """Return the address of the object's page; empty if there is none or the object has been deleted."""
    if not entry.object_id or entry.action.endswith((".deleted", ".purged")):
        return ""
    app_label, _dot, model_name = entry.object_type.partition(".")
    if entry.action.endswith(".trashed"):
        model_name = f"trashed{model_name}"
    try:
        if site.is_registered(apps.get_model(app_label, model_name)):
            return reverse(f"{site.name}:{app_label}_{model_name}_change", args=[entry.object_id])
    except (LookupError, ValueError, NoReverseMatch):
        pass
    return ""


def _tell(name: str, value: Any) -> str:
    words = DETAIL_VALUES.entries.get(name, {})
    return ", ".join(str(words.get(str(each), each)) for each in (value if isinstance(value, list) else [value]))


def history_page(page: BaseModelAdmin, request: HttpRequest, record: Model) -> HttpResponse:
    is_highest = rank_of(request.user) is Rank.HIGHEST
    model = record._meta.concrete_model or type(record)
    entries = AuditEntry.objects.filter(object_type=model._meta.label_lower, object_id=str(record.pk)).order_by("-id")
    paged = Paginator(entries, _PER_PAGE)
    shown = paged.get_page(request.GET.get("p"))
    rows = [
        {
            "entry": entry,
            "actor": describe_actor(entry, with_account=is_highest),
            "action": label_of(entry.action, entry.changed),
            "changed": describe_changes(entry, page.member_label, page.member_words),
            "details": describe_details(entry),
        }
        for entry in shown
    ]
    context = {
        "title": _("History: %(name)s") % {"name": record},
        "original": record,
        "rows": rows,
        "shown": shown,
        "page_numbers": list(paged.get_elided_page_range(shown.number)),
        "is_highest": is_highest,
    }
    return render_page(page, request, "audit/history.html", context)
