"""Acts on the place of contents: channels, groups, tags, trash."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, ngettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.admin.actions.base import (
    ContentAction,
    ContentActionForm,
    brought_to,
    changed,
    of_any_version,
    take_back_arrivals,
)
from contents.admin.list.channels import ChannelPicker, offer_channels
from contents.dead_links import count_links
from contents.models import Content, ContentGroup
from contents.services import approval, single
from contents.services.labels import GROUPS, TAGS, Names, add_names, known_among, remove_names
from contents.services.moving import copy_contents, move_contents
from contents.services.trash import restore_contents
from contents.wire.name_list import MAX_NAME, split_names, typed_names
from core.admin.admin_actions import Changed, OtherOutcome
from core.admin.checkboxes import ManyCheckboxes
from core.admin.error_messages import tell
from core.admin.picker import MAX, Picker
from core.admin.places import places_of
from core.lib.errors import ServiceError


class TargetChannelForm(ContentActionForm):
    """Offers channels where the administrator has the permission."""

    channel = forms.TypedChoiceField(label=_("Channel"), coerce=int, widget=ChannelPicker)

    def __init__(self, permission: str, *arguments: Any) -> None:
        super().__init__(*arguments)
        sites = {record.site_id for record in self.records}
        offer_channels(self.fields["channel"], sites, places_of(self.request.user, permission))
        if len(sites) > 1:
            self.note = gettext("Content items of other sites than the channel's are skipped.")

    def clean_channel(self) -> int:
        channel: int = self.cleaned_data["channel"]
        widget: Any = self.fields["channel"].widget
        if channel in widget.closed:
            raise ValidationError(_("This channel does not accept content items."))
        return channel


class AddGroupForm(ContentActionForm):
    group = forms.ChoiceField(label=pgettext_lazy("of contents", "Group"), required=False, widget=Picker)
    new_group = forms.CharField(
        label=_("or a new group"),
        required=False,
        max_length=MAX_NAME,
        help_text=_("If the group exists, it is used."),
    )

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        sites = {record.site_id for record in self.records}
        rows = ContentGroup.objects.filter(site__in=sites).order_by("taxis", "group_name")
        names = dict.fromkeys(rows.values_list("group_name", flat=True)[:MAX])
        field: Any = self.fields["group"]
        field.choices = [("", "—"), *((name, name) for name in names)]

    def clean_new_group(self) -> str:
        # Commas separate names.
        text = str(self.cleaned_data["new_group"]).strip()
        names = _typed(GROUPS, self.records, text)
        name = names[0] if names else ""
        if len(names) > 1 or "," in text:
            raise ValidationError(_("The name of a group must not contain a comma."))
        if len(name) > MAX_NAME:
            raise ValidationError(_("A name can have at most %(count)d characters.") % {"count": MAX_NAME})
        return name

    def clean(self) -> dict[str, Any]:
        names = [name for each in ("group", "new_group") if (name := self.cleaned_data.pop(each, ""))]
        if not names and not self.errors:
            raise ValidationError(_("Choose a group, or enter a new one."))
        return {"names": names}


class AddTagsForm(ContentActionForm):
    names = forms.CharField(label=_("Tags"), max_length=1000, help_text=_("Separate several by commas."))

    def clean_names(self) -> list[str]:
        names = _typed(TAGS, self.records, self.cleaned_data["names"])
        if not names:
            raise ValidationError(_("Enter a tag."))
        if any(len(name) > MAX_NAME for name in names):
            raise ValidationError(_("A tag can have at most 255 characters."))
        return names


class RemoveNamesForm(ContentActionForm):
    names = forms.MultipleChoiceField(widget=ManyCheckboxes)

    def __init__(self, label: Promise, member: str, *arguments: Any) -> None:
        super().__init__(*arguments)
        present = [name for record in self.records for name in split_names(getattr(record, member))]
        field: Any = self.fields["names"]
        field.choices = [(name, name) for name in list(dict.fromkeys(present))[:MAX]]
        field.label = label


def _typed(names: Names, records: list[Content], text: str) -> list[str]:
    known = known_among(names, {record.site_id for record in records}, text)
    try:
        return typed_names(text, known)
    except ServiceError as refusal:
        raise ValidationError(tell(refusal)) from refusal


@dataclass(frozen=True)
class _Copied:
    """The message about copies, with a link to the only copy or to its channel."""

    site_id: int
    channel_id: int

    def __call__(self, count: int, number: int) -> SafeString:
        told = COPY.done % {"count": count}
        if count == 1:  # the sum of the ids is then the id
            address, words = reverse("admin:contents_content_change", args=[number]), gettext("Open the copy")
        else:
            place = {"site__id__exact": self.site_id, "channel__id__exact": self.channel_id}
            address = f"{reverse('admin:contents_content_changelist')}?{urlencode(place)}"
            words = gettext("Open the channel")
        return format_html('{} <a href="{}">{}</a>', told, address, words)


def _copy(request: HttpRequest, contents: Sequence[Content], *, channel: int) -> list[OtherOutcome | ServiceError]:
    target = Channel.objects.filter(pk=channel).first()
    is_approving = target is not None and approval.may_publish_in(target, request.user)
    user_name = request.user.get_username()
    made = copy_contents(of_any_version(contents), channel, user_name, is_approving=is_approving)
    return [
        one
        if isinstance(one, ServiceError)
        else OtherOutcome(Changed(one, 1), _Copied(content.site_id, channel), (one,))
        for content, one in zip(contents, made, strict=True)
    ]


def _move(request: HttpRequest, contents: Sequence[Content], *, channel: int) -> list[Changed | ServiceError | None]:
    target = Channel.objects.filter(pk=channel).first()
    rule = approval.rule_of_public(request.user, contents, target)
    return changed(move_contents(of_any_version(contents), channel, rule))


def _naming(change: Callable[..., list[Content | ServiceError | None]], member: str) -> Callable[..., Any]:
    return lambda request, contents, *, names: changed(
        change(
            of_any_version(contents),
            member,
            names,
            request.user.get_username(),
            approval.rule_of_public(request.user, contents),
        )
    )


MOVE = ContentAction(
    "move",
    _("Move"),
    ngettext_lazy(
        "Move %(count)d content item to which channel?", "Move %(count)d content items to which channel?", "count"
    ),
    ngettext_lazy("%(count)d content item was moved.", "%(count)d content items were moved.", "count"),
    _move,
    right="change",
    form=partial(TargetChannelForm, "contents.change_content"),
    is_quick=True,
)
COPY = ContentAction(
    "copy",
    _("Copy"),
    ngettext_lazy(
        "Copy %(count)d content item to which channel?", "Copy %(count)d content items to which channel?", "count"
    ),
    ngettext_lazy("%(count)d content item was copied.", "%(count)d content items were copied.", "count"),
    _copy,
    right="add",
    form=partial(TargetChannelForm, "contents.add_content"),
    take_back=take_back_arrivals,
    is_quick=True,
    creates=True,
)
ADD_GROUP = ContentAction(
    "add-group",
    _("Add to a group"),
    ngettext_lazy("Add %(count)d content item to which group?", "Add %(count)d content items to which group?", "count"),
    ngettext_lazy(
        "%(count)d content item was added to the group.", "%(count)d content items were added to the group.", "count"
    ),
    _naming(add_names, GROUPS.member),
    right="change",
    form=AddGroupForm,
)
REMOVE_GROUP = ContentAction(
    "remove-group",
    _("Remove from groups"),
    ngettext_lazy(
        "Remove %(count)d content item from which groups?", "Remove %(count)d content items from which groups?", "count"
    ),
    ngettext_lazy(
        "%(count)d content item was removed from the groups.",
        "%(count)d content items were removed from the groups.",
        "count",
    ),
    _naming(remove_names, GROUPS.member),
    right="change",
    suits=lambda content: bool(content.group_name_collection),
    unsuited=_("in no group"),
    form=partial(RemoveNamesForm, pgettext_lazy("of contents", "Groups"), GROUPS.member),
)
ADD_TAGS = ContentAction(
    "add-tags",
    _("Add tags"),
    ngettext_lazy("Add which tags to %(count)d content item?", "Add which tags to %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was tagged.", "%(count)d content items were tagged.", "count"),
    _naming(add_names, TAGS.member),
    right="change",
    form=AddTagsForm,
)
REMOVE_TAGS = ContentAction(
    "remove-tags",
    _("Remove tags"),
    ngettext_lazy(
        "Remove which tags from %(count)d content item?", "Remove which tags from %(count)d content items?", "count"
    ),
    ngettext_lazy(
        "Tags of %(count)d content item were removed.", "Tags of %(count)d content items were removed.", "count"
    ),
    _naming(remove_names, TAGS.member),
    right="change",
    suits=lambda content: bool(content.tags),
    unsuited=_("without tags"),
    form=partial(RemoveNamesForm, _("Tags"), TAGS.member),
)


def _tell_links(contents: list[Content]) -> str:
    if not (count := count_links(contents)):
        return ""
    told = ngettext(
        "%(count)d other text links to them; pages will show it without the link.",
        "%(count)d other texts link to them; pages will show them without these links.",
        count,
    )
    return told % {"count": count}


TRASH = ContentAction(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d content item to the trash?", "Move %(count)d content items to the trash?", "count"),
    ngettext_lazy(
        "%(count)d content item was moved to the trash.", "%(count)d content items were moved to the trash.", "count"
    ),
    lambda request, contents: changed(single.trash_contents(of_any_version(contents))),
    right="delete",
    consequence=_tell_links,
    take_back=lambda request, pairs: restore_contents(brought_to(pairs)),
    is_quick=True,
)
PLACE_ACTS = (MOVE, COPY, ADD_GROUP, REMOVE_GROUP, ADD_TAGS, REMOVE_TAGS, TRASH)
