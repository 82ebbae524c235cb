from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin import widgets
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from core.rest.attributes import NEVER, Attribute, AttributeKind, AttributeRegistry


def form_fields(registry: AttributeRegistry) -> dict[str, forms.Field]:
    return {attribute.name: _form_field(attribute) for attribute in registry if not attribute.is_computed}


def initial_values(registry: AttributeRegistry, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the fields' initial values: stored ones or defaults; empty for "never"."""
    values = registry.values(settings)
    return {name: "" if value == NEVER else value for name, value in values.items()}


def stored_values(registry: AttributeRegistry, cleaned: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for attribute in registry:
        if not attribute.is_computed:
            value = cleaned[attribute.name]
            if attribute.kind == AttributeKind.DATE_TIME:
                # An untouched value is the stored text.
                value = value.replace(microsecond=0).isoformat(" ") if isinstance(value, datetime) else value or NEVER
            values[attribute.name] = value
    return registry.without_defaults(values)


def label(attribute: Attribute) -> Any:
    """Return `Rows on a page (pageSize)`, translated lazily."""
    return format_lazy("{} ({})", gettext_lazy(attribute.label), attribute.name)


def sentence(attribute: Attribute) -> str:
    name = _(attribute.label)
    if attribute.kind == AttributeKind.INTEGER:
        return _("%(name)s must be an integer from %(minimum)d to %(maximum)d.") % {
            "name": name,
            "minimum": attribute.minimum,
            "maximum": attribute.maximum,
        }
    words = _(attribute.form.words) if attribute.form else _("a text")
    told = {"name": name, "words": words, "count": attribute.max_length}
    if attribute.form and attribute.form.is_short:
        return _("%(name)s must be %(words)s.") % told
    sentence = _("%(name)s must be %(words)s of at most %(count)d characters.")
    if attribute.is_address:
        sentence = _(
            "%(name)s must be %(words)s of at most %(count)d characters and without a javascript: or data: scheme."
        )
    return sentence % told


def _form_field(attribute: Attribute) -> forms.Field:
    shared: dict[str, Any] = {"label": label(attribute)}
    if attribute.help_text:  # gettext translates an empty text into the catalogue's header
        shared["help_text"] = gettext_lazy(attribute.help_text)
    if attribute.choices:
        choices = [
            (value, pgettext_lazy("setting", name) if name else gettext_lazy("(empty)"))
            for value, name in attribute.choices
        ]
        coerce: Callable[[Any], Any] = int if attribute.kind == AttributeKind.INTEGER else str
        return forms.TypedChoiceField(
            choices=choices, coerce=coerce, required=not attribute.fits(""), empty_value="", **shared
        )
    if attribute.kind == AttributeKind.BOOLEAN:
        return forms.BooleanField(required=False, **shared)
    if attribute.kind == AttributeKind.DATE_TIME:
        return forms.DateTimeField(required=False, widget=forms.DateTimeInput(attrs={"class": "vTextField"}), **shared)
    if attribute.kind == AttributeKind.INTEGER:
        error = lazy(sentence, str)(attribute)
        return forms.IntegerField(
            min_value=attribute.minimum,
            max_value=attribute.maximum,
            widget=widgets.AdminIntegerFieldWidget,
            error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), error),
            **shared,
        )

    def validate(text: str) -> None:
        if not attribute.fits(text):
            raise ValidationError(sentence(attribute))

    return forms.CharField(
        required=not attribute.fits(""), validators=[validate], widget=widgets.AdminTextInputWidget, **shared
    )
