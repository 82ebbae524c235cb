"""Bring earlier values back, as one more change: undo one act on contents, or revert a content to a version."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, NotFound, ServiceError
from cms_api.rest.custom_members import differ
from cms_api.rest.preconditions import if_version
from contents.models import Content, ContentChange
from contents.services.approval import levels_of, require_reach_back
from contents.services.decisions import CHECK_MEMBERS, note_decisions
from contents.storing.batches import LONG, with_texts
from contents.storing.history import MEMBERS, Overwritten, note_change, read_before, version_of
from contents.storing.locking import Locked, Seen, lock_content
from contents.storing.overwrite import overwrite_each, store_body

# Who has edited it last, and when: the taking back is an edit, too.
_EDITED = {"last_edit_user_name", "last_edit_date"}
# What the change that made the present version overwrote, by the content's number.
_Before = Mapping[int, Mapping[str, Any]]
# What the content keeps: where it stands, whether it is approved, and who edited it last, which is whoever reverts it.
KEPT = frozenset(
    {"channel_id", "taxis", "is_checked", "checked_level", "last_edit_user_name", "last_edit_date"},
)
RESTORED = tuple(name for name in MEMBERS if name not in KEPT)


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


# ---- Reverting to a version


@transaction.atomic
def revert_content(site_id: int, content_id: int, version: int, seen_version: int, user_name: str) -> Content:
    """Give the content the members and the body that it had at the version; answers it as it is then.

    It stays in its channel and approved or not as it is now. Raises NotFound when the content or the version is not
    there any more, InvalidInput when somebody has changed it since `seen_version` or when nothing would change.
    """
    content = lock_content(site_id, content_id, if_version(seen_version))
    members, body = restored(content, version)
    _store_version(content, members, body, version, user_name)
    return content


def restored(content: Content, version: int) -> tuple[dict[str, Any], str]:
    """The members and the body that the content would be given. Raises NotFound for a version that is not kept."""
    try:
        members, body = version_of(content, version)
    except LookupError as error:
        message = f"Version {version} of content {content.pk} is not kept."
        raise NotFound("version_not_kept", message) from error
    found = {name: members[name] for name in RESTORED}
    return found | {"settings_xml": _with_approval(members["settings_xml"], content.settings_xml)}, body


def _with_approval(before: str, now: str) -> str:
    told = {name: value for name, value in orjson.loads(now).items() if _is_of_approval(name)}
    others = {name: value for name, value in orjson.loads(before).items() if not _is_of_approval(name)}
    merged = others | told
    # Entries in another order are no change.
    return orjson.dumps(merged).decode() if differ(merged, orjson.loads(now)) else now


def _is_of_approval(name: str) -> bool:
    return name.casefold() in CHECK_MEMBERS


def _store_version(content: Content, members: dict[str, Any], body: str, version: int, user_name: str) -> None:
    body_before = store_body(content, body)
    changes = {name: value for name, value in members.items() if getattr(content, name) != value}
    if not changes and body_before is None:
        raise InvalidInput("nothing_to_revert", f"Content {content.pk} is as it was at version {version}.")
    changes |= {"last_edit_user_name": user_name, "last_edit_date": clock.now()}
    before = Overwritten({name: getattr(content, name) for name in changes}, body_before)
    for name, value in changes.items():
        setattr(content, name, value)
    content.version += 1
    content.save(update_fields=[*changes, "version"])
    # The reasons of a change of this kind are the number of the version.
    note_change(content, before, ContentChange.Kind.REVERTED, reasons=str(version))
