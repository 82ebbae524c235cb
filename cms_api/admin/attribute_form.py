"""Form fields of the back end for members of settings objects, made from their declaration."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.admin import widgets
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from cms_api.rest.attributes import NEVER, Attribute, AttributeRegistry, Kind


def form_fields(registry: AttributeRegistry) -> dict[str, forms.Field]:
    """A field for each member that is stored, by its name on the wire."""
    return {attribute.name: _form_field(attribute) for attribute in registry if not attribute.is_computed}


def initial_values(registry: AttributeRegistry, settings: dict[str, Any]) -> dict[str, Any]:
    """What the fields show: the stored values, defaults where there are none, nothing for "never"."""
    values = registry.values(settings)
    return {name: "" if value == NEVER else value for name, value in values.items()}


def stored_values(registry: AttributeRegistry, cleaned: dict[str, Any]) -> dict[str, Any]:
    """What has to be stored of the values of a valid form: those that are not the default."""
    fields = (attribute for attribute in registry if not attribute.is_computed)
    return registry.without_defaults({each.name: _stored(each, cleaned[each.name]) for each in fields})


def label(attribute: Attribute) -> Any:
    """`Rows on a page (pageSize)`, in the language of the page."""
    return format_lazy("{} ({})", gettext_lazy(attribute.label), attribute.name)


def sentence(attribute: Attribute) -> str:
    """What the member must be, in the present language: in English what the API answers, by the label of the member."""
    name = _(attribute.label)
    if attribute.kind == Kind.INTEGER:
        return _("%(name)s must be an integer from %(minimum)d to %(maximum)d.") % {
            "name": name,
            "minimum": attribute.minimum,
            "maximum": attribute.maximum,
        }
    words = _(attribute.form.words) if attribute.form else _("a text")
    told = {"name": name, "words": words, "count": attribute.max_length}
    if attribute.form and attribute.form.is_short:
        return _("%(name)s must be %(words)s.") % told
    if attribute.is_address:
        return (
            _("%(name)s must be %(words)s of at most %(count)d characters and without a javascript: or data: scheme.")
            % told
        )
    return _("%(name)s must be %(words)s of at most %(count)d characters.") % told


def _translated(text: str) -> Any:
    # The catalogue answers an empty text with its own header.
    return gettext_lazy(text) if text else ""


def _form_field(attribute: Attribute) -> forms.Field:
    shared: dict[str, Any] = {"label": label(attribute), "help_text": _translated(attribute.help_text)}
    if attribute.choices:
        choices = [
            (value, pgettext_lazy("setting", name) if name else gettext_lazy("(empty)"))
            for value, name in attribute.choices
        ]
        coerce: Callable[[Any], Any] = int if attribute.kind == Kind.INTEGER else str
        return forms.TypedChoiceField(
            choices=choices, coerce=coerce, required=not attribute.fits(""), empty_value="", **shared
        )
    return _FIELDS[attribute.kind](attribute, shared)


def _text_field(attribute: Attribute, shared: dict[str, Any]) -> forms.Field:
    def validate(text: str) -> None:
        if not attribute.fits(text):
            raise ValidationError(sentence(attribute))

    return forms.CharField(
        required=not attribute.fits(""), validators=[validate], widget=widgets.AdminTextInputWidget, **shared
    )


def _integer_field(attribute: Attribute, shared: dict[str, Any]) -> forms.Field:
    error = lazy(sentence, str)(attribute)
    return forms.IntegerField(
        min_value=attribute.minimum,
        max_value=attribute.maximum,
        widget=widgets.AdminIntegerFieldWidget,
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), error),
        **shared,
    )


_FIELDS: dict[Kind, Callable[[Attribute, dict[str, Any]], forms.Field]] = {
    Kind.BOOLEAN: lambda attribute, shared: forms.BooleanField(required=False, **shared),
    Kind.INTEGER: _integer_field,
    Kind.TEXT: _text_field,
    Kind.DATE_TIME: lambda attribute, shared: forms.DateTimeField(
        required=False, widget=forms.DateTimeInput(attrs={"class": "vTextField"}), **shared
    ),
}


def _stored(attribute: Attribute, value: Any) -> Any:
    if attribute.kind == Kind.DATE_TIME:
        return value.replace(microsecond=0).isoformat(" ") if value else NEVER
    return value
