"""The history of a record: what the audit tells of it, for whoever may see the record."""

from typing import Any, Protocol

from django.contrib.admin import AdminSite
from django.core.paginator import Paginator
from django.db.models import Model
from django.db.models.options import Options
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from cms_api.audit.actions import label_of
from cms_api.audit.models import AuditEntry
from cms_api.audit.telling import tell_actor, tell_changes, tell_details

_PER_PAGE = 50


class _Page(Protocol):
    """What is asked of a page of records."""

    admin_site: AdminSite
    opts: "Options[Any]"

    def member_label(self, name: str) -> str: ...
    def member_words(self, name: str, value: Any) -> str: ...


def history_page(request: HttpRequest, page: _Page, record: Model, *, is_highest: bool) -> HttpResponse:
    """The entries about the record, newest first; from where somebody acted is for the highest rank."""
    model = record._meta.concrete_model or type(record)
    entries = AuditEntry.objects.filter(object_type=model._meta.label_lower, object_id=str(record.pk)).order_by("-id")
    paged = Paginator(entries, _PER_PAGE)
    shown = paged.get_page(request.GET.get("p"))
    context = {
        **page.admin_site.each_context(request),
        "title": _("History: %(name)s") % {"name": record},
        "opts": page.opts,
        "original": record,
        "rows": [_row(entry, page, is_highest=is_highest) for entry in shown],
        "shown": shown,
        "page_numbers": list(paged.get_elided_page_range(shown.number)),
        "is_highest": is_highest,
    }
    return TemplateResponse(request, "audit/history.html", context)


def _row(entry: AuditEntry, page: _Page, *, is_highest: bool) -> dict[str, Any]:
    return {
        "entry": entry,
        "actor": tell_actor(entry, with_account=is_highest),
        "action": label_of(entry.action, entry.changed),
        "changed": tell_changes(entry, page.member_label, page.member_words),
        "details": tell_details(entry),
    }
