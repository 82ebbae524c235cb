"""The form of a content: its inputs, what they show, and what somebody has changed with them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from cms_api.admin.checkboxes import ManyCheckboxes
from cms_api.admin.editor.widget import Kind, RichTextWidget, UploadWidget
from cms_api.lib.errors import InvalidInput
from contents.admin.field_labels import label_of_field
from contents.admin.writing.custom_inputs import as_text, custom_input, initial_of, input_name
from contents.admin.writing.places import Place
from contents.admin.writing.values import ADD_DATE, BODY, GROUPS, TEXTS, Values
from contents.flags import MARKS
from contents.models import CustomField
from contents.services import labels
from contents.services.labels import Names, known_among
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names, typed_names
from contents.wire.serializers import ContentSerializer

_SERIALIZER = ContentSerializer.field_table()
_SECONDS = "%Y-%m-%dT%H:%M:%S"
_ADDRESSES = frozenset({"image_url", "video_url", "file_url", "link_url"})
NEW_GROUPS, STATE, SEEN, TOKEN, TAKE, CONTESTED = "new_groups", "state", "seen_version", "token", "take", "contested"
# Names with another meaning than the member of the record.
_LABELS: dict[str, Any] = {
    **{name: label_of_field(name) for name in (*TEXTS, *MARKS)},
    BODY: _("body"),
    GROUPS: pgettext_lazy("of contents", "groups"),
    ADD_DATE: _("date of the content"),
}


def label_of(name: str, fields: Iterable[CustomField] = ()) -> str:
    """What the input is called on the page."""
    custom = {input_name(field): field.label or field.name for field in fields}
    label = str(custom.get(name) or _LABELS[name])
    return label[:1].upper() + label[1:]


@dataclass(frozen=True, slots=True)
class Written:
    """What a form is about: the values before, the custom fields, and the states that may be chosen."""

    place: Place
    values: Values
    fields: list[CustomField]
    states: Sequence[tuple[str, str]]
    groups: Sequence[str]


class ContentForm(forms.Form):
    """One content. Nothing is stored by it; `changed` tells what somebody wants to be other than before."""

    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    token = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, written: Written, data: Any = None, *, initial: Mapping[str, Any] | None = None) -> None:
        self.written = written
        super().__init__(data, initial=_shown(written) | dict(initial or {}), label_suffix="")
        self.fields |= dict(_inputs(written))

    def section(self, *names: str) -> Iterator[forms.BoundField]:
        """The inputs of these names, for the template."""
        return (self[name] for name in names if name in self.fields)

    @property
    def main_inputs(self) -> Iterator[forms.BoundField]:
        return self.section("title", "sub_title", "summary", BODY)

    @property
    def file_inputs(self) -> Iterator[forms.BoundField]:
        return self.section("image_url", "video_url", "file_url")

    @property
    def origin_inputs(self) -> Iterator[forms.BoundField]:
        return self.section("author", "source", "link_url", ADD_DATE)

    @property
    def flag_inputs(self) -> Iterator[forms.BoundField]:
        return self.section(*MARKS)

    @property
    def list_inputs(self) -> Iterator[forms.BoundField]:
        return self.section(GROUPS, NEW_GROUPS, "tags")

    @property
    def custom_inputs(self) -> list[forms.BoundField]:
        return [self[input_name(field)] for field in self.written.fields]

    def clean_title(self) -> str:
        title: str = self.cleaned_data["title"]
        if not title.strip():
            raise ValidationError(_now("A content needs a title."))
        return title

    def clean_new_groups(self) -> list[str]:
        """The names of groups that somebody has typed."""
        return self._read_names(labels.GROUPS, self.cleaned_data[NEW_GROUPS], self.written.values[GROUPS])

    def clean_tags(self) -> str:
        text = self.cleaned_data["tags"]
        if text == self.written.values["tags"]:
            return str(text)
        return ",".join(self._read_names(labels.TAGS, text, self.written.values["tags"]))

    def _read_names(self, names: Names, text: str, stored: str) -> list[str]:
        known = known_among(names, [self.written.place.site_id], text)
        found = typed_names(text, known.union(split_names(stored)))
        if any(len(name) > MAX_NAME for name in found):
            raise ValidationError(_now("A name may have %(count)d characters at most.") % {"count": MAX_NAME})
        return found

    def clean(self) -> dict[str, Any]:
        """The values; groups are those that are ticked and those that are new."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        names = _in_order(self.written.values[GROUPS], cleaned.get(GROUPS, []), cleaned.get(NEW_GROUPS, []))
        cleaned[GROUPS] = ",".join(names)
        if len(cleaned[GROUPS]) > MAX_NAMES:
            self.add_error(NEW_GROUPS, _now("These are too many groups for one content."))
        return cleaned

    @property
    def values(self) -> Values:
        """What the inputs say, as far as it can be read; the stored values otherwise."""
        cleaned = getattr(self, "cleaned_data", {})
        custom = {input_name(field): field for field in self.written.fields}
        found = dict(self.written.values)
        for name in found.keys() & cleaned.keys():
            value = cleaned[name]
            if name in custom:
                found[name] = as_text(custom[name], value)
            elif name == ADD_DATE:
                found[name] = value or found[name]
            else:
                found[name] = value
        return found


def _in_order(stored: str, ticked: Iterable[str], new: Iterable[str]) -> list[str]:
    chosen = {*ticked}
    before = [name for name in split_names(stored) if name in chosen]
    return list(dict.fromkeys([*before, *sorted(chosen.difference(before)), *new]))


def _check_address(text: str) -> None:
    try:
        _SERIALIZER["link_url"].read(text, "")  # type: ignore[attr-defined]
    except InvalidInput as error:
        raise ValidationError(_("An address must not begin with javascript: or data:.")) from error


# ---- inputs


def _shown(written: Written) -> dict[str, Any]:
    custom = {input_name(field): field for field in written.fields}
    values = dict(written.values) | {GROUPS: split_names(written.values[GROUPS])}
    return {name: initial_of(custom[name], value) if name in custom else value for name, value in values.items()}


def _inputs(written: Written) -> Iterator[tuple[str, forms.Field]]:
    place = written.place
    for name in TEXTS:
        yield name, _text_input(name, place)
    yield BODY, forms.CharField(required=False, strip=False, label=label_of(BODY), widget=_rich_text(place))
    for name in MARKS:
        yield name, forms.BooleanField(required=False, label=label_of(name))
    offered = list(dict.fromkeys([*written.groups, *split_names(written.values[GROUPS])]))
    choices = [(name, name) for name in offered]
    yield (
        GROUPS,
        forms.MultipleChoiceField(choices=choices, required=False, label=label_of(GROUPS), widget=ManyCheckboxes),
    )
    yield (
        NEW_GROUPS,
        forms.CharField(
            required=False, label=_("New groups"), max_length=MAX_NAMES, help_text=_("Separate several by commas.")
        ),
    )
    picker = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format=_SECONDS)
    yield ADD_DATE, forms.DateTimeField(required=False, label=label_of(ADD_DATE), widget=picker)
    yield STATE, forms.ChoiceField(choices=written.states, required=False, label=_("State"))
    for field in written.fields:
        yield input_name(field), custom_input(field, written.values[input_name(field)])


def _text_input(name: str, place: Place) -> forms.Field:
    wire: Any = _SERIALIZER[name]
    shared = {"label": label_of(name), "required": name == "title", "max_length": wire.max_length, "strip": False}
    widget = _WIDGETS.get(name, lambda place: forms.TextInput())(place)
    help_text = _("Separate tags by commas.") if name == "tags" else ""
    validators = [_check_address] if name in _ADDRESSES else []
    required = _("A content needs a title.")
    return forms.CharField(
        widget=widget, validators=validators, help_text=help_text, error_messages={"required": required}, **shared
    )


def _rich_text(place: Place) -> forms.Widget:
    return RichTextWidget(
        upload_url=place.upload_url,
        preview_url=place.preview_url,
        version_url=place.version_url,
        differences_url=place.differences_url,
        site_root=place.site_root,
        draft_key=place.draft_key,
        version=place.version,
    )


def _upload(kind: Kind, place: Place) -> forms.Widget:
    return UploadWidget(kind, upload_url=place.upload_url, site_root=place.site_root)


_WIDGETS: dict[str, Any] = {
    "title": lambda place: forms.TextInput(attrs={"class": "title-input", "data-count": "255"}),
    "summary": lambda place: forms.Textarea(attrs={"rows": 3}),
    "image_url": partial(_upload, "image"),
    "video_url": partial(_upload, "video"),
    "file_url": partial(_upload, "file"),
    "tags": lambda place: forms.TextInput(attrs={"list": "known-tags", "autocomplete": "off"}),
}
