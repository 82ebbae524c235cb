"""The form calls its service in `_post_clean`, to show refusals beside the field; saving does nothing more."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from channels_app import services
from channels_app.admin.form_words import CHOICES, HELP, SENTENCES
from channels_app.attributes import CHANNELS, CONTENTS, PAGES, REGISTRY, TRANSFER
from channels_app.models import Channel
from channels_app.moving import Step, move_channels
from channels_app.serializers import MAX_ID, ChannelSerializer
from core.admin.attribute_form import form_fields, initial_values
from core.admin.changed_fields_form import KeepingForm
from core.admin.editor.widget import RichTextWidget, UploadWidget
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.lib.errors import InvalidInput, ServiceError
from core.lib.markup import clean_body, clean_line, clean_lines, clean_name
from core.rest.names import to_wire
from core.rest.preconditions import if_version
from media_library.uploads import media_root_url
from sites.admin.address_change import AddressChange, digest
from sites.page_rule_checks import channel_rule_problem, content_rule_problem

_TEMPLATES_AND_EXTENSIONS = (
    "channel_template_id",
    "content_template_id",
    "content_model_plugin_id",
    "content_related_plugin_ids",
)
FIELDS = (
    "channel_name",
    "index_name",
    "group_name_collection",
    "image_url",
    "content",
    "link_type",
    "link_url",
    "file_path",
    "channel_file_path_rule",
    "content_file_path_rule",
    "keywords",
    "description",
    *_TEMPLATES_AND_EXTENSIONS,
)
RULE_PROBLEMS = {"channel_file_path_rule": channel_rule_problem, "content_file_path_rule": content_rule_problem}
# The home channel has the address of the site.
_NOT_OF_HOME = {"link_type", "link_url", "file_path"}
_WIRE = {to_wire(name): name for name in FIELDS}


class TextAreaField(forms.CharField):
    """A text of several lines, with browsers' line ends normalized."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": 4}))
        super().__init__(required=False, strip=False, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class NumberField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=0, max_value=MAX_ID, **options)

    def clean(self, value: Any) -> int:
        return int(super().clean(value) or 0)


def custom_name(name: str) -> str:
    # The member's name may contain any character.
    return f"custom_{name.encode().hex()}"


def custom_texts(channel: Channel | None) -> list[str]:
    members = REGISTRY.custom(channel.settings) if channel else {}
    return sorted(name for name, value in members.items() if isinstance(value, str))


def custom_others(channel: Channel | None) -> dict[str, Any]:
    members = REGISTRY.custom(channel.settings) if channel else {}
    return {name: value for name, value in sorted(members.items()) if not isinstance(value, str)}


# Fields that may change the addresses of pages.
_MOVING = (*RULE_PROBLEMS, "file_path")


class SettingsFields(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    parent: Channel | None = None  # of a new channel, set by the page
    step: Step | None = None  # the place of a new channel
    # Compares the channel with typed values; set by an app above.
    find_address_change: Callable[[Channel, dict[str, str]], AddressChange | None]

    class Meta:
        model = Channel
        fields = FIELDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        stored = self.instance.settings
        own = {custom_name(name): value for name, value in REGISTRY.custom(stored).items()}
        self.initial = initial_values(REGISTRY, stored) | own | dict(self.initial)
        self.removed: Sequence[str] = ()  # removed from the text by cleaning
        self.is_stale = False  # the channel has changed since it was shown
        self.address_change: AddressChange | None = None
        self.confirmation = ""  # the value of `confirmed` that accepts it
        self.conflict: list[tuple[Any, Any]] = []  # fields whose stored value has changed, with that value
        for name, names in CHOICES.items():
            if name in self.fields:
                cast(forms.ChoiceField, self.fields[name]).choices = list(names.items())
        for name, field in self.fields.items():
            member = REGISTRY.by_name.get(name)
            field.label = _(member.label) if member else capfirst(str(field.label))
            field.help_text = HELP.get(name) or field.help_text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in SENTENCES.items():
            if name in self.changed_data and name in cleaned:
                field: Any = ChannelSerializer.field_table()[name]
                try:
                    cleaned[name] = field.read(cleaned[name], to_wire(name))
                except InvalidInput:
                    self.add_error(name, ValidationError(sentence))
        for name in self.changed_data:
            text = cleaned.get(name)
            if name != "content" and isinstance(text, str) and text:
                clean = clean_lines if name.startswith(custom_name("")) else clean_line
                try:
                    if name == "channel_name":
                        clean_name(text)
                    found = clean(text)
                    cleaned[name], self.removed = found.text, [*dict.fromkeys([*self.removed, *found.removed])]
                except ServiceError as refusal:
                    self.add_error(name, ValidationError(tell(refusal)))
        # Rules that would give several pages one address; a channel with none below it has only one page.
        is_single = self.parent is not None or not self.instance.children_count
        site = (self.parent or self.instance).site
        for name, find_problem in RULE_PROBLEMS.items():
            is_new = name in self.changed_data and cleaned.get(name) and name not in self.errors
            if is_new and (problem := find_problem(site, cleaned[name], is_single=is_single)):
                self.add_error(name, problem)
        return cleaned

    def clean_content(self) -> str:
        """Clean the text if it was changed, and list the removed parts in `removed`."""
        text = str(self.cleaned_data["content"])
        if "content" not in self.changed_data:
            return text
        try:
            found = clean_body(text)
        except ServiceError as refusal:
            raise ValidationError(tell(refusal)) from refusal
        self.removed = found.removed
        return found.text

    def _post_clean(self) -> None:
        if not self.errors and self.parent is None:
            self._ask_for_confirmation()
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self._act()
        except ServiceError as refusal:
            if refusal.code == "changed_meanwhile":
                self.is_stale = True
                changed = [name for name in self.changed_data if name in self.fields and name != "seen_version"]
                self.conflict = [(self[name], self.initial.get(name)) for name in changed]
            member = str(refusal.members.get("member", ""))
            names = (_WIRE.get(member, member), custom_name(member))
            self.add_error(next((name for name in names if name in self.fields), None), tell(refusal))

    def _ask_for_confirmation(self) -> None:
        """Refuse new addresses of pages until `confirmed` names the values that were shown."""
        channel, typed = self.instance, {name: self.cleaned_data[name] for name in _MOVING if name in self.changed_data}
        self.confirmation = digest([channel.pk, {name: (getattr(channel, name), typed[name]) for name in typed}])
        is_shown = self.data.get("confirmed") == self.confirmation
        if not typed or is_shown or self._seen_version() != channel.version:  # a conflict comes first
            return
        self.address_change = self.find_address_change(channel, typed)
        if self.address_change:
            self.add_error(None, ValidationError(self.address_change.sentence, code="addresses_change"))

    @property
    def moving(self) -> str:
        """Return the id of the first edited field that may change addresses."""
        return next((str(self[name].id_for_label) for name in _MOVING if name in self.changed_data), "")

    def _seen_version(self) -> int:
        """Return the version shown, or the one that the administrator chose to overwrite."""
        return read_number(self.data.get("overwrite")) or self.cleaned_data.get("seen_version") or 0

    def _act(self) -> Channel:
        # The changed values by wire name.
        custom = {custom_name(name): name for name in REGISTRY.custom(self.instance.settings)}
        names = {name: wire for wire, name in _WIRE.items()} | custom
        values = {name: self.cleaned_data[name] for name in self.changed_data if name != "seen_version"}
        body = {names.get(name, name): "" if value is None else value for name, value in values.items()}
        members = ChannelSerializer.read(body)
        parent = self.parent
        if parent is None:
            version = if_version(self._seen_version())
            return services.update_channel(self.instance.site_id, self.instance.pk, members, version)
        channel = services.add_channel(parent.site_id, parent.pk, members)
        if self.step is not None:
            move_channels(parent.site_id, [self.step._replace(channel_id=channel.pk, seen_parent_id=parent.pk)])
            channel.refresh_from_db()
        return channel

    def validate_unique(self) -> None:
        """Do nothing; the service validates."""

    def _save_m2m(self) -> None:
        """Do nothing; the service has stored everything."""


# Declared, not added to each form, so that the page may name the fields.
ChannelForm = type(
    "ChannelForm",
    (SettingsFields,),
    {
        **form_fields(REGISTRY),
        "seen_version": forms.IntegerField(
            label="", required=False, min_value=0, max_value=MAX_ID, widget=forms.HiddenInput
        ),
        "description": TextAreaField(label=_("description")),
        "channel_template_id": NumberField(label=_("template of the channel")),
        "content_template_id": NumberField(label=_("template of its contents")),
    },
)


def form_of(channel: Channel | None, site_id: int, upload_url: str, links_url: str, **members: Any) -> type[Any]:
    """Return the form with fields for custom texts; without `upload_url` no field takes files."""
    shared: dict[str, Any] = {"upload_url": upload_url, "site_root": media_root_url(site_id)}
    picture = UploadWidget("image", **shared)
    fields = {
        "content": TextAreaField(label=_("Text"), widget=RichTextWidget({"rows": 12}, links_url=links_url, **shared)),
        "image_url": forms.CharField(label=_("picture"), required=False, max_length=2000, widget=picture),
        **{custom_name(name): TextAreaField(label=name) for name in custom_texts(channel)},
    }
    return type("FormOfChannel", (ChannelForm,), {**fields, **members})


def fieldsets_of(channel: Channel | None) -> list[Any]:
    members: dict[str, list[str]] = {}
    for attribute in REGISTRY:
        members.setdefault(attribute.group, []).append(attribute.name)
    shut = {"classes": ["collapse"]}
    found: list[Any] = [
        (None, {"fields": ["channel_name", "index_name", "way", "group_name_collection", "image_url"]}),
        (_("Text"), {"fields": ["content"]}),
        (_("Link and pages"), {"fields": ["link_type", "link_url", "file_path", *RULE_PROBLEMS]}),
        (_("For search engines"), {"fields": ["keywords", "description"], **shut}),
        (_("Content items and channels below"), {"fields": [*members[CHANNELS], *members[CONTENTS]], **shut}),
        (_("Transfer of content items"), {"fields": members[TRANSFER], **shut}),
        (_("Stored for programs that generate pages"), {"fields": members[PAGES], **shut}),
        (_("Templates and extensions"), {"fields": _TEMPLATES_AND_EXTENSIONS, **shut}),
    ]
    custom = [custom_name(name) for name in custom_texts(channel)]
    custom += ["other_members"] if custom_others(channel) else []
    found += [(_("Custom fields"), {"fields": custom, **shut})] if custom else []
    # The page shows the place of a new channel above its form.
    hidden = {"way"} if channel is None else _NOT_OF_HOME if channel.parent_id is None else set()
    found[0][1]["fields"].append("seen_version")
    return [
        (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
        for title, options in found
    ]
