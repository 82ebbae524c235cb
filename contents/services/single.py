from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import orjson
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from channels_app.services import hold_contents
from contents.lists.detail import require_channel
from contents.models import Content, ContentChange
from contents.services.decisions import record_contents_action, record_decisions, store_decisions
from contents.storing.batches import LONG
from contents.storing.custom_fields import custom_values
from contents.storing.history import COUNTERS, PreviousValues, store_changes, take_over
from contents.storing.insert import insert_content, raise_taxis
from contents.storing.locking import Locked, Seen, lock_content
from contents.storing.overwrite import overwrite_each, store_body
from core import audit
from core.audit import current_key_name
from core.lib import clock
from core.lib.errors import InvalidInput, ServiceError
from core.lib.folding import is_blank
from core.rest.custom_members import differ, merge, validate_values
from core.rest.preconditions import Precondition
from core.rest.serializers import Members
from sites.addresses import resolve

_DEFAULTS: dict[str, Any] = {
    field.attname: field.get_default()
    for field in Content._meta.concrete_fields
    if field.name not in {"id", "taxis", "add_date", "last_edit_date"}
}


def create_content(site_id: int, channel_id: int, members: Members, user_name: str) -> Content:
    """Create a content from a body's members; editor and dates default to `user_name` and now.

    Raises NotFound, or InvalidInput if the channel takes no contents or the title is blank.
    """
    sent = dict(members.values)
    require_title(sent)
    body, settings_xml = sent.pop("content", ""), sent.pop("settings_xml", "")
    values, has_custom = values_of_new(site_id, channel_id, sent, user_name), bool(settings_xml or members.unknown)
    # Custom fields are registered in the same transaction, and an outer transaction must survive an error.
    in_transaction = transaction.atomic() if has_custom or connection.in_atomic_block else nullcontext()
    if has_custom:
        require_channel(site_id, channel_id)
    try:
        with in_transaction:
            if has_custom:
                hold_contents(site_id)
                settings = custom_values(site_id, settings_xml, members.unknown)
                validate_values(settings, {}, "content")
                values["settings_xml"] = orjson.dumps(settings).decode()
            if (content := insert_content(values, body)) is None:
                require_channel(site_id, channel_id)
                message = f"Channel {channel_id} does not accept contents."
                raise InvalidInput("channel_takes_no_contents", message)
    except IntegrityError:
        require_channel(site_id, channel_id)  # trashed a moment ago
        raise
    return content


def values_of_new(site_id: int, channel_id: int, sent: dict[str, Any], user_name: str) -> dict[str, Any]:
    """All columns of a new content by attribute name, except id and taxis."""
    now = clock.now()
    return {
        **_DEFAULTS,
        "add_user_name": user_name,
        "last_edit_user_name": user_name,
        **sent,
        "add_date": sent.get("add_date") or now,
        "last_edit_date": sent.get("last_edit_date") or now,
        "site_id": site_id,
        "channel_id": channel_id,
        "added_by_key": current_key_name(),
    }


def values_of_change(members: Members) -> dict[str, Any]:
    # null is valid only for the last hit; other null dates count as not sent.
    return {name: value for name, value in members.values.items() if value is not None or name == "last_hits_date"}


@transaction.atomic
def update_content(
    site_id: int,
    channel_id: int,
    content_id: int,
    members: Members,
    user_name: str,
    precondition: Precondition | None = None,
) -> Content:
    """Change the members in the body. Raises NotFound, InvalidInput for a blank title, and precondition errors."""
    content = lock_content(site_id, content_id, precondition, channel_id=channel_id)
    sent = values_of_change(members)
    if "title" in sent:
        require_title(sent)
    settings_xml = sent.pop("settings_xml", "")
    settings = custom_values(site_id, settings_xml, members.unknown) if settings_xml or members.unknown else {}
    body_before = store_body(content, sent.pop("content")) if "content" in sent else None
    before = alter(content, sent, settings, body_before, user_name)
    if before is not None:
        store_changes([(content, before)])
        if "taxis" in before.members:
            raise_taxis(content.channel_id, content.taxis)
        if "is_checked" in before.members:
            record_decisions([content])
    return content


@transaction.atomic
def trash_content(site_id: int, channel_id: int, content_id: int, precondition: Precondition | None = None) -> Content:
    """Move the content to the trash; of concurrent calls one succeeds. Raises NotFound, and precondition errors."""
    content = lock_content(site_id, content_id, precondition, channel_id=channel_id)
    content.trashed_at = clock.now()
    content.version += 1
    content.save(update_fields=["trashed_at", "version"])
    audit.record("content.trashed", content, site_id=site_id)
    return content


@transaction.atomic
def trash_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """Move the contents to the trash; refuses missing ones."""
    locked = Locked(seen)
    contents = locked.contents
    present = Content.objects.filter(pk__in=[content.pk for content in contents])
    present.update(trashed_at=clock.now(), version=F("version") + 1)
    for content in contents:
        content.version += 1
    record_contents_action("content.trashed", contents)
    return locked.results()


@transaction.atomic
def set_flag(
    seen: Sequence[Seen], flag: str, value: bool, editor: str, rule: Callable[[Content], None] | None = None
) -> list[Content | ServiceError | None]:
    """Set or clear a flag; the result is None for contents that have this value already.

    Refuses missing contents, and refusals of the rule.
    """
    locked = Locked(seen)
    if rule is not None:
        locked.decide(rule)
    changes = [(content, {flag: value}) for content in locked.contents]
    return locked.results_if_changed(overwrite_each(changes, editor=editor))


@transaction.atomic
def check_contents(site_id: int, places: Iterable[tuple[int, int]], reasons: str, user_name: str) -> list[Content]:
    """Approve contents identified by (channel, id), recording who, when and why; omits missing ones."""
    hold_contents(site_id)
    wanted = dict.fromkeys(places)  # unique, in request order
    present = Content.objects.in_site(site_id).filter(pk__in={content_id for _, content_id in wanted}).defer(*LONG)
    # Locked in order of id to prevent deadlocks.
    contents = {(c.channel_id, c.pk): c for c in present.select_for_update().order_by("id")}
    found = [content for place, content in contents.items() if place in wanted]
    approve_contents(found, reasons, user_name)
    return [contents[place] for place in wanted if place in contents]


@transaction.atomic
def check_each(seen: Sequence[Seen], reasons: str, user_name: str) -> list[Content | ServiceError]:
    """Approve contents, recording who, when and why; refuses missing ones."""
    locked = Locked(seen)
    approve_contents(locked.contents, reasons, user_name)
    return locked.results()


def approve_contents(contents: Iterable[Content], reasons: str, user_name: str) -> None:
    """Give final approval to contents locked by this transaction, recording who, when and why."""
    approved = [(content, {"is_checked": True, "checked_level": 0}) for content in contents]
    store_decisions(approved, ContentChange.Kind.APPROVED, user_name, reasons)
    record_decisions([content for content, _state in approved])


def alter(
    content: Content, sent: dict[str, Any], settings: dict[str, Any], body_before: str | None, user_name: str
) -> PreviousValues | None:
    """Set values and next version; return the overwritten values, None if nothing differs. Stores nothing."""
    changes = {}
    for name, value in sent.items():
        stored = getattr(content, name)
        if name in {"image_url", "video_url", "file_url"} and stored != value:
            # A client may send back the resolved address of the response.
            stored = resolve(stored, content.web_url)
        if stored != value:
            changes[name] = value
    if settings:
        known = orjson.loads(content.settings_xml)
        validate_values(settings, known, "content")
        if differ(merged := merge(known, settings), known):
            changes["settings_xml"] = orjson.dumps(merged).decode()
    if not changes and body_before is None:
        return None
    if body_before is not None or not COUNTERS.issuperset(changes):
        # Record the editor unless the body names one; counting hits is no edit.
        edited = {"last_edit_user_name": user_name, "last_edit_date": clock.now()}
        changes |= {n: value for n, value in edited.items() if n not in sent and getattr(content, n) != value}
    return take_over(content, changes, body_before)


def require_title(sent: dict[str, Any]) -> None:
    if is_blank(sent.get("title", "")):
        raise InvalidInput("missing_member", "title is required and must not be blank.", member="title")
