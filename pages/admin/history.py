"""The versions of a template: their list, differences, and restoring one. It uses the templates of contents."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext as _

from contents.admin.history.versions import Beginning, History, Row
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.views import address_of, render_page, route, seen_record
from core.audit.models import AuditEntry
from core.lib.errors import ServiceError
from pages.admin.comparing import compare_templates
from pages.models import Template, TemplateChange
from pages.services import oldest_version, restore_template, text_of

_PER_PAGE = 25


def history_urls(page: Any) -> list[URLPattern]:
    return [
        route(page, "<int:pk>/compare/", "compare", compare_view),
        route(page, "<int:pk>/versions/<int:version>/", "past", past_view),
        route(page, "<int:pk>/versions/<int:version>/revert/", "revert", revert_view),
    ]


def history_view(page: Any, request: HttpRequest, pk: str) -> HttpResponse:
    template = seen_record(page, request, pk)
    changes = template.changes.order_by("-version").defer("text_before")
    shown: Page[TemplateChange] = Paginator(changes, _PER_PAGE).get_page(request.GET.get("p"))
    rows = [_row(change, template) for change in shown.object_list]
    beginning = None if shown.has_next() else Beginning(oldest_version(template))
    context = {
        "title": _("History: %(name)s") % {"name": template},
        "history": History(rows, shown, beginning),
        "may_revert": page.allows(request, "change", template),
    }
    return _answer(page, request, "contents/history/versions.html", template, context)


def _row(change: TemplateChange, template: Template) -> Row:
    what = _("restored version %(version)d") % {"version": change.restored} if change.restored else _("changed")
    return Row(
        change.at, describe_author(change), what, version=change.version, is_present=change.version == template.version
    )


def describe_author(change: TemplateChange) -> str:
    is_person = change.actor_kind == AuditEntry.ActorKind.ADMINISTRATOR
    return change.actor_name if is_person else str(change.get_actor_kind_display())


def compare_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Compare the versions `from` and `to`; by default the last two."""
    template = seen_record(page, request, pk)
    last = read_number(request.GET.get("to")) or template.version
    first = read_number(request.GET.get("from")) or max(last - 1, 1)
    first, last = min(first, last), max(first, last)
    before, after = _text(template, first), _text(template, last)
    if before is None or after is None:
        return _not_kept(page, request, template)
    context = {
        "title": _("Version %(first)d and version %(last)d") % {"first": first, "last": last},
        "text": compare_templates(before, after),
        "are_equal": before == after,
        "first": first,
        "last": last,
        "may_revert": page.allows(request, "change", template),
    }
    return _answer(page, request, "pages/history/comparison.html", template, context)


def past_view(page: Any, request: HttpRequest, pk: int, version: int) -> HttpResponse:
    template = seen_record(page, request, pk)
    if (text := _text(template, version)) is None:
        return _not_kept(page, request, template)
    context = {"title": _("Version %(version)d") % {"version": version}, "version": version, "text": text}
    context |= {"may_revert": page.allows(request, "change", template)}
    return _answer(page, request, "pages/history/version.html", template, context)


def revert_view(page: Any, request: HttpRequest, pk: int, version: int) -> HttpResponse:
    template = seen_record(page, request, pk)
    if not page.allows(request, "change", template):
        raise Http404
    if request.method == "POST":
        try:
            restore_template(template.pk, version, read_number(request.POST.get("seen_version")) or 0)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            template = seen_record(page, request, pk)  # the current version
        else:
            told = _("Version %(version)d was restored. The history remains complete.")
            messages.success(request, told % {"version": version})
            return HttpResponseRedirect(address_of(page, "change", template.pk))
    if (text := _text(template, version)) is None:
        return _not_kept(page, request, template)
    context = {
        "title": _("Restore version %(version)d") % {"version": version},
        "version": version,
        "text": compare_templates(template.text, text),
        "are_equal": template.text == text,
    }
    return _answer(page, request, "pages/history/revert.html", template, context)


def _text(template: Template, version: int) -> str | None:
    try:
        return text_of(template, version)
    except LookupError:
        return None


def _not_kept(page: Any, request: HttpRequest, template: Template) -> HttpResponse:
    messages.error(request, _("This version is no longer stored or never existed."))
    return HttpResponseRedirect(address_of(page, "history", template.pk))


def _answer(page: Any, request: HttpRequest, name: str, template: Template, context: dict[str, Any]) -> HttpResponse:
    return render_page(page, request, name, {"original": template} | context)
