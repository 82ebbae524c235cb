"""The form of a content, and members as plain values by input name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.admin.fields import (
    MomentInput,
    as_text,
    custom_input,
    custom_values_of,
    initial_of,
    input_name,
    label_of_field,
)
from contents.admin.preview import body_of
from contents.flags import MARKS
from contents.models import Content, ContentGroup, CustomField
from contents.services import labels
from contents.services.labels import Names, known_among
from contents.wire.name_list import MAX_NAME, MAX_NAMES, split_names, typed_names
from contents.wire.serializers import ContentSerializer
from core.admin.changed_fields_form import KeepingForm
from core.admin.checkboxes import ManyCheckboxes
from core.admin.editor.widget import Kind, RichTextWidget, UploadWidget
from core.admin.error_messages import tell
from core.admin.picker import MAX
from core.lib.errors import InvalidInput, ServiceError
from core.lib.folding import is_blank
from core.lib.markup import clean_body, clean_line, clean_lines, clean_name
from core.rest.names import to_wire
from media_library.uploads import media_root_url

Values = dict[str, Any]
TEXTS = (
    *("title", "sub_title", "summary", "image_url", "video_url", "file_url"),
    *("author", "source", "link_url", "tags"),
)
BODY, GROUPS, NEW_GROUPS, ADD_DATE, STATE = "body", "groups", "new_groups", "add_date", "state"
_ADDRESSES = frozenset({"image_url", "video_url", "file_url", "link_url"})
_SECTIONS: dict[str, Sequence[str]] = {
    "main": ("sub_title", "summary", BODY),
    "files": ("image_url", "video_url", "file_url"),
    "origin": ("author", "source", "link_url", ADD_DATE),
    "flags": MARKS,
    "lists": (GROUPS, NEW_GROUPS, "tags"),
}
_MOST_OPEN = 4  # custom fields that are all shown, filled in or not
_SERIALIZER = ContentSerializer.field_table()
_MEMBERS = {BODY: "content", GROUPS: "group_name_collection"}  # inputs with another name than their member


def label_of(name: str, fields: Iterable[CustomField] = ()) -> str:
    custom = {input_name(field): field.label or field.name for field in fields}
    return capfirst(str(custom.get(name) or label_of_field(_MEMBERS.get(name, name))))


# ---- values


def values_of(members: Mapping[str, Any], body: str, fields: list[CustomField]) -> Values:
    custom = custom_values_of(members["settings_xml"], fields)
    own = {name: members[name] for name in (*TEXTS, *MARKS, ADD_DATE)}
    return {**own, GROUPS: members["group_name_collection"], BODY: body, **custom}


def stored_values(content: Content, fields: list[CustomField]) -> Values:
    names = (*TEXTS, *MARKS, ADD_DATE, "group_name_collection", "settings_xml")
    body = vars(content).get("text")
    return values_of(
        {name: getattr(content, name) for name in names}, body_of(content) if body is None else body, fields
    )


def empty_values(fields: list[CustomField], now: datetime) -> Values:
    nothing = {**dict.fromkeys(TEXTS, ""), **dict.fromkeys(MARKS, False)}
    blank = {**nothing, ADD_DATE: now, "group_name_collection": "", "settings_xml": "{}"}
    return values_of(blank, "", fields)


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    return {name for name in one.keys() & other.keys() if _plain(name, one[name]) != _plain(name, other[name])}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(microsecond=0)
    if name == GROUPS:
        return split_names(value)
    if not isinstance(value, str):
        return value
    return value.replace("\r\n", "\n").replace("\r", "\n")


def clean_values(values: Values, fields: list[CustomField]) -> list[str]:
    """Clean the texts among the values, and return the names of removed markup. Raises InvalidInput."""
    removed: list[str] = []
    several = {"summary", *(input_name(field) for field in fields if field.kind != CustomField.Kind.LINE)}
    for name, value in values.items():
        if isinstance(value, str) and value:
            clean = clean_body if name == BODY else clean_lines if name in several else clean_line
            try:
                cleaned = clean(value)
            except InvalidInput as refusal:
                refusal.members["member"] = name
                raise
            values[name] = cleaned.text
            removed += cleaned.removed
    return list(dict.fromkeys(removed))


def wire_members(values: Mapping[str, Any], fields: list[CustomField]) -> dict[str, Any]:
    names = {BODY: "content", GROUPS: "groupNameCollection"} | {input_name(field): field.name for field in fields}
    return {
        names.get(name) or to_wire(name): (
            value.replace(microsecond=0).isoformat(" ") if isinstance(value, datetime) else value
        )
        for name, value in values.items()
    }


# ---- the form


@dataclass(frozen=True)
class Written:
    """The content of a form, or the channel of a new one, and the states to choose from."""

    channel: Channel
    user_id: int
    content: Content | None
    values: Values  # before the edit
    fields: list[CustomField]
    states: Sequence[tuple[str, str]]
    shown: Any = None  # contents.admin.writing.drafts.Shown, of a content

    @property
    def version(self) -> int | None:
        """The version of the draft or the content, for the form's script."""
        return (self.shown.version if self.shown else 0) or (self.content.version if self.content else None)

    @property
    def draft_key(self) -> str:
        what = f"content-{self.content.pk}" if self.content else f"channel-{self.channel.pk}"
        return f"{self.user_id}:{what}"


class ContentForm(KeepingForm, forms.Form):
    """Stores nothing; compare `values` with `written`."""

    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    seen_draft = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, written: Written, data: Any = None, *, initial: Mapping[str, Any] | None = None) -> None:
        self.written = written
        self._custom = {input_name(field): field for field in written.fields}
        values = dict(written.values) | {GROUPS: split_names(written.values[GROUPS])}
        self._shown = {
            name: initial_of(self._custom[name], value) if name in self._custom else value
            for name, value in values.items()
        }
        super().__init__(data, initial=self._shown | dict(initial or {}), label_suffix="")
        self.fields |= _inputs(written)

    @cached_property
    def sections(self) -> dict[str, list[forms.BoundField]]:
        custom = self._custom.keys()
        # A site may have many fields of which a content fills in a few: the empty ones wait to be opened.
        empty = [name for name in custom if self.written.values[name] in {"", "False"} and name not in self.errors]
        empty = empty if len(custom) > _MOST_OPEN else []
        sections = {**_SECTIONS, "custom": [name for name in custom if name not in empty], "empty": empty}
        return {section: [self[name] for name in names] for section, names in sections.items()}

    def clean_title(self) -> str:
        title: str = self.cleaned_data["title"]
        if is_blank(title):
            raise ValidationError(_now("Enter a title."))
        if title != self.written.values["title"]:
            title = " ".join(title.splitlines())
            try:
                clean_name(title)
            except ServiceError as refusal:
                raise ValidationError(tell(refusal)) from refusal
        return title

    def clean_new_groups(self) -> list[str]:
        return self._read_names(labels.GROUPS, self.cleaned_data[NEW_GROUPS], self.written.values[GROUPS])

    def clean_tags(self) -> str:
        text = self.cleaned_data["tags"]
        if text == self.written.values["tags"]:
            return str(text)
        return ",".join(self._read_names(labels.TAGS, text, self.written.values["tags"]))

    def _read_names(self, names: Names, text: str, stored: str) -> list[str]:
        known = known_among(names, [self.written.channel.site_id], text)
        try:
            found = typed_names(text, known.union(split_names(stored)))
        except ServiceError as refusal:
            raise ValidationError(tell(refusal)) from refusal
        if any(len(name) > MAX_NAME for name in found):
            raise ValidationError(_now("A name can have at most %(count)d characters.") % {"count": MAX_NAME})
        return found

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        ticked = set(cleaned.get(GROUPS, []))
        before = [name for name in split_names(self.written.values[GROUPS]) if name in ticked]
        names = dict.fromkeys([*before, *sorted(ticked.difference(before)), *cleaned.get(NEW_GROUPS, [])])
        cleaned[GROUPS] = ",".join(names)
        if len(cleaned[GROUPS]) > MAX_NAMES:
            self.add_error(NEW_GROUPS, _now("Too many groups for one content item."))
        return cleaned

    def values_over(self, stored: Values) -> Values:
        """The values of the form if the page showed these stored ones."""
        form = ContentForm(replace(self.written, values=stored), self.data)
        form.is_valid()
        return form.values

    @property
    def values(self) -> Values:
        """Valid inputs as values, stored values for unedited ones and for the rest."""
        cleaned = getattr(self, "cleaned_data", {})
        found = dict(self.written.values)
        for name in found.keys() & cleaned.keys():
            value = cleaned[name]
            if name != GROUPS and self.is_posted_as(name, self._shown[name]):
                continue
            if name in self._custom:
                found[name] = as_text(self._custom[name], value)
            elif name != ADD_DATE or value:
                found[name] = value
        return found


def _inputs(written: Written) -> dict[str, forms.Field]:
    found: dict[str, forms.Field] = _text_inputs(written)
    for name in MARKS:
        found[name] = forms.BooleanField(required=False, label=label_of(name))
    # In the site's order, as many as a form can show.
    rows = ContentGroup.objects.filter(site_id=written.channel.site_id).order_by("taxis", "pk")
    groups = [*rows.values_list("group_name", flat=True)[:MAX], *split_names(written.values[GROUPS])]
    choices = [(name, name) for name in dict.fromkeys(groups)]
    found[GROUPS] = forms.MultipleChoiceField(
        choices=choices, required=False, label=label_of(GROUPS), widget=ManyCheckboxes
    )
    found[NEW_GROUPS] = forms.CharField(
        required=False, label=_("New groups"), max_length=MAX_NAMES, help_text=_("Separate several by commas.")
    )
    found[ADD_DATE] = forms.DateTimeField(required=False, label=label_of(ADD_DATE), widget=MomentInput())
    found[STATE] = forms.ChoiceField(choices=written.states, required=False, label=_("State"))
    for field in written.fields:
        found[input_name(field)] = custom_input(
            field, written.values[input_name(field)], _upload(written.channel.site_id)
        )
    return found


def _upload(site_id: int) -> Callable[[Kind], UploadWidget]:
    address = reverse("admin:contents_content_upload", args=[site_id])
    return partial(UploadWidget, upload_url=address, site_root=media_root_url(site_id))


def _text_inputs(written: Written) -> dict[str, forms.Field]:
    site_id, content = written.channel.site_id, written.content
    upload = _upload(site_id)
    widgets: dict[str, forms.Widget] = {
        # It grows with its text, and takes no new line.
        "title": forms.Textarea(
            attrs={"class": "title-input", "rows": 1, "placeholder": label_of("title"), "data-count": "255"}
        ),
        "summary": forms.Textarea(attrs={"rows": 2}),
        "image_url": upload("image"),
        "video_url": upload("video"),
        "file_url": upload("file"),
        "tags": forms.TextInput(attrs={"list": "known-tags", "autocomplete": "off"}),
    }
    found: dict[str, forms.Field] = {}
    for name in TEXTS:
        wire: Any = _SERIALIZER[name]
        found[name] = forms.CharField(
            label=label_of(name),
            required=name == "title",
            max_length=wire.max_length,
            strip=False,
            widget=widgets.get(name, forms.TextInput),
            validators=[partial(_check_address, written.values[name])] if name in _ADDRESSES else [],
            help_text=_("Separate tags by commas.") if name == "tags" else "",
            error_messages={"required": _("Enter a title.")},
        )
    editor = RichTextWidget(
        upload_url=reverse("admin:contents_content_upload", args=[site_id]),
        links_url=reverse("admin:contents_content_links", args=[site_id]),
        site_root=media_root_url(site_id),
        # For detecting and showing versions saved in the meantime.
        version_url=reverse("admin:contents_content_version", args=[content.pk]) if content else "",
        differences_url=_differences_url(written),
        draft_key=written.draft_key,
        version=written.version,
    )
    found[BODY] = forms.CharField(required=False, strip=False, label=label_of(BODY), widget=editor)
    return found


def _differences_url(written: Written) -> str:
    if written.content is None:
        return ""
    name = "draft" if written.shown and written.shown.version else "compare"
    return reverse(f"admin:contents_content_{name}", args=[written.content.pk])


def _check_address(stored: str, text: str) -> None:
    if text == stored:
        return
    try:
        _SERIALIZER["link_url"].read(text, "")  # type: ignore[attr-defined]
    except InvalidInput as error:
        raise ValidationError(_("An address must not begin with javascript: or data:.")) from error
