"""Takes back what one act has changed of contents, as long as nobody has changed them since."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.models import Content, ContentChange
from contents.services.approval import levels_of, require_reach_back
from contents.services.decisions import note_decisions
from contents.storing.batches import LONG, with_texts
from contents.storing.history import read_before
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each

# Who has edited it last, and when: the taking back is an edit, too.
_EDITED = {"last_edit_user_name", "last_edit_date"}
# What the change that made the present version overwrote, by the content's number.
_Before = Mapping[int, Mapping[str, Any]]


@transaction.atomic
def take_back(seen: Sequence[Seen], user: Any) -> list[Content | ServiceError]:
    """Give the members that the changes to these versions overwrote the values that they had before.

    A content is refused that is not there or has been changed since, that would come back into a channel which is in
    the trash, or that would be approved or not by somebody whose rights do not reach so far now.
    """
    locked = Locked(seen)
    levels = levels_of(each.site_id for each in seen)
    for portion in with_texts(locked.contents, LONG):
        before = _read_before(portion)
        channels = _present_channels(portion, before)

        def require(content: Content, before: _Before = before, channels: set[int] = channels) -> None:
            _require_kept(content, before)
            _require_channel(content, before, channels)
            require_reach_back(content, before[content.pk], user, levels[content.site_id])

        _store([content for content, _none in locked.decide(require, portion)], before, user)
    return locked.results()


def _read_before(contents: Sequence[Content]) -> dict[int, dict[str, Any]]:
    numbers = [content.pk for content in contents]
    changes = ContentChange.objects.filter(content__in=numbers, version=F("content__version"))
    return {change.content_id: read_before(change) for change in changes.only("content_id", "before")}


def _present_channels(contents: Sequence[Content], before: _Before) -> set[int]:
    numbers = {_channel_before(content, before) for content in contents}
    return set(Channel.objects.present().filter(pk__in=numbers).values_list("pk", flat=True))


def _channel_before(content: Content, before: _Before) -> int:
    channel_id: int = before.get(content.pk, {}).get("channel_id", content.channel_id)
    return channel_id


def _require_kept(content: Content, before: _Before) -> None:
    if content.pk not in before:
        message = f"What content {content.pk} was before version {content.version} is not kept."
        raise InvalidInput("version_forgotten", message)


def _require_channel(content: Content, before: _Before, present: set[int]) -> None:
    channel_id = _channel_before(content, before)
    if channel_id not in present:
        raise InvalidInput("target_not_found", f"Channel {channel_id} is not there any more.")


def _store(contents: Sequence[Content], before: _Before, user: Any) -> None:
    were_checked = {content.pk: content.is_checked for content in contents}
    # Approval edits nothing, and neither does the taking back of one.
    for editor in (user.get_username(), None):
        some = [content for content in contents if bool(before[content.pk].keys() & _EDITED) == (editor is not None)]
        values = [
            (content, {name: value for name, value in before[content.pk].items() if name not in _EDITED})
            for content in some
        ]
        overwrite_each(values, ContentChange.Kind.REVERTED, editor=editor)
    note_decisions([content for content in contents if content.is_checked != were_checked[content.pk]])
