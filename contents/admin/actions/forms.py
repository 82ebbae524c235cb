"""What has to be known for acts on contents: reasons, levels, channels, groups and tags."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cms_api.admin.checkboxes import ManyCheckboxes
from cms_api.admin.picker import MOST, Picker
from contents.admin.list.channel_picker import ChannelPicker, channel_choices, closed_channels, offered_channels
from contents.models import Content, ContentGroup
from contents.services import approval
from contents.services.labels import GROUPS, TAGS, Names, known_among
from contents.wire.name_list import MAX_NAME, split_names, typed_names


class ContentActForm(forms.Form):
    """A form of an act on contents; `note` is told above its fields."""

    def __init__(self, request: HttpRequest, records: list[Content], data: Any = None) -> None:
        super().__init__(data)
        self.request, self.records = request, records
        self.note = ""

    def read_names(self, names: Names, text: str) -> list[str]:
        return typed_names(text, known_among(names, {record.site_id for record in self.records}, text))


class ReasonsForm(ContentActForm):
    """Why something is decided; their author reads it."""

    reasons = forms.CharField(
        label=_("Reasons"),
        max_length=255,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Kept with the content and in its history, where its author reads them."),
    )


class RejectForm(ReasonsForm):
    """Reasons have to be given; contents beyond the rights of who decides are told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.fields["reasons"].required = True
        self.note = _tell_beyond(self.request, self.records)


class ApproveForm(ReasonsForm):
    """Up to which level, where a site has several and the administrator may choose."""

    level = forms.TypedChoiceField(label=_("Approve"), coerce=int, required=False, empty_value=None)
    field_order = ["level", "reasons"]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.note = " ".join(filter(None, [_tell_beyond(self.request, self.records), self._tell_passing()]))
        levels = max(approval.levels_of(record.site_id for record in self.records).values(), default=1)
        reach = min(approval.reach_of(self.request.user), levels)
        if levels == 1 or reach <= 1:
            del self.fields["level"]
            return
        field: Any = self.fields["level"]
        field.choices = [(n, _name_level(n, levels)) for n in range(reach, 0, -1)]

    def _tell_passing(self) -> str:
        """How many pass a level and are not approved for good; nothing where it is all or none of them."""
        reach = approval.reach_of(self.request.user)
        levels = approval.levels_of(record.site_id for record in self.records)
        passing = sum(levels.get(record.site_id, 1) > reach for record in self.records)
        if passing in {0, len(self.records)}:
            return ""
        told = ngettext(
            "%(count)d of them is approved up to level %(level)d only.",
            "%(count)d of them are approved up to level %(level)d only.",
            passing,
        )
        return told % {"count": passing, "level": reach}


def _name_level(level: int, levels: int) -> str:
    if level == levels:
        return gettext("finally")
    return gettext("up to level %(level)d of %(levels)d") % {"level": level, "levels": levels}


def _tell_beyond(request: HttpRequest, records: list[Content]) -> str:
    reach = approval.reach_of(request.user)
    levels = approval.levels_of(record.site_id for record in records)
    beyond = sum(not approval.may_decide(record, reach, levels.get(record.site_id, 1)) for record in records)
    if not beyond:
        return ""
    told = ngettext(
        "%(count)d is beyond your level of approval and stays as it is.",
        "%(count)d are beyond your level of approval and stay as they are.",
        beyond,
    )
    return told % {"count": beyond}


class TargetChannelForm(ContentActForm):
    """The channel to which contents are moved or copied: one of their own site."""

    channel = forms.TypedChoiceField(label=_("Channel"), coerce=int, widget=ChannelPicker)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        sites = {record.site_id for record in self.records}
        field: Any = self.fields["channel"]
        channels = offered_channels(sites)
        field.widget.closed = closed_channels(channels)
        field.choices = channel_choices(channels)
        if len(sites) > 1:
            self.note = gettext("Contents stay in their site: those of another site than the channel's are left out.")

    def clean_channel(self) -> int:
        """The number of the channel. Raises ValidationError where it takes no contents."""
        channel: int = self.cleaned_data["channel"]
        widget: Any = self.fields["channel"].widget
        if channel in widget.closed:
            raise ValidationError(_("This channel takes no contents."))
        return channel


class AddGroupForm(ContentActForm):
    """A group of the site, or a new one."""

    group = forms.ChoiceField(label=_("Group"), required=False, widget=Picker)
    new_group = forms.CharField(
        label=_("or a new group"),
        required=False,
        max_length=MAX_NAME,
        help_text=_("The name of one that is there means that one."),
    )

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        sites = {record.site_id for record in self.records}
        rows = ContentGroup.objects.filter(site__in=sites).order_by("taxis", "group_name")
        names = dict.fromkeys(rows.values_list("group_name", flat=True)[:MOST])
        field: Any = self.fields["group"]
        field.choices = [("", "—"), *((name, name) for name in names)]

    def clean_new_group(self) -> str:
        """The name. Raises ValidationError for a comma, which stands between names."""
        name = str(self.cleaned_data["new_group"]).strip()
        if name and self.read_names(GROUPS, name) != [name]:
            raise ValidationError(_("The name of a group holds no comma."))
        return name

    def clean(self) -> dict[str, Any]:
        names = [name for each in ("group", "new_group") if (name := self.cleaned_data.pop(each, ""))]
        if not names and not self.errors:
            raise ValidationError(_("Choose a group, or name a new one."))
        return {"names": names}


class AddTagsForm(ContentActForm):
    """Tags, with commas between them."""

    names = forms.CharField(label=_("Tags"), max_length=1000, help_text=_("Several are parted by commas."))

    def clean_names(self) -> list[str]:
        """The tags. Raises ValidationError where there are none, or one is too long."""
        names = self.read_names(TAGS, self.cleaned_data["names"])
        if not names:
            raise ValidationError(_("Name a tag."))
        if any(len(name) > MAX_NAME for name in names):
            raise ValidationError(_("A tag has at most 255 characters."))
        return names


class _RemoveForm(ContentActForm):
    """Names that the contents have, to choose from."""

    member: str
    names = forms.MultipleChoiceField(widget=ManyCheckboxes)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        present = [name for record in self.records for name in split_names(getattr(record, self.member))]
        field: Any = self.fields["names"]
        field.choices = [(name, name) for name in list(dict.fromkeys(present))[:MOST]]
        field.label = _("Groups") if self.member == GROUPS.member else _("Tags")


class RemoveGroupsForm(_RemoveForm):
    """Groups out of which contents are taken."""

    member = GROUPS.member


class RemoveTagsForm(_RemoveForm):
    """Tags that are taken away."""

    member = TAGS.member
