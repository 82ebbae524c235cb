"""Forms that store only the fields that the person changed."""

import re
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import BaseTemporalField
from django.forms.widgets import ChoiceWidget, Textarea

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?")


class KeepingForm(forms.BaseForm):
    """A form that leaves the stored value of each unedited input, and reports it as unchanged.

    Browsers do not post all values unchanged: they remove line ends from single-line inputs, write others as
    CRLF, shorten times, and choose the first option if none is marked.
    """

    def is_posted_as(self, name: str, value: Any) -> bool:
        """Return whether a browser sends these data for an unedited input with this value."""
        bound = self[name]
        field, sent, untouched = bound.field, bound.data, posted(bound.field, value)
        if isinstance(untouched, list):
            return sorted(map(_with_lf, untouched)) == sorted(map(_with_lf, sent or []))
        if not isinstance(untouched, str) or not isinstance(sent, str):
            return bool(untouched == sent)
        return _with_lf(untouched) == _with_lf(sent) or _is_same(field, untouched, sent)

    @cached_property
    def changed_data(self) -> list[str]:
        bounds: list[tuple[str, Any]] = [(name, self[name]) for name in self.fields]
        return [name for name, bound in bounds if bound._has_changed() and not self._is_kept(bound)]

    def _clean_fields(self) -> None:
        # As in Django, but a stored value that no browser can post, or the field refuses, stays unchanged.
        for name in self.fields:
            bound: Any = self[name]
            try:
                try:
                    value = bound.field._clean_bound_field(bound)
                    is_read = not bound._has_changed() or not self._is_kept(bound)
                except ValidationError:
                    if not self._is_kept(bound):
                        raise
                    is_read = False
                self.cleaned_data[name] = value if is_read else bound.initial
                if is_read and hasattr(self, f"clean_{name}"):
                    self.cleaned_data[name] = getattr(self, f"clean_{name}")()
            except ValidationError as error:
                self.add_error(name, error)

    def _is_kept(self, bound: Any) -> bool:
        # The initial value of other fields differs from their cleaned value.
        is_value = not isinstance(bound.field, forms.ModelChoiceField | forms.FileField)
        has_value = bound.initial not in bound.field.empty_values
        return is_value and has_value and self.is_posted_as(bound.name, bound.initial)


def posted(field: forms.Field, value: Any) -> Any:
    """Return the data that a browser sends for an unedited input with this value."""
    widget: Any = field.widget
    value = field.prepare_value(value)
    if isinstance(widget, forms.CheckboxInput):
        return widget.check_test(value)
    if isinstance(widget, ChoiceWidget):
        return _chosen(widget, value)
    text = str(widget.format_value(value) or "")
    kind = widget.attrs.get("type") or getattr(widget, "input_type", "")
    if isinstance(widget, Textarea) or kind == "hidden":
        return text
    text = re.sub("[\r\n]", "", text)
    if kind == "number":
        return text if _NUMBER.fullmatch(text) else ""
    return text.strip(" \t\f") if kind in {"url", "email"} else text


def _chosen(widget: Any, value: Any) -> Any:
    options = list(widget.options("", widget.format_value(value)))
    chosen = [option for option in options if option["selected"]]
    are_many = widget.allow_multiple_selected
    if not chosen and isinstance(widget, forms.Select) and not are_many:
        chosen = [option for option in options if not option["attrs"].get("disabled")][:1]
    sent = [str(option["value"]) for option in chosen if not option["attrs"].get("disabled")]
    return sent if are_many else next(iter(sent), None)


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_same(field: forms.Field, one: str, other: str) -> bool:
    """Return whether the texts mean the same time or number, such as 19:00 and 19:00:00."""
    if not isinstance(field, BaseTemporalField | forms.IntegerField):
        return False
    try:
        return bool(field.to_python(one) == field.to_python(other))
    except ValidationError:
        return False
