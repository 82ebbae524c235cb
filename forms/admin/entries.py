"""Entries of a form: their list, one of them, and their table."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import URLPattern
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core import audit
from core.admin.error_messages import tell
from core.admin.formatting import moment_markup
from core.admin.numbers import read_number
from core.admin.paging import LimitedChangeList
from core.admin.views import address_of, page_of, render_page, route, seen_record
from core.lib.cells import to_text
from core.lib.errors import ServiceError
from core.lib.media_storage import extension_of
from core.lib.statement_limit import TooSlow, statement_limit
from core.tables.columns import Column
from core.tables.export import XLSX_ROWS, Export
from forms import entry_files, services
from forms.admin.entry_actions import ACTIONS
from forms.admin.inputs import ReplyForm
from forms.admin.of_forms import OfForms
from forms.admin.people import person_view
from forms.admin.printing import PRINT, print_chosen, print_view
from forms.admin.visitor_forms import entries_address
from forms.entry_search import with_words
from forms.models import Entry, EntryFile, Field, Form
from forms.rights import EXPORT, READ, forms_for
from sites.models import trashed_site_ids

_FORM = "form__id__exact"
_MAX_FORMS = 500  # offered
_MAX_WORDS = 5
_CHUNK = 100  # entries of an export that are in memory together
_SHOWN = 80  # characters of a value in the list
_FIELD = "field-"  # with the id: a column of the table


class FormFilter(admin.SimpleListFilter):
    """Chooses the form; the list is always of one."""

    title, parameter_name = _("form"), _FORM

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        form: Form = request.entry_form  # type: ignore[attr-defined]
        rows = forms_for(request.user, *READ).filter(site_id=form.site_id).order_by("taxis", "name", "pk")
        return [(str(pk), name) for pk, name in rows.values_list("pk", "name")[:_MAX_FORMS]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Entry]) -> QuerySet[Entry]:
        return queryset.filter(form=request.entry_form)  # type: ignore[attr-defined]


class EntryTable(Export):
    export_action = "entry.exported"

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        if request.method == "POST" and request.GET.get("q") and self.may_export(request):
            try:  # before the file begins
                with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                    self.page.get_changelist_instance(request).get_queryset(request).order_by("pk")[XLSX_ROWS:].first()
            except TooSlow:
                messages.error(request, _now("The search takes too long."))
                return HttpResponseRedirect(request.get_full_path())
        return super().export_view(request)

    def may_export(self, request: HttpRequest) -> bool:
        form = self.exported_record(request)
        return form is not None and forms_for(request.user, EXPORT).filter(pk=form.pk).exists()

    def exported_record(self, request: HttpRequest) -> Form | None:
        found: Form | None = self.page.chosen_form(request)  # type: ignore[attr-defined]
        return found

    def exported_site(self, request: HttpRequest) -> int | None:
        form = self.exported_record(request)
        return form.site_id if form else None

    def table_columns(self, request: HttpRequest) -> list[Column]:
        form = self.exported_record(request)
        fields = list(form.fields.all()) if form else []
        own = [Column(f"{_FIELD}{field.pk}", field.key, field.label) for field in fields]
        return [
            Column("created_at", "createdAt", _("sent")),
            *own,
            Column("state", "state", _("state")),
            Column("page", "page", _("page")),
            Column("consent", "consent", pgettext_lazy("of a form", "consent")),
            Column("reply", "reply", _("reply")),
            Column("replied_at", "repliedAt", _("replied")),
            Column("replied_by", "repliedBy", _("replied by")),
        ]

    def table_rows(self, records: QuerySet[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            numbers = list(records.values_list("pk", flat=True))
        chunks = (numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK))
        for entry in (entry for chunk in chunks for entry in Entry.objects.filter(pk__in=chunk).order_by("pk")):
            cells = {"state": entry.get_state_display()}
            cells |= {name: to_text(getattr(entry, name)) for name in ("created_at", "page", "consent", "reply")}
            cells |= {name: to_text(getattr(entry, name)) for name in ("replied_at", "replied_by")}
            cells |= {f"{_FIELD}{number}": text_of(value) for number, value in values_of(entry).items()}
            yield entry.pk, [cells.get(name, "") for name in names]


@admin.register(Entry)
class EntryAdmin(OfForms):
    site_lookup, channel_lookup, form_lookup = "form__site_id", "form__channel_id", "form"
    admin_actions = ACTIONS
    rights = {"view": _("See"), "change": _("Reply and change the state"), "export": _("Export")}
    list_display = ["beginning", "sent", "state_text"]
    list_filter = [FormFilter, "state"]
    list_select_related = ["form"]
    search_fields = ["values"]
    ordering: ClassVar[Any] = ["-created_at", "-pk"]
    sortable_by = ()
    change_list_template = "forms/entry_list.html"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.tables = EntryTable(self)

    def get_urls(self) -> list[URLPattern]:
        own = [
            route(self, "<int:pk>/reply/", "reply", reply_view),
            route(self, "<int:pk>/file/", "file", file_view),
            route(self, "person/", "person", person_view),
            route(self, "<int:pk>/print/", "print", print_view),
        ]
        return [*own, *self.tables.urls(), *super().get_urls()]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or self.allows(request, "export", obj)

    # ---- the list

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(form__site_id__in=trashed_site_ids())

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[LimitedChangeList]:
        return LimitedChangeList

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        words = search_term.split()[:_MAX_WORDS]
        return (with_words(queryset, words) if words else queryset), False

    def chosen_form(self, request: HttpRequest) -> Form | None:
        """Return the form of the list, which the address names, if the administrator may see its entries."""
        if not hasattr(request, "entry_form"):
            number = read_number(request.GET.get(_FORM))
            form = forms_for(request.user, *READ).filter(pk=number).first() if number else None
            request.entry_form = form  # type: ignore[attr-defined]
            if form is not None:
                request.menu_site = form.site_id  # type: ignore[attr-defined]
        return request.entry_form  # type: ignore[attr-defined,no-any-return]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        form = self.chosen_form(request)
        if form is None:
            return self._back_to_list() if "action" in request.POST else self._choose_form(request)
        context = {"title": form.name, "entry_form": form, "may_export": self.tables.may_export(request)}
        context |= {"form_address": self._form_address(request, form)}
        answer = super().changelist_view(request, context)
        if "more_actions" in (shown := getattr(answer, "context_data", None) or {}):
            shown["more_actions"] = [*shown["more_actions"], PRINT]
        return answer

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return super().get_actions(request) | {PRINT.name: (print_chosen, *PRINT)}

    def _choose_form(self, request: HttpRequest) -> HttpResponse:
        site_id = read_number(request.GET.get("site__id__exact"))
        rows = forms_for(request.user, *READ).order_by("site", "taxis", "name", "pk")
        rows = rows.select_related("site").defer("site__settings")
        rows = rows.filter(site_id=site_id) if site_id is not None else rows
        links = [(form.name, form.site.site_name, entries_address(form)) for form in rows[:_MAX_FORMS]]
        return render_page(self, request, "forms/choose.html", {"title": _("Entries of which form?"), "links": links})

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        form = self.chosen_form(request)
        if form is None:
            raise Http404
        shown = super().get_changelist_instance(request)
        # The list is always of a form, which is no filter to clear.
        shown.has_active_filters = bool(shown.filter_params.keys() - {_FORM})
        shown.clear_all_filters_qs = shown.all_address = f"?{_FORM}={form.pk}"
        fields = list(form.fields.all())
        for entry in shown.result_list:
            entry.beginning = _beginning(entry, fields)
        return shown

    def _form_address(self, request: HttpRequest, form: Form) -> str:
        pages = page_of(self.admin_site, request, Form)
        return address_of(pages, "change", form.pk) if pages and pages.has_view_permission(request, form) else ""

    @admin.display(description=_("sent"))
    def sent(self, entry: Entry) -> str:
        return moment_markup(entry.created_at)

    @admin.display(description=_("beginning"))
    def beginning(self, entry: Any) -> str:
        return str(entry.beginning)

    @admin.display(description=_("state"))
    def state_text(self, entry: Entry) -> str:
        state = str(entry.get_state_display())
        return _now("%(state)s, replied") % {"state": state} if entry.reply else state

    def shown_values(self, entry: Entry, fields: Sequence[Field]) -> list[tuple[str, str]]:
        return shown_values(entry, fields)

    def about(self, record: Entry) -> list[str]:
        return [_beginning(record, list(record.form.fields.all()))]

    # ---- one entry

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied
        entry = seen_record(self, request, object_id)
        return self.show(request, entry, ReplyForm(initial={"reply": entry.reply, "seen": entry.reply}))

    def show(self, request: HttpRequest, entry: Entry, reply_form: ReplyForm) -> HttpResponse:
        may_change = self.allows(request, "change", entry)
        form = entry.form
        if form.public_list != Form.PublicList.NONE:
            reply_form.fields["reply"].help_text = _("It is sent to no one. Everybody can read it in the public list.")
        context = {
            "title": _("Entry"),
            "entry": entry,
            "values": shown_values(entry, list(form.fields.all())),
            "files": [
                (f"{address_of(self, 'file', entry.pk)}?number={row.pk}", row.name, type_of(row), row.size)
                for row in entry.files.order_by("pk")
            ],
            "reply_form": reply_form if may_change else None,
            "list_address": entries_address(form),
            "list_query": f"{_FORM}={form.pk}",
            "form_address": self._form_address(request, form),
            "acts": self.actions_for(request, entry),
        }
        return render_page(self, request, "forms/entry.html", context)


def reply_view(page: EntryAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    entry = seen_record(page, request, pk)
    if not page.allows(request, "change", entry):
        raise Http404
    if request.method != "POST":  # reloaded, or opened by its address
        return HttpResponseRedirect(address_of(page, "change", pk))
    form = ReplyForm(request.POST)
    if form.is_valid():
        try:
            services.reply(entry, form.cleaned_data["reply"], form.cleaned_data["seen"])
        except ServiceError as refusal:
            form.add_error("reply", tell(refusal))
        else:
            messages.success(request, _now("The reply was saved."))
            return HttpResponseRedirect(address_of(page, "change", pk))
    return page.show(request, entry, form)


def file_view(page: EntryAdmin, request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send a file as a download, which browsers never show, and note that in the audit."""
    entry: Entry = seen_record(page, request, pk)
    row = entry.files.filter(pk=read_number(request.GET.get("number")) or 0).first()
    if row is None:
        raise Http404
    try:
        pieces = entry_files.pieces(row)
    except FileNotFoundError as error:
        raise Http404 from error
    with transaction.atomic():
        audit.record("entry.downloaded", entry, site_id=entry.form.site_id, file=row.pk)
    headers = {
        "Content-Disposition": content_disposition_header(True, row.name) or "attachment",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingHttpResponse(pieces, content_type=row.media_type, headers=headers)


def type_of(row: EntryFile) -> str:
    return extension_of(row.name).upper()


def values_of(entry: Entry) -> dict[str, Any]:
    return entry.values if isinstance(entry.values, dict) else {}


def text_of(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else to_text(value)


def shown_values(entry: Entry, fields: Sequence[Field]) -> list[tuple[str, str]]:
    """Return labels and texts, those of deleted fields last."""
    values = dict(values_of(entry))
    found = [(field.label or field.key, values.pop(str(field.pk), "")) for field in fields]
    found += [(_now("Deleted field %(number)s") % {"number": number}, value) for number, value in values.items()]
    return [(label, text_of(value).replace("\0", "\ufffd")) for label, value in found]


def _beginning(entry: Entry, fields: Sequence[Field]) -> str:
    """Return the first two values that are given."""
    given = [(label, " ".join(text[: 4 * _SHOWN].split())) for label, text in shown_values(entry, fields) if text]
    shown = [f"{label}: {text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}" for label, text in given[:2]]
    return " · ".join(shown) or "–"
