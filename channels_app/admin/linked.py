"""The page of the texts that link to a content or channel by id."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from channels_app.record_links import address_by_id
from core.admin.views import address_of, render_page, seen_record
from media_library.admin.used import shown_uses
from media_library.filling import is_filling
from media_library.uses import first_of, rows_at


def linked_view(kind: str, page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the texts that the administrator may see, and the number of the others."""
    record = seen_record(page, request, pk)
    request.menu_site = record.site_id  # type: ignore[attr-defined]
    found = first_of(rows_at(record.site_id, [address_by_id(kind, record.pk).removeprefix("@/")]))
    uses = [use for use in shown_uses(request, found.first) if use.url]
    context = {
        "title": _("Where it is linked"),
        "subtitle": str(record),
        "record_address": address_of(page, "change", record.pk),
        "uses": uses,
        "more_uses": found.total - len(uses),
        "is_filling": is_filling(),
    }
    return render_page(page, request, "channels_app/linked.html", context)
