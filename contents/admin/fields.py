"""Labels of members, inputs for custom fields, and the page that describes custom fields."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.admin.error_messages import tell
from cms_api.admin.pages import POSITION
from cms_api.admin.views import render_page
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.fields import read_date_time
from contents.models import Content, CustomField
from contents.services.fields import DESCRIPTION, change_fields, read_name
from sites.models import Site

# Plainer than the model's verbose names.
LABELS: dict[str, Any] = {
    "taxis": POSITION,
    "source_id": _("copied from number"),
    "reference_id": _("refers to content number"),
    "is_color": _("highlighted"),
    "settings_xml": _("custom fields"),
}
INPUT = "custom_"  # prefix of input names
# SiteServer's custom field for the style of the title.
INTERNAL = frozenset({"titleformatstring"})
FILES = frozenset({CustomField.Kind.IMAGE, CustomField.Kind.VIDEO, CustomField.Kind.FILE})
_MAX_OFFERED = 200
_ON_A_PAGE = 80  # a field has six inputs, and a form at most a thousand


def label_of_field(name: str) -> Any:
    return LABELS.get(name) or Content._meta.get_field(name).verbose_name  # type: ignore[union-attr]


# ---- custom fields: values are texts, "True" or "False" for switches


def describable_fields(site_id: int) -> QuerySet[CustomField]:
    """Fields of the site that may be offered, in order; without those that record decisions."""
    fields = CustomField.objects.filter(site_id=site_id)
    own = fields.exclude(folded_name__startswith="check_").exclude(folded_name__in=INTERNAL)
    return own.order_by("taxis", "folded_name")


def offered_fields(site_id: int) -> list[CustomField]:
    return list(describable_fields(site_id).filter(is_offered=True)[:_MAX_OFFERED])


def input_name(field: CustomField) -> str:
    return f"{INPUT}{field.pk}"


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
        lines = [line.strip() for line in field.choices.splitlines() if line.strip()]
        # Keep a value that is no longer among the choices until it is changed.
        offered = dict.fromkeys([*lines, *([value] if value else [])])
        return forms.ChoiceField(choices=[("", _now("(empty)")), *((each, each) for each in offered)], **shared)
    # A value that is not a date can only be shown as text.
    if field.kind == CustomField.Kind.DATE and (not value or _read_date(value) is not None):
        return forms.DateTimeField(widget=date_picker(), **shared)
    widget: forms.Widget | None = forms.Textarea(attrs={"rows": 4}) if field.kind == CustomField.Kind.TEXT else None
    if field.kind in FILES:
        widget = upload(field.kind)
    return forms.CharField(strip=False, widget=widget, **shared)


def date_picker() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S")


def initial_of(field: CustomField, value: str) -> Any:
    if field.kind == CustomField.Kind.SWITCH:
        return value == "True"
    if field.kind == CustomField.Kind.DATE:
        return _read_date(value) or value
    return value


def as_text(field: CustomField, value: Any) -> str:
    if field.kind == CustomField.Kind.SWITCH:
        return str(bool(value))
    if field.kind == CustomField.Kind.DATE and not isinstance(value, str):
        return value.replace(microsecond=0).isoformat(" ") if value else ""
    return str(value or "")


def _read_date(value: str) -> Any:
    try:
        return read_date_time(value, "")
    except InvalidInput:
        return None


# ---- the page that describes custom fields


class FieldForm(forms.ModelForm):  # type: ignore[type-arg]
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
    name = forms.CharField(max_length=255, label=_("name"))

    class Meta(FieldForm.Meta):
        fields = ["name", *FieldForm.Meta.fields]

    def clean_name(self) -> str:
        try:
            return read_name(self.cleaned_data["name"])
        except InvalidInput as error:
            raise ValidationError(tell(error)) from error


def fields_view(pages: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show and store the custom fields of a site, for those who may change its settings."""
    site_pages = pages.admin_site.get_model_admin(Site)
    site: Site | None = site_pages.get_object(request, str(site_id))
    if site is None or not site_pages.has_change_permission(request, site):
        raise Http404
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
        "is_adding": has_new,
        "seen": _mark(page),
    }
    return render_page(pages, request, "contents/writing/fields.html", context)


def _mark(page: Page[CustomField]) -> str:
    rows = CustomField.objects.filter(pk__in=[field.pk for field in page]).order_by("pk")
    return hashlib.sha256(repr(list(rows.values_list("pk", *DESCRIPTION))).encode()).hexdigest()
