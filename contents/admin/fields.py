"""Labels of members, inputs for custom fields, and the page that describes custom fields."""

import hashlib
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from functools import partial
from typing import Any

import orjson
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from contents.models import Content, CustomField
from contents.services.fields import DESCRIPTION, INTERNAL, change_fields, describable_fields, options_of, read_name
from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.admin.pages import POSITION
from core.admin.sent_forms import once
from core.admin.views import render_page
from core.lib.errors import InvalidInput, ServiceError
from core.rest.fields import read_date_time
from sites.models import Site

# Of forms, lists and tables; plainer than the model's verbose names.
LABELS: dict[str, Any] = {
    "content": _("body"),
    "add_date": _("content date"),
    "taxis": POSITION,
    "source_id": _("copied from ID"),
    "reference_id": _("refers to content ID"),
    "settings_xml": _("custom fields"),
}
INPUT = "custom_"  # prefix of input names
DATES = frozenset({CustomField.Kind.DATE, CustomField.Kind.DAY})
FILES = frozenset({CustomField.Kind.IMAGE, CustomField.Kind.VIDEO, CustomField.Kind.FILE})
_MAX_OFFERED = 200
_ON_A_PAGE = 80  # a field has six inputs, and a form at most a thousand


def label_of_field(name: str) -> Any:
    return LABELS.get(name) or Content._meta.get_field(name).verbose_name  # type: ignore[union-attr]


# ---- custom fields: values are texts, "True" or "False" for switches


def offered_fields(site_id: int) -> list[CustomField]:
    return list(describable_fields(site_id).filter(is_offered=True)[:_MAX_OFFERED])


def drafted_fields(site_id: int, names: Iterable[str]) -> list[CustomField]:
    """Fields for those names, of a draft, that the site does not know yet; they have no id."""
    by_folded = {name.casefold(): name for name in names}
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=list(by_folded))
    known = {*INTERNAL, *rows.values_list("folded_name", flat=True)} if by_folded else set()
    new = sorted(folded for folded in by_folded.keys() - known if not folded.startswith("check_"))
    return [CustomField(site_id=site_id, name=by_folded[folded], folded_name=folded) for folded in new[:_MAX_OFFERED]]


def input_name(field: CustomField) -> str:
    # Browsers change line ends in names.
    return f"{INPUT}{field.pk or hashlib.sha256(field.folded_name.encode()).hexdigest()[:16]}"


def custom_values_of(settings_xml: str, fields: list[CustomField]) -> dict[str, str]:
    stored: dict[str, Any] = orjson.loads(settings_xml)
    by_folded = {name.casefold(): value for name, value in stored.items()}
    found = {}
    for field in fields:
        value = by_folded.get(field.folded_name)
        if field.kind == CustomField.Kind.SWITCH:
            text = str(str(value).strip().lower() in {"true", "1", "yes", "on"})
        elif value is None:
            text = ""
        else:
            text = value if isinstance(value, str) else orjson.dumps(value).decode()
        found[input_name(field)] = text
    return found


def custom_input(field: CustomField, value: str, upload: Callable[[Any], forms.Widget]) -> forms.Field:
    shared: dict[str, Any] = {"label": field.label or field.name, "help_text": field.help_text, "required": False}
    if field.kind == CustomField.Kind.SWITCH:
        return forms.BooleanField(**shared)
    if field.kind == CustomField.Kind.CHOICE:
        lines = options_of(field.choices)
        # Keep a value that is no longer among the choices until it is changed.
        offered = dict.fromkeys([*lines, *([value] if value else [])])
        return forms.ChoiceField(choices=[("", _now("(empty)")), *((each, each) for each in offered)], **shared)
    # A value that the picker cannot show can only be shown as text.
    if field.kind in DATES and (not value or _read_date(field, value) is not None):
        if field.kind == CustomField.Kind.DAY:
            day_picker = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
            return forms.DateField(widget=day_picker, **shared)
        return forms.DateTimeField(widget=MomentInput(), **shared)
    widget: forms.Widget | None = forms.Textarea(attrs={"rows": 4}) if field.kind == CustomField.Kind.TEXT else None
    if field.kind in FILES:
        widget = upload(field.kind)
    return forms.CharField(strip=False, widget=widget, **shared)


class MomentInput(forms.DateTimeInput):
    """A date with a time; seconds only where the stored moment has some."""

    input_type = "datetime-local"

    def format_value(self, value: Any) -> str | None:
        if isinstance(value, datetime):
            return value.replace(tzinfo=None).isoformat(timespec="seconds" if value.second else "minutes")
        return super().format_value(value)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        if len(context["widget"]["value"] or "") > len("2026-11-29T08:00"):
            context["widget"]["attrs"]["step"] = "1"
        return context


def initial_of(field: CustomField, value: str) -> Any:
    if field.kind == CustomField.Kind.SWITCH:
        return value == "True"
    if field.kind in DATES:
        return _read_date(field, value) or value
    return value


def as_text(field: CustomField, value: Any) -> str:
    if field.kind == CustomField.Kind.SWITCH:
        return str(bool(value))
    if isinstance(value, datetime):
        return value.replace(microsecond=0).isoformat(" ")
    return str(value or "")


def _read_date(field: CustomField, value: str) -> date | None:
    try:
        moment = read_date_time(value, "")
    except InvalidInput:
        return None
    if field.kind != CustomField.Kind.DAY or moment is None:
        return moment
    return moment.date() if moment.time() == time() else None


# ---- the page that describes custom fields


class FieldForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = CustomField
        fields = ["taxis", "label", "kind", "choices", "help_text", "is_offered"]
        widgets = {"choices": forms.Textarea(attrs={"rows": 2}), "help_text": forms.Textarea(attrs={"rows": 2})}
        labels = {"taxis": POSITION}
        help_texts = {"choices": _("One per line.")}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("kind") == CustomField.Kind.CHOICE and not cleaned.get("choices", "").strip():
            self.add_error("choices", _now("Enter the choices, one per line."))
        return cleaned


class NewFieldForm(FieldForm):
    name = forms.CharField(max_length=255, label=_("Name"))

    class Meta(FieldForm.Meta):
        fields = ["name", *FieldForm.Meta.fields]

    def clean_name(self) -> str:
        try:
            return read_name(self.cleaned_data["name"])
        except InvalidInput as error:
            raise ValidationError(tell(error)) from error


@once
def fields_view(pages: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show and store the custom fields of a site, for those who may change its settings."""
    site_pages = pages.admin_site.get_model_admin(Site)
    site: Site | None = site_pages.get_object(request, str(site_id))
    if site is None or not site_pages.has_change_permission(request, site):
        raise Http404
    request.menu_site = site.pk  # type: ignore[attr-defined]
    page = Paginator(describable_fields(site.pk), _ON_A_PAGE).get_page(request.GET.get("p"))
    forms_of_page = [FieldForm(request.POST or None, instance=field, prefix=f"field-{field.pk}") for field in page]
    new_form = partial(NewFieldForm, prefix="new", initial={"taxis": 0, "is_offered": True})
    new = new_form(request.POST or None)
    has_new = bool(request.POST.get("new-name", "").strip())
    if request.method == "POST" and all([*(form.is_valid() for form in forms_of_page), not has_new or new.is_valid()]):
        if request.POST.get("seen") != _mark(page):
            messages.error(request, _now("Another user has changed the fields. Check your changes and save again."))
        else:
            sent = [*forms_of_page, *([new] if has_new else [])]
            try:
                change_fields(site, [form.save(commit=False) for form in sent if form.has_changed()])
            except ServiceError as refusal:
                messages.error(request, tell(refusal))
            else:
                messages.success(request, _now("The fields were saved."))
                return HttpResponseRedirect(request.get_full_path())
    context = {
        "title": _now("Custom fields"),
        "subtitle": site.site_name,
        "site_record": site,
        "page": page,
        "forms": forms_of_page,
        "new": new if has_new else new_form(),
        "seen": _mark(page),
    }
    return render_page(pages, request, "contents/writing/fields.html", context)


def _mark(page: Page[CustomField]) -> str:
    rows = CustomField.objects.filter(pk__in=[field.pk for field in page]).order_by("pk")
    return hashlib.sha256(repr(list(rows.values_list("pk", *DESCRIPTION))).encode()).hexdigest()
