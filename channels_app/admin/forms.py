"""The form of a channel: all its fields, the members of its settings, and custom ones that are texts.

Services check as they write. So that what they refuse stands beside the field, the form acts while it is being checked,
inside the page's transaction, once nothing else is wrong with it; saving it does nothing more.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from channels_app import services
from channels_app.admin.form_words import CHOICES, HELP, SENTENCES
from channels_app.attributes import REGISTRY
from channels_app.models import Channel
from channels_app.moving import Step, move_channels
from channels_app.serializers import MAX_ID, ChannelSerializer
from cms_api.admin.attribute_form import form_fields, initial_values
from cms_api.admin.editor.widget import RichTextWidget, UploadWidget
from cms_api.admin.numbers import read_number
from cms_api.admin.refusals import tell
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.cleaning import clean_body
from cms_api.rest.names import to_wire
from cms_api.rest.preconditions import if_version
from sites.page_rule_checks import channel_rule_problem, content_rule_problem
from sites.uploads import shown_root

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
    "channel_template_id",
    "content_template_id",
    "content_model_plugin_id",
    "content_related_plugin_ids",
)
RULE_PROBLEMS = {"channel_file_path_rule": channel_rule_problem, "content_file_path_rule": content_rule_problem}
# The home channel's address is that of the site.
NOT_OF_HOME = frozenset({"link_type", "link_url", "file_path"})
_WIRE = {to_wire(name): name for name in FIELDS}


class TextAreaField(forms.CharField):
    """A text of several lines, whose ends browsers send in their own way."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": 4}))
        super().__init__(required=False, strip=False, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(super().has_changed(self.to_python(initial), self.to_python(data)))


class NumberField(forms.IntegerField):
    """A number of something, 0 for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=0, max_value=MAX_ID, **options)

    def clean(self, value: Any) -> int:
        return int(super().clean(value) or 0)


def inputs_of(site_id: int, upload_url: str) -> dict[str, forms.Field]:
    """The fields whose inputs take files; without an address for uploads they take addresses alone."""
    shared: dict[str, Any] = {"upload_url": upload_url, "site_root": shown_root(site_id)}
    return {
        "content": TextAreaField(label=_("Text"), widget=RichTextWidget({"rows": 12}, **shared)),
        "image_url": forms.CharField(
            label=_("picture"), required=False, max_length=2000, widget=UploadWidget("image", **shared)
        ),
    }


def custom_name(name: str) -> str:
    """The field for a custom member, whose own name may hold anything."""
    return f"custom_{name.encode().hex()}"


def custom_texts(channel: Channel | None) -> list[str]:
    """The names of the channel's custom members that are texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return sorted(name for name, value in members.items() if isinstance(value, str))


def custom_others(channel: Channel | None) -> dict[str, Any]:
    """The channel's custom members that are no texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return {name: value for name, value in sorted(members.items()) if not isinstance(value, str)}


class SettingsFields(forms.ModelForm):  # type: ignore[type-arg]
    """A channel with a field for each member of its settings."""

    parent: Channel | None = None  # of a new channel, set by the page
    step: Step | None = None  # where a new channel goes

    class Meta:
        model = Channel
        fields = FIELDS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        stored = self.instance.settings
        own = {custom_name(name): value for name, value in REGISTRY.custom(stored).items()}
        self.initial = initial_values(REGISTRY, stored) | own | dict(self.initial)
        self.removed: Sequence[str] = ()  # what cleaning took out of the text
        self.is_stale = False  # somebody else has changed the channel since it was shown
        self.conflict: list[tuple[Any, Any]] = []  # fields whose stored value is another one, with that value
        for name, names in CHOICES.items():
            if name in self.fields:
                cast(forms.ChoiceField, self.fields[name]).choices = list(names.items())
        for name, field in self.fields.items():
            member = REGISTRY.by_name.get(name)
            field.label = _(member.label) if member else capfirst(str(field.label))
            field.help_text = HELP.get(name) or field.help_text

    def clean(self) -> dict[str, Any]:
        """The values; texts that must look like something are looked at as the API does."""
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in SENTENCES.items():
            if name in self.changed_data and name in cleaned:
                field: Any = ChannelSerializer.field_table()[name]
                try:
                    cleaned[name] = field.read(cleaned[name], to_wire(name))
                except InvalidInput:
                    self.add_error(name, ValidationError(sentence))
        self._look_at_rules(cleaned)
        return cleaned

    def clean_content(self) -> str:
        """The text without what a page may not hold, if it was changed at all; what it lost is in `removed`."""
        text = str(self.cleaned_data["content"])
        if "content" not in self.changed_data:
            return text
        try:
            found = clean_body(text)
        except ServiceError as refusal:
            raise ValidationError(tell(refusal)) from refusal
        self.removed = found.removed
        return found.text

    def _look_at_rules(self, cleaned: dict[str, Any]) -> None:
        """Refuse rules that would give several pages one address; a channel without others below has but one page."""
        is_single = self.parent is not None or not self.instance.children_count
        site = (self.parent or self.instance).site
        for name, find_problem in RULE_PROBLEMS.items():
            is_new = name in self.changed_data and cleaned.get(name) and name not in self.errors
            if is_new and (problem := find_problem(site, cleaned[name], is_single=is_single)):
                self.add_error(name, problem)

    def _post_clean(self) -> None:
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.act()
        except ServiceError as refusal:
            self._tell(refusal)

    def act(self) -> Channel:
        """The channel after what the form is for. Raises a ServiceError."""
        # What has changed, by the names of the interface.
        custom = {custom_name(name): name for name in REGISTRY.custom(self.instance.settings)}
        names = {name: wire for wire, name in _WIRE.items()} | custom
        values = {name: self.cleaned_data[name] for name in self.changed_data if name != "seen_version"}
        body = {names.get(name, name): "" if value is None else value for name, value in values.items()}
        members = ChannelSerializer.read(body)
        parent = self.parent
        if parent is None:
            # The version that was shown, or that the administrator chose to overwrite.
            seen = read_number(self.data.get("overwrite")) or self.cleaned_data.get("seen_version") or 0
            return services.update_channel(self.instance.site_id, self.instance.pk, members, if_version(seen))
        channel = services.add_channel(parent.site_id, parent.pk, members)
        if self.step is not None:
            move_channels(parent.site_id, [self.step._replace(channel_id=channel.pk, seen_parent_id=parent.pk)])
            channel.refresh_from_db()
        return channel

    def _tell(self, refusal: ServiceError) -> None:
        member = str(refusal.members.get("member", ""))
        field = next((name for name in (_WIRE.get(member, member), custom_name(member)) if name in self.fields), None)
        if refusal.code == "changed_meanwhile":
            self.is_stale = True
            self.conflict = [(self[name], self.initial.get(name)) for name in self.changed_data if name in self.fields]
            self.conflict = [pair for pair in self.conflict if pair[0].name != "seen_version"]
        self.add_error(field, tell(refusal))

    def validate_unique(self) -> None:
        """Nothing: the service does."""

    def _save_m2m(self) -> None:
        """Nothing: the service has."""


# The fields are declared and not added to each form, so that the page may name them.
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


def form_of(names: Iterable[str], make_field: Callable[[str], forms.Field], **members: Any) -> type[Any]:
    """The form with fields for the custom members of these names."""
    custom = {custom_name(name): make_field(name) for name in names}
    return type("FormOfChannel", (ChannelForm,), {**custom, **members})
