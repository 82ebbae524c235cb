"""The history of a record: what the audit tells of it, for whoever may see the record."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from cms_api.admin.pages import RecordPages
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.views import render_page
from cms_api.audit.actions import label_of
from cms_api.audit.admin.telling import tell_actor, tell_changes, tell_details
from cms_api.audit.models import AuditEntry

_PER_PAGE = 50


def history_page(page: RecordPages, request: HttpRequest, record: Model) -> HttpResponse:
    """The entries about the record, newest first; from where somebody acted is for the highest rank."""
    is_highest = rank_of(request.user) is Rank.HIGHEST
    model = record._meta.concrete_model or type(record)
    entries = AuditEntry.objects.filter(object_type=model._meta.label_lower, object_id=str(record.pk)).order_by("-id")
    paged = Paginator(entries, _PER_PAGE)
    shown = paged.get_page(request.GET.get("p"))
    context = {
        "title": _("History: %(name)s") % {"name": record},
        "original": record,
        "rows": [_row(entry, page, is_highest=is_highest) for entry in shown],
        "shown": shown,
        "page_numbers": list(paged.get_elided_page_range(shown.number)),
        "is_highest": is_highest,
    }
    return render_page(page, request, "audit/history.html", context)


def _row(entry: AuditEntry, page: RecordPages, *, is_highest: bool) -> dict[str, Any]:
    return {
        "entry": entry,
        "actor": tell_actor(entry, with_account=is_highest),
        "action": label_of(entry.action, entry.changed),
        "changed": tell_changes(entry, page.member_label, page.member_words),
        "details": tell_details(entry),
    }
