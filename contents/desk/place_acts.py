"""Acts that change where contents stand: channels, groups, tags, and the trash."""

from functools import partial

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from cms_api.back_end.acts import Act, Changed
from contents import approval, services, undoing
from contents.belonging import add_names, remove_names
from contents.copying import copy_content
from contents.desk.act_forms import AddGroupForm, AddTagsForm, ChannelForm, RemoveGroupsForm, RemoveTagsForm
from contents.desk.flag_acts import changed, take_back_change
from contents.models import Content
from contents.moving import move_content
from contents.overwriting import lock_contents
from contents.site_names import GROUPS, TAGS


def _move(request: HttpRequest, content: Content, *, channel: int) -> Changed:
    return changed(move_content(content.site_id, content.pk, channel, request.user.get_username()))


def _copy(request: HttpRequest, content: Content, *, channel: int) -> Changed:
    levels = approval.levels_of([content.site_id])[content.site_id]
    may_approve = approval.may_finish(request.user, levels)
    user_name = request.user.get_username()
    number = copy_content(content.site_id, content.pk, channel, user_name, may_approve=may_approve)
    return Changed(number, 1)


def _take_back_copy(request: HttpRequest, content: Content, version: int) -> None:
    undoing.take_back_copy(content.site_id, content.pk, version)


def _trash(request: HttpRequest, content: Content) -> Changed:
    services.trash_content(content.site_id, content.channel_id, content.pk)
    return Changed(content.pk, Content.objects.values_list("version", flat=True).get(pk=content.pk))


def _restore(request: HttpRequest, content: Content, version: int) -> None:
    undoing.take_back_deletion(content.site_id, content.pk, version)


def _add(member: str, request: HttpRequest, content: Content, *, names: list[str]) -> Changed | None:
    return _changed_if(content, add_names(content.site_id, content.pk, member, names, request.user.get_username()))


def _remove(member: str, request: HttpRequest, content: Content, *, names: list[str]) -> Changed | None:
    return _changed_if(content, remove_names(content.site_id, content.pk, member, names, request.user.get_username()))


def _changed_if(before: Content, after: Content) -> Changed | None:
    # What was so already is done, and there is nothing to take back.
    return changed(after) if after.version != before.version else None


MOVE = Act(
    "move",
    _("Move"),
    ngettext_lazy("Move %(count)d content to which channel?", "Move %(count)d contents to which channel?", "count"),
    ngettext_lazy("%(count)d content was moved.", "%(count)d contents were moved.", "count"),
    _move,
    right="change",
    form=ChannelForm,
    lock=lock_contents,
    take_back=take_back_change,
    is_quick=True,
)
COPY = Act(
    "copy",
    _("Copy"),
    ngettext_lazy("Copy %(count)d content to which channel?", "Copy %(count)d contents to which channel?", "count"),
    ngettext_lazy("%(count)d content was copied.", "%(count)d contents were copied.", "count"),
    _copy,
    right="add",
    form=ChannelForm,
    lock=lock_contents,
    take_back=_take_back_copy,
    is_quick=True,
)
ADD_GROUP = Act(
    "add-group",
    _("Put into a group"),
    ngettext_lazy("Put %(count)d content into which group?", "Put %(count)d contents into which group?", "count"),
    ngettext_lazy("%(count)d content was put into the group.", "%(count)d contents were put into the group.", "count"),
    partial(_add, GROUPS.member),
    right="change",
    form=AddGroupForm,
    lock=lock_contents,
    take_back=take_back_change,
)
REMOVE_GROUP = Act(
    "remove-group",
    _("Take out of groups"),
    ngettext_lazy(
        "Take %(count)d content out of which groups?", "Take %(count)d contents out of which groups?", "count"
    ),
    ngettext_lazy(
        "%(count)d content was taken out of the groups.", "%(count)d contents were taken out of the groups.", "count"
    ),
    partial(_remove, GROUPS.member),
    right="change",
    suits=lambda content: bool(content.group_name_collection),
    unsuited=_("in no group"),
    form=RemoveGroupsForm,
    lock=lock_contents,
    take_back=take_back_change,
)
ADD_TAGS = Act(
    "add-tags",
    _("Add tags"),
    ngettext_lazy("Add which tags to %(count)d content?", "Add which tags to %(count)d contents?", "count"),
    ngettext_lazy("%(count)d content was tagged.", "%(count)d contents were tagged.", "count"),
    partial(_add, TAGS.member),
    right="change",
    form=AddTagsForm,
    lock=lock_contents,
    take_back=take_back_change,
)
REMOVE_TAGS = Act(
    "remove-tags",
    _("Remove tags"),
    ngettext_lazy("Remove which tags from %(count)d content?", "Remove which tags from %(count)d contents?", "count"),
    ngettext_lazy("Tags of %(count)d content were removed.", "Tags of %(count)d contents were removed.", "count"),
    partial(_remove, TAGS.member),
    right="change",
    suits=lambda content: bool(content.tags),
    unsuited=_("without tags"),
    form=RemoveTagsForm,
    lock=lock_contents,
    take_back=take_back_change,
)
TRASH = Act(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d content to the trash?", "Move %(count)d contents to the trash?", "count"),
    ngettext_lazy("%(count)d content was moved to the trash.", "%(count)d contents were moved to the trash.", "count"),
    _trash,
    right="delete",
    lock=lock_contents,
    take_back=_restore,
    is_quick=True,
)
PLACE_ACTS = (MOVE, COPY, ADD_GROUP, REMOVE_GROUP, ADD_TAGS, REMOVE_TAGS, TRASH)
