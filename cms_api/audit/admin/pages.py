"""The page of the audit: read, narrowed, taken away as a file, and never changed. For the highest rank only."""

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

from cms_api import audit
from cms_api.admin.pages import RecordPages
from cms_api.admin.shown import shown_moment
from cms_api.audit.actions import label_of
from cms_api.audit.admin.exporting import as_csv, as_json_lines, newest_first
from cms_api.audit.admin.filters import FILTERS, PARAMETERS
from cms_api.audit.admin.telling import page_of, tell_actor, tell_changes, tell_details, tell_kind, tell_reason
from cms_api.audit.models import AuditEntry
from cms_api.lib import clock

# Ending of the file: its type, and what writes it.
FORMATS = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", as_json_lines),
}


@admin.register(AuditEntry)
class AuditPages(RecordPages):
    """The entries, newest first."""

    by_groups = False
    change_list_template = "audit/list.html"
    change_form_template = "audit/entry.html"
    list_display = ["moment", "who", "what", "which", "members", "address"]
    list_display_links = ["moment"]
    list_filter = FILTERS
    sortable_by = ()
    ordering = ["-at", "-id"]
    actions = None
    search_fields = ["request_id"]  # for the field to be there; see get_search_results
    search_help_text = gettext_lazy(
        "The exact name of an administrator or API key, an address, the number of a request or of an object"
    )
    fields = readonly_fields = (
        "moment",
        "who",
        "what",
        "which",
        "site_id",
        "told_changes",
        "told_details",
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
        """What the filters of the address choose, as a file; that it was taken is noted."""
        if ending not in FORMATS:
            raise Http404
        entries = self.get_changelist_instance(request).get_queryset(request)
        with transaction.atomic():
            # Without what was typed, which may be anything.
            noted = audit.note("audit.exported", format=ending, filters=sorted({*request.GET} & {*PARAMETERS, "q"}))
        content_type, write = FORMATS[ending]
        # Not the entry of the export itself, nor what comes after it.
        rows = newest_first(entries.filter(id__lt=noted.pk))
        name = f"audit-{clock.now():%Y%m%d-%H%M%S}.{ending}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(write(rows), content_type=content_type, headers=headers)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """None: entries do not change."""
        raise Http404

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        entry = options["obj"]
        names = {"name": label_of(entry.action, entry.changed), "text": entry.object_name} if entry else {}
        context["subtitle"] = _("%(name)s: %(text)s") % names if names else ""
        return super().render_change_form(request, context, *args, **options)

    # ---- columns

    @admin.display(description=gettext_lazy("time"), ordering="at")
    def moment(self, entry: AuditEntry) -> str:
        """When it happened, to the second."""
        return shown_moment(entry.at, exact=True)

    @admin.display(description=gettext_lazy("by"))
    def who(self, entry: AuditEntry) -> str | SafeString:
        """Who acted, with the way to everything else of theirs."""
        told, others = tell_actor(entry), _others_of(entry)
        return format_html('<a href="{}">{}</a>', _list(**others), told) if others else told

    @admin.display(description=gettext_lazy("action"))
    def what(self, entry: AuditEntry) -> str | SafeString:
        """The action in words, with the reason of a refusal."""
        action, reason = label_of(entry.action, entry.changed), tell_reason(entry)
        return _("%(action)s: %(reason)s") % {"action": action, "reason": reason} if reason else action

    @admin.display(description=gettext_lazy("object"))
    def which(self, entry: AuditEntry) -> str | SafeString:
        """The object with its kind and number, and the way to its page where there is one."""
        if not entry.object_type:
            return ""
        number = f"{tell_kind(entry)} {entry.object_id}"
        told = _("%(name)s: %(text)s") % {"name": number, "text": entry.object_name}
        url = page_of(entry, self.admin_site)
        shown = format_html('<a href="{}">{}</a>', url, told) if url else told
        same = _list(object=f"{entry.object_type}:{entry.object_id}")
        return format_html('{} <a href="{}" class="same-object">{}</a>', shown, same, _("All about it"))

    @admin.display(description=gettext_lazy("changed fields"))
    def members(self, entry: AuditEntry) -> str:
        """The names of what changed."""
        return ", ".join(entry.changed) or "-"

    @admin.display(description=gettext_lazy("changed fields"))
    def told_changes(self, entry: AuditEntry) -> str | SafeString:
        """What changed, with the values as far as the entry has them."""
        return format_html_join(SafeString("<br>"), "{}", ((line,) for line in tell_changes(entry))) or "-"

    @admin.display(description=gettext_lazy("details"))
    def told_details(self, entry: AuditEntry) -> str | SafeString:
        """The details, one a line."""
        return format_html_join(SafeString("<br>"), "{}: {}", tell_details(entry))


def _others_of(entry: AuditEntry) -> dict[str, Any]:
    """The filters that choose what else the same actor did; none for somebody unknown."""
    if entry.key_id is not None:
        return {"key": entry.key_id}
    if entry.administrator_id is not None:
        return {"actor": entry.administrator_id}
    # An account of the operating system has no number here.
    return {"q": entry.actor_name} if entry.actor_name else {}


def _list(**filters: Any) -> str:
    return f"{reverse('admin:audit_auditentry_changelist')}?{urlencode(filters)}"
