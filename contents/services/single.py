"""What is done to contents; each function is one act that happens wholly or not at all."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from channels_app.services import hold_contents
from cms_api import audit
from cms_api.audit import current_key_name
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.custom_members import differ, merge, refuse_values
from cms_api.rest.preconditions import Precondition
from cms_api.rest.serializers import Members
from contents.lists.one import require_channel
from contents.models import Content, ContentChange
from contents.services.decisions import note_contents, note_decisions, store_decisions
from contents.storing.batches import LONG
from contents.storing.custom_fields import custom_values
from contents.storing.history import Overwritten, note_change
from contents.storing.insert import Stored, insert_content, note_taxis
from contents.storing.locking import Locked, Seen, lock_content
from contents.storing.overwrite import store_body
from sites.addresses import resolve

_NAMES = [field.attname for field in Content._meta.concrete_fields]
_DEFAULTS: dict[str, Any] = {
    field.attname: field.get_default()
    for field in Content._meta.concrete_fields
    if field.name not in {"id", "taxis", "add_date", "last_edit_date"}
}


def create_content(site_id: int, channel_id: int, members: Members, user_name: str) -> Content:
    """A new content of the channel out of a body's members.

    Without them in the body, `user_name` is who added and last edited it, and now is when. Raises
    NotFound, or InvalidInput when the channel takes no contents or the title is blank; nothing is
    stored then.
    """
    sent = dict(members.values)
    require_title(sent)
    body, settings_xml = sent.pop("content", ""), sent.pop("settings_xml", "")
    values = values_of_new(site_id, channel_id, sent, user_name)
    try:
        if settings_xml or members.unknown:
            require_channel(site_id, channel_id)
            with transaction.atomic():  # names of custom fields are noted with their first content
                hold_contents(site_id)
                settings = custom_values(site_id, settings_xml, members.unknown)
                refuse_values(settings, {}, "content")
                values["settings_xml"] = orjson.dumps(settings).decode()
                stored = _insert(values, body)
        elif connection.in_atomic_block:  # whose other statements have to go on after an error
            with transaction.atomic():
                stored = _insert(values, body)
        else:
            stored = _insert(values, body)
    except IntegrityError:
        require_channel(site_id, channel_id)  # it went to the trash a moment ago
        raise
    values |= {"id": stored.content_id, "taxis": stored.taxis}
    content = Content.from_db(connection.alias, _NAMES, [values[name] for name in _NAMES])
    content.text, content.tree_number, content.web_url = body, stored.number, stored.web_url
    return content


def values_of_new(site_id: int, channel_id: int, sent: dict[str, Any], user_name: str) -> dict[str, Any]:
    """The columns of a new content by attribute name, id and taxis excepted, out of what was sent for them."""
    now = clock.now()
    values = _DEFAULTS | {"add_user_name": user_name, "last_edit_user_name": user_name} | sent
    values |= {name: sent.get(name) or now for name in ("add_date", "last_edit_date")}
    return values | {"site_id": site_id, "channel_id": channel_id, "added_by_key": current_key_name()}


def _insert(values: dict[str, Any], body: str) -> Stored:
    stored = insert_content(values, body)
    if stored is None:
        require_channel(values["site_id"], values["channel_id"])
        raise InvalidInput("channel_takes_no_contents", f"Channel {values['channel_id']} does not take contents.")
    return stored


@transaction.atomic
def update_content(
    site_id: int,
    channel_id: int,
    content_id: int,
    members: Members,
    user_name: str,
    precondition: Precondition | None = None,
) -> Content:
    """Change what the body holds and nothing else; approval stays unless it is sent.

    Raises NotFound, InvalidInput for a blank title, and what the precondition raises.
    """
    content = lock_content(site_id, content_id, precondition, channel_id=channel_id)
    sent = dict(members.values)
    if "title" in sent:
        require_title(sent)
    settings_xml = sent.pop("settings_xml", "")
    settings = custom_values(site_id, settings_xml, members.unknown) if settings_xml or members.unknown else {}
    if sent or settings:
        _store(content, _without_absent(sent), settings, user_name)
    return content


@transaction.atomic
def trash_content(site_id: int, channel_id: int, content_id: int, precondition: Precondition | None = None) -> Content:
    """Move the content to the trash. Raises NotFound, and what the precondition raises.

    Of several deletions at once exactly one succeeds.
    """
    content = lock_content(site_id, content_id, precondition, channel_id=channel_id)
    content.trashed_at = clock.now()
    content.version += 1
    content.save(update_fields=["trashed_at", "version"])
    audit.note("content.trashed", content, site_id=site_id)
    return content


@transaction.atomic
def trash_contents(seen: Sequence[Seen]) -> list[Content | ServiceError]:
    """Move the contents to the trash, wherever they stand in their sites; one that is not there is refused."""
    locked = Locked(seen)
    contents = locked.contents
    present = Content.objects.filter(pk__in=[content.pk for content in contents])
    present.update(trashed_at=clock.now(), version=F("version") + 1)
    for content in contents:
        content.version += 1
    note_contents("content.trashed", contents)
    return locked.results()


@transaction.atomic
def check_contents(site_id: int, places: Iterable[tuple[int, int]], reasons: str, user_name: str) -> list[Content]:
    """Approve the contents given by channel and id; unknown ones are left out of the answer.

    Who, when and why are kept with each content.
    """
    hold_contents(site_id)
    wanted = dict.fromkeys(places)  # each once, in the order of the request
    present = Content.objects.in_site(site_id).filter(pk__in={content_id for _, content_id in wanted}).defer(*LONG)
    # Locked in the order of their ids, so that two approvals at once cannot wait in a circle.
    contents = {(c.channel_id, c.pk): c for c in present.select_for_update().order_by("id")}
    found = [content for place, content in contents.items() if place in wanted]
    approve_contents(found, reasons, user_name)
    return [contents[place] for place in wanted if place in contents]


def approve_contents(contents: Iterable[Content], reasons: str, user_name: str) -> None:
    """Approve the contents, which this transaction has locked, for good; who, when and why are kept with each."""
    approved = [(content, {"is_checked": True, "checked_level": 0}) for content in contents]
    store_decisions(approved, ContentChange.Kind.APPROVED, user_name, reasons)
    note_decisions([content for content, _state in approved])


def _without_absent(sent: dict[str, Any]) -> dict[str, Any]:
    # Only the last hit may never have happened; another date that is "never" counts as not sent.
    return {name: value for name, value in sent.items() if value is not None or name == "last_hits_date"}


def _store(content: Content, sent: dict[str, Any], settings: dict[str, Any], user_name: str) -> None:
    body_before = store_body(content, sent.pop("content")) if "content" in sent else None
    before = alter(content, sent, settings, body_before, user_name)
    if before is None:
        return
    content.save(update_fields=[*before.members, "version"])
    note_change(content, before)
    if "taxis" in before.members:
        note_taxis(content.channel_id, content.taxis)
    if "is_checked" in before.members:
        note_decisions([content])


def alter(
    content: Content, sent: dict[str, Any], settings: dict[str, Any], body_before: str | None, user_name: str
) -> Overwritten | None:
    """Give the record the values and its next version; what they overwrite, or None if nothing is other than before.

    Nothing is stored. `body_before` is the body that was overwritten, None where it stays.
    """
    changes = _changes(content, sent, settings)
    if not changes and body_before is None:
        return None
    if Overwritten(changes, body_before).is_worth_noting:
        # Who changed it and when, unless the body says so itself; hits that are counted are no edit.
        edited = {"last_edit_user_name": user_name, "last_edit_date": clock.now()}
        changes |= _changes(content, {name: edited[name] for name in edited.keys() - sent.keys()}, {})
    before = Overwritten({name: getattr(content, name) for name in changes}, body_before)
    for name, value in changes.items():
        setattr(content, name, value)
    content.version += before.is_worth_noting
    return before


def _changes(content: Content, sent: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """The members, by attribute name, that would be other than they are."""
    changes = {name: value for name, value in sent.items() if _differs(content, name, value)}
    if settings:
        stored = orjson.loads(content.settings_xml)
        refuse_values(settings, stored, "content")
        if differ(merged := merge(stored, settings), stored):
            changes["settings_xml"] = orjson.dumps(merged).decode()
    return changes


def _differs(content: Content, name: str, value: Any) -> bool:
    stored = getattr(content, name)
    if name in {"image_url", "video_url", "file_url"} and stored != value:
        # A client that sends back what it was answered keeps what is stored.
        return bool(resolve(stored, content.site.web_url) != value)
    return bool(stored != value)


def require_title(sent: dict[str, Any]) -> None:
    if not sent.get("title", "").strip():
        raise InvalidInput("missing_member", "title is required and must not be blank.", member="title")
