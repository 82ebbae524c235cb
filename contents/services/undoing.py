from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction
from django.db.models import F

from channels_app.models import Channel
from contents.models import Content, ContentChange
from contents.services.approval import Reach, levels_of, reach_of, require_reach_back
from contents.services.decisions import CHECK_MEMBERS, record_decisions
from contents.storing.batches import LONG, with_texts
from contents.storing.history import MEMBERS, read_before, store_changes, take_over, version_of
from contents.storing.locking import Locked, Seen, lock_content
from contents.storing.overwrite import overwrite_each, store_body
from core.admin.places import places_of
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound, ServiceError
from core.rest.custom_members import differ
from core.rest.preconditions import if_version

# Members that a revert does not change: place, approval, last editor.
KEPT = frozenset(
    {"channel_id", "taxis", "is_checked", "checked_level", "last_edit_user_name", "last_edit_date"},
)
RESTORED = tuple(name for name in MEMBERS if name not in KEPT)


@transaction.atomic
def take_back(seen: Sequence[Seen], user: Any) -> list[Content | ServiceError]:
    """Undo the changes that made these versions.

    Refuses contents that are missing or changed since, whose former channel is in the trash, or whose approval state
    the administrator may no longer restore.
    """
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)
    for portion in with_texts(locked.contents, LONG):
        _take_back(locked, portion, levels, reach, user)
    return locked.results()


def _take_back(locked: Locked, contents: Sequence[Content], levels: Mapping[int, int], reach: Reach, user: Any) -> None:
    numbers = [content.pk for content in contents]
    changes = ContentChange.objects.filter(content__in=numbers, version=F("content__version"))
    undone = {change.content_id: change for change in changes.only("content_id", "before", "kind")}
    before = {number: read_before(change) for number, change in undone.items()}
    homes = {content.pk: before.get(content.pk, {}).get("channel_id", content.channel_id) for content in contents}
    present = set(Channel.objects.live().filter(pk__in=set(homes.values())).values_list("pk", flat=True))
    moved = {homes[content.pk] for content in contents if homes[content.pk] != content.channel_id}
    rows = places_of(user, "contents.change_content").narrow(Channel.objects.filter(pk__in=moved), "site", "")
    within = set(rows.values_list("pk", flat=True))  # no statement without moves

    def require(content: Content) -> None:
        if content.pk not in before:
            message = f"The state of content {content.pk} before version {content.version} is no longer stored."
            raise InvalidInput("version_forgotten", message)
        if (channel_id := homes[content.pk]) not in present:
            raise InvalidInput("target_not_found", f"Channel {channel_id} no longer exists.")
        if channel_id != content.channel_id and channel_id not in within:
            raise InvalidInput("right_gone", "You no longer have the right to do this.")
        require_reach_back(content, before[content.pk], reach, levels[content.site_id])

    decided = [content for content, _none in locked.decide(require, contents)]
    were_checked = {content.pk: content.is_checked for content in decided}
    # The last editor is restored, too; the reasons name the undone action.
    for kind in sorted({undone[content.pk].kind for content in decided}):
        values = [(content, before[content.pk]) for content in decided if undone[content.pk].kind == kind]
        overwrite_each(values, ContentChange.Kind.REVERTED, reasons=kind)
    record_decisions([content for content in decided if content.is_checked != were_checked[content.pk]])


# ---- reverting to a version


@transaction.atomic
def revert_content(
    site_id: int,
    content_id: int,
    version: int,
    seen_version: int,
    user_name: str,
    rule: Callable[[Content], None] | None = None,
) -> Content:
    """Restore the members and body of the version; place and approval stay. Returns the changed content.

    Raises NotFound for a missing content or version, InvalidInput if it has changed since `seen_version`, would not
    change, or is refused by the rule.
    """
    content = lock_content(site_id, content_id, if_version(seen_version))
    if rule is not None:
        rule(content)
    members, body = restored(content, version)
    body_before = store_body(content, body)
    changes = {name: value for name, value in members.items() if getattr(content, name) != value}
    if not changes and body_before is None:
        raise InvalidInput("nothing_to_revert", f"Content {content.pk} is already the same as version {version}.")
    changes |= {"last_edit_user_name": user_name, "last_edit_date": clock.now()}
    before = take_over(content, changes, body_before)
    # For this kind the reasons hold the version number, or the undone action.
    store_changes([(content, before)], ContentChange.Kind.REVERTED, reasons=str(version))
    return content


def restored(content: Content, version: int) -> tuple[dict[str, Any], str]:
    """Members and body that reverting would store. Raises NotFound for a version that is not stored."""
    try:
        members, body = version_of(content, version)
    except LookupError as error:
        message = f"Version {version} of content {content.pk} is not stored."
        raise NotFound("version_not_kept", message) from error
    now, then = orjson.loads(content.settings_xml), orjson.loads(members["settings_xml"])
    merged = {name: value for name, value in then.items() if name.casefold() not in CHECK_MEMBERS}
    merged |= {name: value for name, value in now.items() if name.casefold() in CHECK_MEMBERS}
    # A different order of entries is no change.
    text = orjson.dumps(merged).decode() if differ(merged, now) else content.settings_xml
    return {name: members[name] for name in RESTORED} | {"settings_xml": text}, body
