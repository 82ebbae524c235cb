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
from django.utils.translation import pgettext_lazy

from channels_app import services
from channels_app.attributes import REGISTRY
from channels_app.models import Channel
from channels_app.moving import Step, move_channels
from channels_app.serializers import MAX_ID, ChannelSerializer
from cms_api.back_end.editor.widget import RichTextWidget, UploadWidget
from cms_api.back_end.numbers import read_number
from cms_api.back_end.refusals import tell
from cms_api.rest.attribute_form import form_fields, initial_values
from cms_api.rest.cleaning import clean_body
from cms_api.rest.errors import BadRequest, Refusal
from cms_api.rest.names import to_wire
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
# The home channel's address is that of the site.
NOT_OF_HOME = frozenset({"link_type", "link_url", "file_path"})
_WIRE = {to_wire(name): name for name in FIELDS}
_CUSTOM = "custom_"

_NO_RULE = _('A rule ends in a file extension, such as .html, and holds neither " < > nor ".." as a folder.')
_NO_PATH = _('A path holds neither " < > | nor ".." as a folder.')
_NO_ADDRESS = _("An address does not begin with javascript: or data:.")
_SENTENCES = {
    "channel_file_path_rule": _NO_RULE,
    "content_file_path_rule": _NO_RULE,
    "file_path": _NO_PATH,
    "image_url": _NO_ADDRESS,
    "link_url": _NO_ADDRESS,
}
HELP = {
    "index_name": _("A short name by which templates find the channel; no other channel of the site may have it."),
    "group_name_collection": _("Separate several by commas."),
    "image_url": _("Address of a picture; @/ stands for the folder of the site."),
    "link_type": _("Where the name of the channel leads on the website."),
    "link_url": _("Leads somewhere else than to the channel's own page; leave it empty for the own page."),
    "file_path": _("Path of the page in the site, such as /news/index.html; leave it empty to follow the rule."),
    "channel_file_path_rule": _(
        "Names the page of this channel and those of the channels below it, unless they have a rule of their own. "
        "Empty: the rule of the channel above."
    ),
    "content_file_path_rule": _(
        "Names the pages of contents, also in the channels below. Empty: the rule of the channel above."
    ),
    "keywords": _("For search engines; separate several by commas."),
    "description": _("For search engines: what the channel is about, in a sentence or two."),
    "channel_template_id": _("Number of the template; 0: the site's own."),
    "content_template_id": _("Number of the template; 0: the site's own."),
    "content_model_plugin_id": _("Name of the extension that contents of this channel belong to; mostly empty."),
    "content_related_plugin_ids": _("Names of further extensions, separated by commas; mostly empty."),
}
# How the orders and ways of transfer are called here; the values stay as they are.
LABELS = {
    "isChannelAddable": _("Channels may be added below"),
    "isContentAddable": _("Contents may be added"),
    "isChannelCreatable": _("The channel has a page"),
    "isContentCreatable": _("Its contents have pages"),
    "isCreateChannelIfContentChanged": _("Its page follows changes of contents"),
    "createChannelIDsIfContentChanged": _("Further pages that follow"),
    "contentAttributesOfDisplay": _("Further columns in lists"),
    "transType": _("Contents may go to"),
    "transSiteId": _("Number of that site"),
    "transChannelIds": _("Numbers of the channels"),
    "transChannelNames": _("Names of the channels"),
    "transIsAutomatic": _("As soon as they are approved"),
    "transDoneType": _("How they go there"),
    "isPreviewContents": _("Previews of contents"),
    "defaultTaxisType": _("Order of contents"),
}
CHOICES: dict[str, dict[Any, Any]] = {
    "defaultTaxisType": {
        "OrderById": pgettext_lazy("order of contents", "Number, smallest first"),
        "OrderByIdDesc": pgettext_lazy("order of contents", "Number, largest first"),
        "OrderByChannelId": pgettext_lazy("order of contents", "Number of the channel, smallest first"),
        "OrderByChannelIdDesc": pgettext_lazy("order of contents", "Number of the channel, largest first"),
        "OrderByAddDate": pgettext_lazy("order of contents", "Date, oldest first"),
        "OrderByAddDateDesc": pgettext_lazy("order of contents", "Date, newest first"),
        "OrderByLastEditDate": pgettext_lazy("order of contents", "Last edited, oldest first"),
        "OrderByLastEditDateDesc": pgettext_lazy("order of contents", "Last edited, newest first"),
        "OrderByTaxis": pgettext_lazy("order of contents", "As arranged, from the end"),
        "OrderByTaxisDesc": pgettext_lazy("order of contents", "As arranged"),
        "OrderByHits": pgettext_lazy("order of contents", "Most read"),
        "OrderByHitsByDay": pgettext_lazy("order of contents", "Most read today"),
        "OrderByHitsByWeek": pgettext_lazy("order of contents", "Most read this week"),
        "OrderByHitsByMonth": pgettext_lazy("order of contents", "Most read this month"),
        "OrderByRandom": pgettext_lazy("order of contents", "By chance"),
    },
    "transType": {
        0: pgettext_lazy("transfer", "Nowhere"),
        1: pgettext_lazy("transfer", "Within this site"),
        2: pgettext_lazy("transfer", "To a certain site"),
        3: pgettext_lazy("transfer", "To the site above"),
        4: pgettext_lazy("transfer", "To all sites above"),
        5: pgettext_lazy("transfer", "To every site"),
    },
    "transDoneType": {
        0: pgettext_lazy("transfer", "Copy"),
        1: pgettext_lazy("transfer", "Move"),
        2: pgettext_lazy("transfer", "Refer to the original's address"),
        3: pgettext_lazy("transfer", "Refer to the original's text"),
    },
}


class TextAreaField(forms.CharField):
    """A text of several lines, whose ends browsers send in their own way."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": 4}))
        super().__init__(required=False, strip=False, **options)

    def to_python(self, value: Any) -> str:
        """The text with plain ends of lines."""
        return str(super().to_python(value)).replace("\r\n", "\n")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether more than the ends of lines is other than before."""
        return bool(super().has_changed(self.to_python(initial), self.to_python(data)))


class NumberField(forms.IntegerField):
    """A number of something, 0 for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=0, max_value=MAX_ID, **options)

    def clean(self, value: Any) -> int:
        """The number."""
        return int(super().clean(value) or 0)


def custom_name(name: str) -> str:
    """The field for a custom member, whose own name may hold anything."""
    return f"{_CUSTOM}{name.encode().hex()}"


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
            field.label = LABELS.get(name) or capfirst(str(field.label))
            field.help_text = HELP.get(name) or field.help_text

    def clean(self) -> dict[str, Any]:
        """The values; texts that must look like something are looked at as the API does."""
        cleaned = super().clean() or self.cleaned_data
        for name, sentence in _SENTENCES.items():
            if name in self.changed_data and name in cleaned:
                self._read(name, cleaned, sentence)
        return cleaned

    def clean_content(self) -> str:
        """The text without what a page may not hold, if it was changed at all; what it lost is in `removed`."""
        text = str(self.cleaned_data["content"])
        if "content" not in self.changed_data:
            return text
        try:
            found = clean_body(text)
        except Refusal as refusal:
            raise ValidationError(tell(refusal)) from refusal
        self.removed = found.removed
        return found.text

    def _read(self, name: str, cleaned: dict[str, Any], sentence: Any) -> None:
        try:
            field: Any = ChannelSerializer.field_table()[name]
            cleaned[name] = field.read(cleaned[name], to_wire(name))
        except BadRequest:
            self.add_error(name, ValidationError(sentence))

    def _post_clean(self) -> None:
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.act()
        except Refusal as refusal:
            self._tell(refusal)

    def act(self) -> Channel:
        """The channel after what the form is for. Raises a Refusal."""
        if self.parent is not None:
            return self._add(self.parent)
        number = self.instance.pk
        services.update_channel(self.instance.site_id, number, ChannelSerializer.read(self._body()), seen=self._seen())
        return Channel.objects.get(pk=number)

    def _add(self, parent: Channel) -> Channel:
        number = services.add_channel(parent.site_id, parent.pk, ChannelSerializer.read(self._body()))
        if self.step is not None:
            move_channels(parent.site_id, [self.step._replace(channel_id=number, seen_parent_id=parent.pk)])
        return Channel.objects.get(pk=number)

    def _body(self) -> dict[str, Any]:
        """What has changed, by the names of the interface."""
        custom = {custom_name(name): name for name in REGISTRY.custom(self.instance.settings)}
        names = {name: wire for wire, name in _WIRE.items()} | custom
        return {names.get(name, name): self._value(name) for name in self.changed_data if name != "seen_version"}

    def _value(self, name: str) -> Any:
        value = self.cleaned_data[name]
        return value if value is not None else ""

    def _seen(self) -> int | None:
        """The version that was shown, or that the administrator chose to overwrite."""
        return read_number(self.data.get("overwrite")) or self.cleaned_data.get("seen_version") or 0

    def _tell(self, refusal: Refusal) -> None:
        member = str(refusal.members.get("member", ""))
        field = _WIRE.get(member, member)
        if refusal.code == "channel_changed_meanwhile":
            self.is_stale = True
            self.conflict = [(self[name], self.initial.get(name)) for name in self.changed_data if name in self.fields]
            self.conflict = [pair for pair in self.conflict if pair[0].name != "seen_version"]
        self.add_error(field if field in self.fields else None, tell(refusal))

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


def inputs_of(site_id: int, upload_url: str) -> dict[str, forms.Field]:
    """The fields whose inputs take files; without an address for uploads they take addresses alone."""
    shared: dict[str, Any] = {"upload_url": upload_url, "site_root": shown_root(site_id)}
    return {
        "content": TextAreaField(label=_("Text"), widget=RichTextWidget({"rows": 12}, **shared)),
        "image_url": forms.CharField(
            label=_("picture"), required=False, max_length=2000, widget=UploadWidget("image", **shared)
        ),
    }


def custom_texts(channel: Channel | None) -> list[str]:
    """The names of the channel's custom members that are texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return sorted(name for name, value in members.items() if isinstance(value, str))


def custom_others(channel: Channel | None) -> dict[str, Any]:
    """The channel's custom members that are no texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return {name: value for name, value in sorted(members.items()) if not isinstance(value, str)}
