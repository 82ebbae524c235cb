"""The page on which the custom fields of a site are described: how editors meet them, and in which order."""

import hashlib
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cms_api.admin.pages import POSITION
from cms_api.admin.refusals import tell
from cms_api.admin.views import render_page
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.admin.writing.custom_inputs import describable_fields
from contents.models import CustomField
from contents.services.fields import DESCRIPTION, change_fields, read_name
from sites.models import Site

_ON_A_PAGE = 80  # each has six inputs, and a form has at most a thousand


class FieldForm(forms.ModelForm):  # type: ignore[type-arg]
    """How editors meet one field."""

    class Meta:
        model = CustomField
        fields = ["taxis", "label", "kind", "choices", "help_text", "is_offered"]
        widgets = {"choices": forms.Textarea(attrs={"rows": 2}), "help_text": forms.Textarea(attrs={"rows": 2})}
        labels = {"taxis": POSITION}
        help_texts = {"choices": gettext_lazy("One a line.")}

    def clean(self) -> dict[str, Any]:
        """The values; a list needs something to choose from."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("kind") == CustomField.Kind.CHOICE and not cleaned.get("choices", "").strip():
            self.add_error("choices", _("Say what there is to choose from, one a line."))
        return cleaned


class NewFieldForm(FieldForm):
    """A field that no content has yet."""

    name = forms.CharField(max_length=255, label=gettext_lazy("name"))

    class Meta(FieldForm.Meta):
        fields = ["name", *FieldForm.Meta.fields]

    def clean_name(self) -> str:
        """The name as the API would keep it."""
        try:
            return read_name(self.cleaned_data["name"])
        except InvalidInput as error:
            raise ValidationError(tell(error)) from error


def fields_view(pages: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """The custom fields of a site, for whoever may change its settings, and on a POST what is to be stored."""
    site_pages = pages.admin_site.get_model_admin(Site)
    site: Site | None = site_pages.get_object(request, str(site_id))
    if site is None or not site_pages.has_change_permission(request, site):
        raise Http404
    page = Paginator(describable_fields(site.pk), _ON_A_PAGE).get_page(request.GET.get("p"))
    forms_of_page = [FieldForm(request.POST or None, instance=field, prefix=f"field-{field.pk}") for field in page]
    new = NewFieldForm(request.POST or None, prefix="new", initial={"taxis": 0, "is_offered": True})
    has_new = bool(request.POST.get("new-name", "").strip())
    if request.method == "POST" and all([*(form.is_valid() for form in forms_of_page), not has_new or new.is_valid()]):
        if request.POST.get("seen") != _mark(page):
            messages.error(request, _("Somebody has changed the fields meanwhile. Look at yours, and save again."))
        elif _store(request, site, [*forms_of_page, *([new] if has_new else [])]):
            return HttpResponseRedirect(request.get_full_path())
    context = {
        "title": _("Custom fields"),
        "subtitle": site.site_name,
        "site_record": site,
        "page": page,
        "forms": forms_of_page,
        "new": new if has_new else NewFieldForm(prefix="new", initial={"taxis": 0, "is_offered": True}),
        "is_adding": has_new,
        "seen": _mark(page),
    }
    return render_page(pages, request, "contents/writing/fields.html", context)


def _mark(page: Page[CustomField]) -> str:
    """What tells one state of the fields from another."""
    rows = CustomField.objects.filter(pk__in=[field.pk for field in page]).order_by("pk")
    return hashlib.sha256(repr(list(rows.values_list("pk", *DESCRIPTION))).encode()).hexdigest()


def _store(request: HttpRequest, site: Site, changed: list[FieldForm]) -> bool:
    try:
        change_fields(site, [form.save(commit=False) for form in changed if form.has_changed()])
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
        return False
    messages.success(request, _("The fields were saved."))
    return True
