"""The history of a record: what the audit tells of it, for whoever may see the record."""

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from cms_api.audit.actions import label_of
from cms_api.back_end.audit.telling import tell_actor, tell_changes, tell_details
from cms_api.back_end.ranks import Rank, rank_of
from cms_api.models import AuditEntry

if TYPE_CHECKING:
    from cms_api.back_end.pages import RecordPages

_PER_PAGE = 50


def history_page(request: HttpRequest, page: "RecordPages", record: Model) -> HttpResponse:
    """The entries about the record, newest first; from where somebody acted is for the highest rank."""
    model = record._meta.concrete_model or type(record)
    entries = AuditEntry.objects.filter(object_type=model._meta.label_lower, object_id=str(record.pk)).order_by("-id")
    paged = Paginator(entries, _PER_PAGE)
    shown = paged.get_page(request.GET.get("p"))
    is_highest = rank_of(request.user) is Rank.HIGHEST
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
    return TemplateResponse(request, "back_end/audit/history.html", context)


def _row(entry: AuditEntry, page: "RecordPages", *, is_highest: bool) -> dict[str, Any]:
    return {
        "entry": entry,
        "actor": tell_actor(entry, with_account=is_highest),
        "action": label_of(entry.action, entry.changed),
        "changed": tell_changes(entry, page.member_label, page.member_words),
        "details": tell_details(entry),
    }
