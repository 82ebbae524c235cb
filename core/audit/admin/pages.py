import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import audit
from core.admin.formatting import moment_markup
from core.admin.pages import BaseModelAdmin
from core.audit.actions import label_of
from core.audit.admin.descriptions import (
    describe_actor,
    describe_changes,
    describe_details,
    describe_kind,
    describe_reason,
    page_of,
)
from core.audit.admin.filters import FILTERS, PARAMETERS
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.cells import BLANKS

ROWS = 1000  # per query of an export, and in memory
FIELDS = tuple(field.attname for field in AuditEntry._meta.concrete_fields)
# Spreadsheets take a cell that begins with these for a formula, some after dropping leading blanks.
_FORMULA = re.compile(rf"[{BLANKS}]*[=+\-@\t\r\n＝＋－＠]")
# Where semicolons separate cells, a cell begins after each.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n][{BLANKS}]*)(?=[=+\-@＝＋－＠])")
_BOM = "\ufeff"  # spreadsheets need it to recognise UTF-8


@admin.register(AuditEntry)
class AuditEntryAdmin(BaseModelAdmin):
    by_groups = False
    change_list_template = "audit/list.html"
    change_form_template = "audit/entry.html"
    list_display = ["moment", "who", "what", "which", "members", "address"]
    list_display_links = ["moment"]
    list_filter = FILTERS
    sortable_by = ()
    ordering = ["-at", "-id"]
    actions = None
    search_fields = ["request_id"]  # shows the search field; see get_search_results
    search_help_text = gettext_lazy(
        "The exact name of an administrator or API key, an IP address, or the ID of a request or object"
    )
    fields = readonly_fields = (
        "moment",
        "who",
        "what",
        "which",
        "site_id",
        "changes_text",
        "details_text",
        "address",
        "request_id",
    )

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in PARAMETERS

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        text = search_term.strip()
        if not text:
            return queryset, False
        names = ("actor_name", "key_name", "address", "request_id")
        same = Q(*((name, text) for name in names), _connector=Q.OR)
        if text.isdecimal():
            kinds = [model._meta.label_lower for model in self.admin_site._registry]
            same |= Q(object_type__in=kinds, object_id=text)
        return queryset.filter(same), False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.export_view)
        return [path("export/<slug:ending>/", view, name="audit_auditentry_export"), *super().get_urls()]

    def export_view(self, request: HttpRequest, ending: str) -> HttpResponseBase:
        if ending not in _FORMATS:
            raise Http404
        entries = self.get_changelist_instance(request).get_queryset(request)
        with transaction.atomic():
            # Names only: typed values may be anything.
            noted = audit.record("audit.exported", format=ending, filters=sorted({*request.GET} & {*PARAMETERS, "q"}))
        content_type, write = _FORMATS[ending]
        # Excludes the export's own entry and later ones.
        rows = _newest_first(entries.filter(id__lt=noted.pk))
        name = f"audit-{clock.now():%Y%m%d-%H%M%S}.{ending}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(write(rows), content_type=content_type, headers=headers)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        entry = options["obj"]
        names = {"name": label_of(entry.action, entry.changed), "text": entry.object_name} if entry else {}
        context["subtitle"] = _("%(name)s: %(text)s") % names if names else ""
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description=gettext_lazy("time"), ordering="at")
    def moment(self, entry: AuditEntry) -> SafeString:
        return moment_markup(entry.at)

    @admin.display(description=gettext_lazy("by"))
    def who(self, entry: AuditEntry) -> str | SafeString:
        if entry.key_id is not None:
            others: dict[str, Any] = {"key": entry.key_id}
        elif entry.administrator_id is not None:
            others = {"actor": entry.administrator_id}
        else:
            # Accounts of the operating system have no id.
            others = {"q": entry.actor_name} if entry.actor_name else {}
        told = describe_actor(entry)
        return format_html('<a href="{}">{}</a>', _list(**others), told) if others else told

    @admin.display(description=gettext_lazy("action"))
    def what(self, entry: AuditEntry) -> str | SafeString:
        action, reason = label_of(entry.action, entry.changed), describe_reason(entry)
        return _("%(action)s: %(reason)s") % {"action": action, "reason": reason} if reason else action

    @admin.display(description=gettext_lazy("object"))
    def which(self, entry: AuditEntry) -> str | SafeString:
        if not entry.object_type:
            return ""
        number = f"{describe_kind(entry)} {entry.object_id}"
        told = _("%(name)s: %(text)s") % {"name": number, "text": entry.object_name}
        url = page_of(entry, self.admin_site)
        shown = format_html('<a href="{}">{}</a>', url, told) if url else told
        same = _list(object=f"{entry.object_type}:{entry.object_id}")
        return format_html('{} <a href="{}" class="same-object">{}</a>', shown, same, _("All its entries"))

    @admin.display(description=gettext_lazy("changed fields"))
    def members(self, entry: AuditEntry) -> str:
        return ", ".join(entry.changed) or "-"

    @admin.display(description=gettext_lazy("changed fields"))
    def changes_text(self, entry: AuditEntry) -> str | SafeString:
        return format_html_join(SafeString("<br>"), "{}", ((line,) for line in describe_changes(entry))) or "-"

    @admin.display(description=gettext_lazy("details"))
    def details_text(self, entry: AuditEntry) -> str | SafeString:
        return format_html_join(SafeString("<br>"), "{}: {}", describe_details(entry))


def _list(**filters: Any) -> str:
    return f"{reverse('admin:audit_auditentry_changelist')}?{urlencode(filters)}"


def _newest_first(entries: QuerySet[AuditEntry]) -> Iterator[dict[str, Any]]:
    entries = entries.order_by("-at", "-id")
    rows = list(entries.values(*FIELDS)[:ROWS])
    while rows:
        yield from rows
        at, number = rows[-1]["at"], rows[-1]["id"]
        # The first condition uses an index.
        after = entries.filter(at__lte=at).exclude(Q(at=at) & Q(id__gte=number))
        rows = list(after.values(*FIELDS)[:ROWS])


def _as_json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row | {"at": row["at"].isoformat(" ")}, ensure_ascii=False) + "\n"


def _as_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield _BOM
    for cells in chain([[*FIELDS, "action_in_words"]], map(_cells, rows)):
        writer.writerow(map(_defused, cells))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _cells(row: dict[str, Any]) -> list[Any]:
    flat = row | {
        "at": row["at"].isoformat(" "),
        "changed": ", ".join(row["changed"]),
        "details": json.dumps(row["details"], ensure_ascii=False) if row["details"] else "",
    }
    return [*flat.values(), label_of(row["action"], row["changed"])]


def _defused(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    inside = _AFTER_SEPARATOR.sub(r"\1'", cell)
    return f"'{inside}" if _FORMULA.match(cell) else inside


_FORMATS = {
    "csv": ("text/csv; charset=utf-8", _as_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", _as_json_lines),
}
