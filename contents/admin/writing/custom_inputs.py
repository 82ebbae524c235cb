"""Inputs for the custom fields of a site, by their kind. What is stored are texts; a switch is "True" or "False"."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import read_date_time
from contents.models import CustomField

INPUT = "custom_"
# What the original keeps with a content for itself: how its title is drawn.
INTERNAL = frozenset({"titleformatstring"})
_MOST = 200  # fields in one form
_SECONDS = "%Y-%m-%dT%H:%M:%S"
_TRUE = frozenset({"true", "1", "yes", "on"})


def describable_fields(site_id: int) -> QuerySet[CustomField]:
    """The fields of the site that editors may be offered, in their order; not who has approved a content and when."""
    fields = CustomField.objects.filter(site_id=site_id)
    own = fields.exclude(folded_name__startswith="check_").exclude(folded_name__in=INTERNAL)
    return own.order_by("taxis", "folded_name")


def offered_fields(site_id: int) -> list[CustomField]:
    """Those that editors are offered. One statement."""
    return list(describable_fields(site_id).filter(is_offered=True)[:_MOST])


def input_name(field: CustomField) -> str:
    return f"{INPUT}{field.pk}"


def custom_values_of(settings_xml: str, fields: list[CustomField]) -> dict[str, str]:
    """The values of the fields as texts, by the names of their inputs."""
    stored: dict[str, Any] = orjson.loads(settings_xml)
    by_folded = {name.casefold(): value for name, value in stored.items()}
    return {input_name(field): _shown(field, by_folded.get(field.folded_name)) for field in fields}


def custom_input(field: CustomField, value: str) -> forms.Field:
    """The input of the field, which can show the value that there is."""
    shared: dict[str, Any] = {"label": field.label or field.name, "help_text": field.help_text, "required": False}
    make = _INPUTS.get(str(field.kind), _line)
    return make(field, value, shared)


def as_text(field: CustomField, value: Any) -> str:
    """What the input gave, as it is stored."""
    if field.kind == CustomField.Kind.SWITCH:
        return str(bool(value))
    if field.kind == CustomField.Kind.DATE and not isinstance(value, str):
        return value.replace(microsecond=0).isoformat(" ") if value else ""
    return str(value or "")


def _shown(field: CustomField, value: Any) -> str:
    if field.kind == CustomField.Kind.SWITCH:
        return str(str(value).strip().lower() in _TRUE)
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _line(field: CustomField, value: str, shared: Mapping[str, Any]) -> forms.Field:
    return forms.CharField(strip=False, **shared)


def _text(field: CustomField, value: str, shared: Mapping[str, Any]) -> forms.Field:
    return forms.CharField(strip=False, widget=forms.Textarea(attrs={"rows": 4}), **shared)


def _switch(field: CustomField, value: str, shared: Mapping[str, Any]) -> forms.Field:
    return forms.BooleanField(**shared)


def _choice(field: CustomField, value: str, shared: Mapping[str, Any]) -> forms.Field:
    lines = [line.strip() for line in field.choices.splitlines() if line.strip()]
    # A value that is no choice any more stays until somebody chooses another.
    offered = dict.fromkeys([*lines, *([value] if value else [])])
    return forms.ChoiceField(choices=[("", _("(empty)")), *((each, each) for each in offered)], **shared)


def _date(field: CustomField, value: str, shared: Mapping[str, Any]) -> forms.Field:
    if value and _read_date(value) is None:
        return _line(field, value, shared)  # what is no date can be shown as a text only
    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format=_SECONDS)
    return forms.DateTimeField(widget=widget, **shared)


def initial_of(field: CustomField, value: str) -> Any:
    """What the input shows for the stored text."""
    if field.kind == CustomField.Kind.SWITCH:
        return value == "True"
    if field.kind == CustomField.Kind.DATE:
        return _read_date(value) or value
    return value


def _read_date(value: str) -> Any:
    try:
        return read_date_time(value, "")
    except InvalidInput:
        return None


_INPUTS: dict[str, Callable[[CustomField, str, Mapping[str, Any]], forms.Field]] = {
    CustomField.Kind.TEXT: _text,
    CustomField.Kind.SWITCH: _switch,
    CustomField.Kind.CHOICE: _choice,
    CustomField.Kind.DATE: _date,
}
