from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Subquery
from django.db.models.fields import IntegerField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy, pgettext, pgettext_lazy

from core.admin.admin_actions import AdminAction, Changed, OtherOutcome
from core.admin.error_messages import tell
from core.admin.formatting import format_date_time, format_number
from core.admin.numbers import read_number
from core.admin.places import places_of
from core.admin.views import address_of, render_page, route, seen_record
from core.lib import clock
from core.lib.errors import ServiceError
from forms import form_deletion, services
from forms.admin.access import access_view
from forms.admin.inputs import VisitorForm, name_fields, rearranged, sent_rows, stored_rows, values_of, with_others
from forms.admin.of_forms import OfForms
from forms.admin.preview import preview_view
from forms.models import MAX_FIELDS, Entry, Form
from forms.rights import READ, first_channel, forms_for
from sites.admin.choosing import choose_site, seen_site, site_choices
from sites.admin.site_filter import SiteFilter
from sites.models import Site, trashed_site_ids

MAX_NAME: int = Form._meta.get_field("name").max_length or 0
MAX_COUNTED = 1000  # entries of a form
_LISTED = (Entry.State.NEW, Entry.State.READ, Entry.State.APPROVED)  # without spam


class _Number(Subquery):
    """The number of rows of a query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def _delete(request: HttpRequest, form: Form) -> OtherOutcome | None:
    job = form_deletion.delete(form)
    return None if job is None else OtherOutcome(Changed(form.pk, 0), _by_job)


def _by_job(count: int) -> str:
    return ngettext(
        "%(count)d form has many entries: a job deletes it; see Jobs.",
        "%(count)d forms have many entries: jobs delete them; see Jobs.",
        count,
    ) % {"count": count}


DELETE = AdminAction(
    "delete",
    _("Delete"),
    ngettext_lazy("Delete %(count)d form permanently?", "Delete %(count)d forms permanently?", "count"),
    ngettext_lazy("%(count)d form was deleted.", "%(count)d forms were deleted.", "count"),
    _delete,
    consequence=lambda forms: _(
        "Their entries are deleted, too. Pages that show them will show nothing in their place."
    ),
    is_grave=True,
)


def tag_of(form: Form) -> str:
    name = form.name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return f'<stl:input inputName="{name}"></stl:input>'


def count_entries(form_ids: list[int]) -> dict[int, tuple[int, int]]:
    """Return the entries and the new ones of each form, counted to one more than MAX_COUNTED; one statement."""
    own = Entry.objects.filter(form=OuterRef("pk"))
    rows = Form.objects.filter(pk__in=form_ids).annotate(
        entry_number=_Number(own.filter(state__in=_LISTED).values("pk")[: MAX_COUNTED + 1]),
        new_number=_Number(own.filter(state=Entry.State.NEW).values("pk")[: MAX_COUNTED + 1]),
    )
    return {pk: (number, new) for pk, number, new in rows.values_list("pk", "entry_number", "new_number")}


def counted(number: int) -> str:
    return f"{format_number(MAX_COUNTED)}+" if number > MAX_COUNTED else format_number(number)


@admin.register(Form)
class FormAdmin(OfForms):
    site_lookup, channel_lookup = "site_id", "channel_id"
    admin_actions = [DELETE]
    rights = {"view": _("See"), "add": _("Add"), "change": _("Change")}
    list_display = ["name", "site", "state_text", "entries_text", "new_text", "tag"]
    list_filter = [SiteFilter, "is_open"]
    list_select_related = ["site"]
    search_fields = ["name", "title"]
    ordering: ClassVar[Any] = ["site", "taxis", "name", "pk"]
    change_list_template = "forms/form_list.html"

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "preview/<int:site_id>/", "preview", preview_view),
            route(self, "<int:pk>/access/", "access", access_view),
            *super().get_urls(),
        ]

    # ---- the list

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(site_id__in=trashed_site_ids()).defer("site__settings")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        shown = super().get_changelist_instance(request)
        shown.result_list = list(
            shown.result_list.defer("description", "blocked_words", "success_text", "site__settings")
        )
        numbers = [row.pk for row in shown.result_list]
        seen = list(forms_for(request.user, *READ).filter(pk__in=numbers).values_list("pk", flat=True))
        counts = count_entries(seen) if seen else {}
        for row in shown.result_list:
            row.counts = counts.get(row.pk)
        return shown

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        context = {"add_query": f"site={site_id}" if site_id else "", "may_find": bool(places_of(request.user, *READ))}
        return super().changelist_view(request, context)

    @admin.display(description=_("state"))
    def state_text(self, form: Form) -> str:
        return state_of(form)

    @admin.display(description=pgettext_lazy("of a form", "entries"))
    def entries_text(self, form: Any) -> str:
        if form.counts is None:
            return ""
        return format_html('<a href="{}">{}</a>', entries_address(form), counted(form.counts[0]))

    @admin.display(description=_("new entries"))
    def new_text(self, form: Any) -> str:
        if form.counts is None:
            return ""
        address = f"{entries_address(form)}&state__exact={Entry.State.NEW}"
        return format_html('<a href="{}">{}</a>', address, counted(form.counts[1]))

    @admin.display(description=_("tag for templates"))
    def tag(self, form: Form) -> str:
        button = '<button type="button" class="button" data-copy="tag-{}" data-copied="{}" hidden>{}</button>'
        tag = format_html('<code id="tag-{}">{}</code>', form.pk, tag_of(form))
        return format_html(f"{button} {{}}", form.pk, _now("Copied"), _now("Copy"), tag)

    # ---- the form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        places = self.places(request.user, "add")
        if not request.GET.get("site"):
            return choose_site(self, request, _("Add form"), "site", site_choices(request, places))
        site = seen_site(request, read_number(request.GET["site"]) or 0, places)
        number = read_number(request.GET.get("copy"))
        copied: Form | None = seen_record(self, request, number) if number else None
        form = copy_of(copied, site) if copied else Form(site=site)
        form.channel_id = first_channel(site.pk, places)
        form.is_limited = copied is not None and copied.is_limited
        return self._edit(request, form, copied)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        form = seen_record(self, request, object_id)
        if request.method == "POST" and not self.has_change_permission(request, form):
            raise PermissionDenied
        return self._edit(request, form)

    def _edit(self, request: HttpRequest, form: Form, copied: Form | None = None) -> HttpResponse:
        if request.method != "POST":
            page_form = VisitorForm(instance=form, initial={"seen": services.stamp_of(form) if form.pk else ""})
            return self._show(request, form, page_form, stored_rows(form, copied), is_unsaved=copied is not None)
        page_form, rows = VisitorForm(request.POST, instance=form), sent_rows(request.POST, form, copied)
        if (arranged := rearranged(request.POST, rows)) is not None:
            shown = VisitorForm(instance=form, initial=values_of(page_form))
            return self._show(request, form, shown, arranged[0], is_unsaved=True, lines=arranged[1])
        given = [row for row in rows if not row.is_blank]
        are_valid = [page_form.is_valid(), *(row.is_valid() for row in given)]
        if all(are_valid) and name_fields(given):
            try:
                services.store_form(form, [row.instance for row in given], page_form.cleaned_data["seen"])
            except ServiceError as refusal:
                member = refusal.members.get("member")
                page_form.add_error(member if member in page_form.fields else None, tell(refusal))
                if refusal.code == "changed_meanwhile":
                    page_form.data = {**page_form.data.dict(), "seen": services.stamp_of(form)}  # type: ignore[attr-defined]
                    rows = with_others(rows, form)
            else:
                if copied is not None and form.is_limited:
                    form.groups.set(copied.groups.all())
                messages.success(request, _now("The form “%(name)s” was saved.") % {"name": form.name})
                if form.confirmation_text and not any(row.instance.gets_confirmation for row in given):
                    messages.warning(request, _now("No field gets the confirmation, so none is sent."))
                return HttpResponseRedirect(address_of(self, "change", form.pk))
        return self._show(request, form, page_form, rows)

    def _show(
        self,
        request: HttpRequest,
        form: Form,
        page_form: VisitorForm,
        rows: list[Any],
        *,
        is_unsaved: bool = False,
        lines: str = "",
    ) -> HttpResponse:
        may_save = form.pk is None or self.has_change_permission(request, form)
        for each in [] if may_save else [page_form, *rows]:
            for field in each.fields.values():
                field.disabled = True
        may_copy = form.pk is not None and bool(self.places(request.user, "add"))
        stored = Form.objects.filter(pk=form.pk).first() if form.pk else None
        context = {
            "title": stored.name if stored else _("Add form"),
            "original": stored,
            "site": form.site,
            "form": page_form,
            "rows": rows,
            "may_save": may_save,
            "may_add_field": len(rows) < MAX_FIELDS,
            "order": ",".join(str(row.place) for row in rows),
            "lines": lines,
            "form_id": "form_form",
            "preview_address": f"{address_of(self, 'preview', form.site_id)}?{self._query(request, form)}",
            "frame_title": _("The form as visitors see it"),
            "copy_address": f"{address_of(self, 'add')}?site={form.site_id}&copy={form.pk}" if may_copy else "",
            "is_unsaved": is_unsaved,
            "has_errors": page_form.errors or any(row.errors for row in rows),
            "tag": tag_of(stored) if stored else "",
            "entries": entries_address(stored) if stored and self._sees_entries(request, stored) else "",
            "list_address": f"{address_of(self)}?{SiteFilter.parameter_name}={form.site_id}",
            **self.actions_context(request, stored),
        }
        return render_page(self, request, "forms/form.html", context)

    def _query(self, request: HttpRequest, form: Form) -> str:
        """Return what the preview must know of the page."""
        copied = read_number(request.GET.get("copy"))
        return urlencode({"form": form.pk} if form.pk else {"copy": copied} if copied else {})

    def _sees_entries(self, request: HttpRequest, form: Form) -> bool:
        return forms_for(request.user, *READ).filter(pk=form.pk).exists()


def copy_of(form: Form, site: Site) -> Form:
    """Return an unsaved form of the site that says the same."""
    members = {name: getattr(form, name) for name in services.MEMBERS}
    name = _now("%(name)s (copy)") % {"name": form.name}
    return Form(site=site, **members | {"name": name[:MAX_NAME]})


def entries_address(form: Form) -> str:
    return f"{reverse('admin:forms_entry_changelist')}?form__id__exact={form.pk}"


def state_of(form: Form) -> str:
    if form.takes_entries:
        if form.closes_at:
            return _now("open until %(moment)s") % {"moment": format_date_time(form.closes_at)}
        return pgettext("state of a form", "open")
    if form.is_open and form.opens_at and form.opens_at > clock.steady():
        return _now("opens on %(moment)s") % {"moment": format_date_time(form.opens_at)}
    return pgettext("state of a form", "closed")
