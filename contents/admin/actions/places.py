"""Acts that change where contents stand: channels, groups, tags, and the trash."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from cms_api.admin.acts import Changed, Told
from cms_api.lib.errors import ServiceError
from contents.admin.actions.forms import (
    AddGroupForm,
    AddTagsForm,
    RemoveGroupsForm,
    RemoveTagsForm,
    TargetChannelForm,
)
from contents.admin.actions.results import (
    ContentAct,
    brought_to,
    changed,
    of_any_version,
    take_back_arrivals,
)
from contents.models import Content
from contents.services import approval, single
from contents.services.copying import copy_contents
from contents.services.labels import GROUPS, TAGS, add_names, remove_names
from contents.services.moving import move_contents
from contents.services.trash import restore_contents


@dataclass(frozen=True)
class _Copied:
    """The sentence about copies, with the way to the one, or to the list of the channel that has several."""

    site_id: int
    channel_id: int

    def __call__(self, count: int, number: int) -> SafeString:
        told = COPY.done % {"count": count}
        if count == 1:  # then the sum of the numbers is that of the one
            address, words = reverse("admin:contents_content_change", args=[number]), gettext("Open the copy")
        else:
            place = {"site__id__exact": self.site_id, "channel__id__exact": self.channel_id}
            address = f"{reverse('admin:contents_content_changelist')}?{urlencode(place)}"
            words = gettext("Open the channel")
        return format_html('{} <a href="{}">{}</a>', told, address, words)


def _copy(request: HttpRequest, contents: Sequence[Content], *, channel: int) -> list[Told | ServiceError]:
    levels = approval.levels_of(content.site_id for content in contents)
    approving = {site_id for site_id, most in levels.items() if approval.may_finish(request.user, most)}
    user_name = request.user.get_username()
    made = copy_contents(of_any_version(contents), channel, user_name, approving=approving)
    return [
        one if isinstance(one, ServiceError) else Told(Changed(one, 1), _Copied(content.site_id, channel), (one,))
        for content, one in zip(contents, made, strict=True)
    ]


def _naming(change: Callable[..., list[Content | ServiceError | None]], member: str) -> Callable[..., Any]:
    """What gives the names of the act's form to the contents, or takes them away."""
    return lambda request, contents, *, names: changed(
        change(of_any_version(contents), member, names, request.user.get_username())
    )


MOVE = ContentAct(
    "move",
    _("Move"),
    ngettext_lazy(
        "Move %(count)d content item to which channel?", "Move %(count)d content items to which channel?", "count"
    ),
    ngettext_lazy("%(count)d content item was moved.", "%(count)d content items were moved.", "count"),
    lambda request, contents, *, channel: changed(
        move_contents(of_any_version(contents), channel, request.user.get_username())
    ),
    right="change",
    form=TargetChannelForm,
    is_quick=True,
)
COPY = ContentAct(
    "copy",
    _("Copy"),
    ngettext_lazy(
        "Copy %(count)d content item to which channel?", "Copy %(count)d content items to which channel?", "count"
    ),
    ngettext_lazy("%(count)d content item was copied.", "%(count)d content items were copied.", "count"),
    _copy,
    right="add",
    form=TargetChannelForm,
    take_back=take_back_arrivals,
    is_quick=True,
)
ADD_GROUP = ContentAct(
    "add-group",
    _("Put into a group"),
    ngettext_lazy(
        "Put %(count)d content item into which group?", "Put %(count)d content items into which group?", "count"
    ),
    ngettext_lazy(
        "%(count)d content item was put into the group.", "%(count)d content items were put into the group.", "count"
    ),
    _naming(add_names, GROUPS.member),
    right="change",
    form=AddGroupForm,
)
REMOVE_GROUP = ContentAct(
    "remove-group",
    _("Take out of groups"),
    ngettext_lazy(
        "Take %(count)d content item out of which groups?", "Take %(count)d content items out of which groups?", "count"
    ),
    ngettext_lazy(
        "%(count)d content item was taken out of the groups.",
        "%(count)d content items were taken out of the groups.",
        "count",
    ),
    _naming(remove_names, GROUPS.member),
    right="change",
    suits=lambda content: bool(content.group_name_collection),
    unsuited=_("in no group"),
    form=RemoveGroupsForm,
)
ADD_TAGS = ContentAct(
    "add-tags",
    _("Add tags"),
    ngettext_lazy("Add which tags to %(count)d content item?", "Add which tags to %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was tagged.", "%(count)d content items were tagged.", "count"),
    _naming(add_names, TAGS.member),
    right="change",
    form=AddTagsForm,
)
REMOVE_TAGS = ContentAct(
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
    form=RemoveTagsForm,
)
TRASH = ContentAct(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d content item to the trash?", "Move %(count)d content items to the trash?", "count"),
    ngettext_lazy(
        "%(count)d content item was moved to the trash.", "%(count)d content items were moved to the trash.", "count"
    ),
    lambda request, contents: changed(single.trash_contents(of_any_version(contents))),
    right="delete",
    take_back=lambda request, pairs: restore_contents(brought_to(pairs)),
    is_quick=True,
)
PLACE_ACTS = (MOVE, COPY, ADD_GROUP, REMOVE_GROUP, ADD_TAGS, REMOVE_TAGS, TRASH)
