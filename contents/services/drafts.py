"""Drafts of public contents, which pass the levels of approval beside them (docs/approval.md).

Every function locks the content first, which serializes all changes of its draft.
"""

import time
from collections import Counter
from copy import copy
from hashlib import sha256
from typing import Any

import orjson
from django.db import transaction
from django.db.models import QuerySet, Value

from contents.models import MAX_LEVEL, Content, ContentChange, ContentDraft
from contents.services.approval import (
    DRAFT,
    WAITING,
    levels_of,
    next_level,
    reach_of,
    require_reach,
    target_level,
    within_reach,
    without_scheduled,
)
from contents.services.approved import after_change_of_draft
from contents.services.decisions import CHECK_MEMBERS, check_entries, record_decisions
from contents.services.single import alter, require_title, values_of_change
from contents.services.undoing import RESTORED
from contents.storing.custom_fields import FieldNames, read_entries, register
from contents.storing.history import dump_members, load_members, store_changes
from contents.storing.locking import lock_content, read_whole
from contents.storing.overwrite import store_body
from core import audit
from core.admin.places import places_of
from core.audit import current_key_name
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.rest.custom_members import differ, merge, validate_values
from core.rest.names import to_wire
from core.rest.preconditions import Precondition, require_version
from core.rest.serializers import Members
from sites.addresses import resolve

_CUSTOM = "settings_xml"
# Place, hits, approval and last editor of a content are not part of a draft.
_DRAFTED = frozenset(RESTORED) - {_CUSTOM}
_ADDRESSES = frozenset({"image_url", "video_url", "file_url"})
_LEVELS = frozenset({DRAFT, *range(-MAX_LEVEL, MAX_LEVEL + 1)})


# ---- reading


def find_draft(content: Content) -> ContentDraft | None:
    draft = ContentDraft.objects.filter(content=content).first()
    if draft is not None:
        draft.content = content
    return draft


def read_draft(site_id: int, channel_id: int, content_id: int) -> Content:
    """The content with the values of its draft (`overlay`). Raises NotFound, also without a draft."""
    content = read_whole(site_id, content_id, channel_id)
    return overlay(content, _required(content, find_draft(content)))


def overlay(content: Content, draft: ContentDraft | None) -> Content:
    """A copy of a content that was read whole, with the values and the state of the draft, and its `draft_version`."""
    shown = copy(content)
    shown.draft_version = draft.version if draft else 0
    if draft is None:
        return shown
    values = load_members(draft.draft_values)
    if custom := values.pop(_CUSTOM, None):
        shown.settings_xml = orjson.dumps(merge(orjson.loads(content.settings_xml), custom)).decode()
    values |= {"is_checked": False, "checked_level": draft.checked_level}
    values |= {"last_edit_user_name": draft.editor, "last_edit_date": draft.edited_at}
    vars(shown).update(values)
    if draft.draft_body is not None:
        shown.text = draft.draft_body
    return shown


def custom_names(draft: ContentDraft) -> list[str]:
    """The names of the custom fields that the draft changes."""
    return list(load_members(draft.draft_values).get(_CUSTOM, {}))


def title_of(content: Content, draft: ContentDraft) -> str:
    return str(load_members(draft.draft_values).get("title", content.title))


def conflicts_of(content: Content, draft: ContentDraft) -> list[str]:
    """Attribute names of members, and names of custom fields, that were changed in the draft and publicly since."""
    values, bases = load_members(draft.draft_values), load_members(draft.base_values)
    custom, custom_bases = values.pop(_CUSTOM, {}), bases.pop(_CUSTOM, {})
    found = [name for name, value in values.items() if getattr(content, name) not in (value, bases[name])]
    if draft.draft_body not in (None, content.text) and _digest(content.text) != draft.base_body:
        found.append("content")
    public = _folded(content)
    for name, value in custom.items():
        now = public.get(name.casefold())
        if differ(now, value) and differ(now, custom_bases.get(name)):
            found.append(name)
    return found


def waiting_for(user: Any) -> QuerySet[ContentDraft]:
    """Drafts that the administrator may decide on, by site and level, the oldest first, without scheduled ones."""
    found = within_reach(without_scheduled(_live().filter(checked_level__gte=WAITING)), user, "content__channel")
    return found.order_by("site_id", "checked_level", "edited_at", "pk")


def unfinished_of(user: Any) -> QuerySet[ContentDraft]:
    """Drafts that the administrator edited last and that are not submitted, or were rejected."""
    found = _live().filter(checked_level__lt=WAITING, editor=user.get_username())
    found = places_of(user, "contents.change_content").narrow(found, "site_id", "content__channel")
    return found.order_by("site_id", "-checked_level", "-edited_at", "pk")


def count_for(user: Any, site_id: int | None = None) -> tuple[int, int]:
    """Number of drafts, on the site or all, that wait for the administrator, and of their own unfinished ones.

    One statement.
    """
    site = {} if site_id is None else {"site_id": site_id}
    waiting, unfinished = (
        found.filter(**site).order_by().annotate(of=Value(name)).values_list("of", flat=True)
        for name, found in (("waiting", waiting_for(user)), ("unfinished", unfinished_of(user)))
    )
    numbers = Counter(waiting.union(unfinished, all=True))
    return numbers["waiting"], numbers["unfinished"]


def as_content(draft: ContentDraft) -> Content:
    """An unapproved content with the state of the draft, for the rules of contents.services.approval."""
    place = {"site_id": draft.site_id, "channel_id": draft.content.channel_id}
    return Content(pk=draft.content_id, **place, is_checked=False, checked_level=draft.checked_level)


def _live() -> QuerySet[ContentDraft]:
    return ContentDraft.objects.filter(content__trashed_at=None)


# ---- writing


@transaction.atomic
def save_draft(
    site_id: int,
    channel_id: int,
    content_id: int,
    members: Members,
    user_name: str,
    precondition: Precondition | None = None,
    *,
    settles: bool = False,
    approves: bool = False,
) -> Content:
    """Store the members of the body in the draft, which begins with the first; return the content as the draft has it.

    The precondition gets the same, or the public content if there is no draft. Members equal to the public ones leave
    the draft; the others no longer conflict with earlier public changes, and with `settles` no member of the draft
    does. A changed draft must be submitted again, unless the body has a `checkedLevel`. Raises NotFound, precondition
    errors, and InvalidInput: `not_approved` for a content that is not public and has no draft. With `approves`, which
    announces an approval, NotFound also if there is no draft and the body begins none.
    """
    content = lock_content(site_id, content_id, channel_id=channel_id)
    stored = find_draft(content)
    shown = overlay(content, stored)
    if precondition is not None:
        precondition(shown)
    if stored is None and not content.is_checked:
        message = f"Content {content_id} is not approved; change it without isDraft."
        raise InvalidInput("not_approved", message)
    draft = stored or ContentDraft(
        content=content, site_id=site_id, version=time.time_ns() // 1000, checked_level=DRAFT
    )
    sent = values_of_change(members)
    if "title" in sent:
        require_title(sent)
    before = _text_of(draft)
    _put_members(draft, content, shown, sent, members.unknown)
    if "content" in sent:
        is_public = sent["content"] == content.text
        draft.draft_body, draft.base_body = (None, "") if is_public else (sent["content"], _digest(content.text))
    if approves and _text_of(draft) == ({}, None):
        _required(content, stored)
    if settles:
        _settle(draft, content)
    level = sent.get("checked_level", DRAFT if draft.checked_level >= WAITING else draft.checked_level)
    if level not in _LEVELS:
        message = f"checkedLevel of a draft is {DRAFT} or from {-MAX_LEVEL} to {MAX_LEVEL}, not {level}."
        raise InvalidInput("invalid_level", message, member="checkedLevel")
    if stored is not None:
        level = after_change_of_draft(content, draft, level, is_altered=_text_of(draft) != before)
        draft.version += 1
    if level != draft.checked_level:
        draft.checked_level, draft.reasons = level, ""
    draft.editor, draft.key_name, draft.edited_at = user_name, current_key_name(), clock.now()
    draft.save(force_insert=stored is None)
    return overlay(content, draft)


@transaction.atomic
def discard_draft(
    site_id: int, content_id: int, precondition: Precondition | None = None, *, channel_id: int | None = None
) -> Content:
    """Delete the draft; return the content as it had it. Raises NotFound and precondition errors, as save_draft."""
    content = lock_content(site_id, content_id, channel_id=channel_id)
    draft = _required(content, find_draft(content))
    shown = overlay(content, draft)
    if precondition is not None:
        precondition(shown)
    draft.delete()
    audit.record("content.draft_discarded", content, site_id=site_id)
    return shown


def if_draft(version: int) -> Precondition:
    """The precondition of this version of the draft, for any public version."""

    def require(shown: Content) -> None:
        if shown.draft_version != version:
            message = f"The draft of content {shown.pk} has changed since version {version} was read."
            raise InvalidInput("changed_meanwhile", message)

    return require


# ---- approval


@transaction.atomic
def submit_draft(site_id: int, content_id: int, version: int) -> ContentDraft:
    """Submit the draft for approval. Raises NotFound and InvalidInput."""
    content, draft = lock_draft(site_id, content_id, version)
    if draft.checked_level >= WAITING:
        raise InvalidInput("handed_in_already", f"The draft of content {content.pk} has already been submitted.")
    return _store_level(draft, WAITING, draft.reasons)


@transaction.atomic
def approve_draft(
    site_id: int, content_id: int, user: Any, version: int, *, level: int | None = None, reasons: str = ""
) -> ContentDraft | None:
    """Approve the draft up to the level, by default the highest allowed; the last one publishes it and returns None.

    Raises NotFound, and InvalidInput if it has changed since `version`, is beyond the administrator's rights, or cannot
    be published (`publish_draft`).
    """
    content, draft = lock_draft(site_id, content_id, version)
    levels, reach = levels_of([site_id])[site_id], reach_of(user)
    waiting = as_content(draft)
    require_reach(waiting, reach, levels)
    reached = target_level(waiting, reach, levels, level)
    if reached >= levels:
        _publish(content, draft, user.get_username(), reasons)
        return None
    audit.record("content.draft_level_passed", content, site_id=site_id, level=reached)
    return _store_level(draft, reached, reasons)


@transaction.atomic
def reject_draft(site_id: int, content_id: int, user: Any, version: int, reasons: str) -> ContentDraft:
    """Reject the draft with reasons for its author; raises as `approve_draft` does, and without reasons."""
    if not reasons.strip():
        raise InvalidInput("reasons_missing", "Give reasons for the rejection.")
    content, draft = lock_draft(site_id, content_id, version)
    if draft.checked_level < WAITING:
        raise InvalidInput("not_waiting", f"The draft of content {content.pk} is not waiting for a decision.")
    levels, waiting = levels_of([site_id])[site_id], as_content(draft)
    require_reach(waiting, reach_of(user), levels)
    level = min(next_level(waiting), levels)
    audit.record("content.draft_rejected", content, site_id=site_id, level=level)
    return _store_level(draft, -level, reasons)


@transaction.atomic
def publish_draft(
    site_id: int, content_id: int, user_name: str, version: int | None = None, *, reasons: str = ""
) -> Content:
    """Make the draft public, as approved by this user, and remove it; the caller has checked the rights.

    Public changes made since the draft began stay. Raises NotFound, and InvalidInput: `changed_meanwhile` for another
    version of the draft, `draft_conflict` if a member was changed both publicly and in the draft.
    """
    content, draft = lock_draft(site_id, content_id, version)
    return _publish(content, draft, user_name, reasons)


def require_publishable(content: Content, draft: ContentDraft) -> None:
    """Raise InvalidInput (`draft_conflict`) if a member was changed both publicly and in the draft."""
    if contested := conflicts_of(content, draft):
        names = [to_wire(name) if name in _DRAFTED else name for name in contested]
        message = (
            f"Since the draft began, others have changed {', '.join(names)}; save these members of the draft again."
        )
        raise InvalidInput("draft_conflict", message, members=names)


def _publish(content: Content, draft: ContentDraft, user_name: str, reasons: str) -> Content:
    require_publishable(content, draft)
    was_public = content.is_checked
    values = load_members(draft.draft_values)
    custom = values.pop(_CUSTOM, {})
    custom = (register(content.site_id, custom) if custom else {}) | check_entries(content.site_id, reasons, user_name)
    body_before = None if draft.draft_body is None else store_body(content, draft.draft_body)
    values |= {"is_checked": True, "checked_level": 0}
    values |= {"last_edit_user_name": draft.editor, "last_edit_date": clock.now()}
    before = alter(content, values, custom, body_before, user_name)
    if before is not None:
        store_changes([(content, before)], ContentChange.Kind.PUBLISHED, reasons=reasons)
    draft.delete()
    audit.record("content.draft_published", content, site_id=content.site_id)
    if not was_public:
        record_decisions([content])
    return content


def return_to_queue(draft: ContentDraft) -> None:
    """Make a draft wait again whose approval does not count any more."""
    if draft.checked_level < WAITING:
        _store_level(draft, WAITING, draft.reasons)


def _store_level(draft: ContentDraft, level: int, reasons: str) -> ContentDraft:
    level = after_change_of_draft(draft.content, draft, level, is_altered=False)
    draft.checked_level, draft.reasons = level, reasons[:255]
    draft.version += 1
    draft.save(update_fields=["checked_level", "reasons", "version"])
    return draft


def _put_members(
    draft: ContentDraft, content: Content, shown: Content, sent: dict[str, Any], unknown: dict[str, Any]
) -> None:
    values, bases = load_members(draft.draft_values), load_members(draft.base_values)
    custom, custom_bases = values.pop(_CUSTOM, {}), bases.pop(_CUSTOM, {})
    for name in (name for name in sent if name in _DRAFTED):
        value, public = sent[name], getattr(content, name)
        if name in _ADDRESSES:
            # A client may send back the resolved address of the response.
            stored = (getattr(shown, name), public)
            value = next((each for each in stored if value == resolve(each, content.web_url)), value)
        _put(values, bases, name, value, public, is_public=value == public)
    settings_xml = sent.get(_CUSTOM, "")
    entries = read_entries(settings_xml, unknown) if settings_xml or unknown else {}
    if entries:
        # A name that only the draft has is registered once it is public; until then others must not learn of it.
        names = FieldNames(content.site_id, [*entries, *custom])
        custom, custom_bases = names.spell(custom), names.spell(custom_bases)
        names.accept(custom)
        entries = names.spell(entries)
    entries = {name: value for name, value in entries.items() if name.casefold() not in CHECK_MEMBERS}
    validate_values(entries, orjson.loads(shown.settings_xml), "content")
    known = _folded(content)
    for name, value in entries.items():
        public = known.get(name.casefold())
        is_public = name.casefold() in known and not differ(value, public)
        _put(custom, custom_bases, name, value, public, is_public=is_public)
    if custom:
        values[_CUSTOM], bases[_CUSTOM] = custom, custom_bases
    draft.draft_values, draft.base_values = dump_members(values), dump_members(bases)


def _text_of(draft: ContentDraft) -> tuple[dict[str, Any], str | None]:
    return load_members(draft.draft_values), draft.draft_body


def _settle(draft: ContentDraft, content: Content) -> None:
    bases = load_members(draft.base_values)
    public = _folded(content)
    custom_bases = {name: public.get(name.casefold()) for name in bases.pop(_CUSTOM, {})}
    bases = {name: getattr(content, name) for name in bases}
    draft.base_values = dump_members(bases | ({_CUSTOM: custom_bases} if custom_bases else {}))
    draft.base_body = "" if draft.draft_body is None else _digest(content.text)


def _put(values: dict[str, Any], bases: dict[str, Any], name: str, value: Any, public: Any, *, is_public: bool) -> None:
    if is_public:
        values.pop(name, None)
        bases.pop(name, None)
    else:
        values[name], bases[name] = value, public


def lock_draft(site_id: int, content_id: int, version: int | None) -> tuple[Content, ContentDraft]:
    """Lock the content and its draft. Raises NotFound, and InvalidInput for another version of the draft."""
    content = lock_content(site_id, content_id)
    draft = _required(content, find_draft(content))
    if version is not None:
        require_version(version, draft)
    return content, draft


def _required(content: Content, draft: ContentDraft | None) -> ContentDraft:
    if draft is None:
        raise NotFound("draft_not_found", f"Content {content.pk} has no draft.")
    return draft


def _folded(content: Content) -> dict[str, Any]:
    return {name.casefold(): value for name, value in orjson.loads(content.settings_xml).items()}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
