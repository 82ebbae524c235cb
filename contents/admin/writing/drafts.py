"""The form of a content with a draft, or of a public one whose editor may not publish."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from channels_app.models import Channel
from contents.admin.fields import drafted_fields, input_name
from contents.admin.preview import body_of
from contents.admin.writing.conflict import Conflict, last_saved, merge_values
from contents.admin.writing.form import (
    BODY,
    GROUPS,
    ContentForm,
    Values,
    clean_values,
    differences,
    stored_values,
    wire_members,
)
from contents.admin.writing.schedule import describe_state
from contents.admin.writing.storing import AS_IT_IS, stays_public
from contents.models import Content, ContentDraft, ContentSchedule, CustomField
from contents.services import approval, drafts
from contents.services.approval import DRAFT, WAITING, ApprovalState, DecisionKind, state_of
from contents.storing.history import version_of
from contents.wire.serializers import ContentSerializer
from core.admin.formatting import format_date_time
from core.lib.errors import InvalidInput
from core.rest.preconditions import Precondition


class Shown(NamedTuple):
    """Values of the form with a draft, beside the public ones; `contested` were changed in both."""

    draft: ContentDraft | None
    values: Values
    public: Values
    contested: frozenset[str] = frozenset()
    outside: tuple[str, ...] = ()  # contested members that the form does not have
    new_fields: tuple[CustomField, ...] = ()  # that only the draft has

    @property
    def version(self) -> int:
        return self.draft.version if self.draft else 0

    @property
    def state(self) -> ApprovalState:
        return state_of(drafts.as_content(self.draft)) if self.draft else ApprovalState(DecisionKind.APPROVED)


def read_shown(content: Content, fields: list[CustomField]) -> Shown:
    """Adds the body to the content."""
    content.text = body_of(content)
    draft, public = drafts.find_draft(content), stored_values(content, fields)
    if draft is None:
        return Shown(None, public, public)
    new_fields = drafted_fields(content.site_id, drafts.custom_names(draft))
    if new_fields:
        fields = [*fields, *new_fields]
        public = stored_values(content, fields)
    names = {"content": BODY, "group_name_collection": GROUPS} | {field.name: input_name(field) for field in fields}
    contested = {names.get(name, name) for name in drafts.conflicts_of(content, draft)}
    values = stored_values(drafts.overlay(content, draft), fields)
    outside = tuple(sorted(contested - values.keys()))
    return Shown(draft, values, public, frozenset(contested & values.keys()), outside, tuple(new_fields))


def means_draft(content: Content, shown: Shown, user: Any, sent: Mapping[str, Any]) -> bool:
    """Return whether the form is stored as a draft beside the public content."""
    return shown.draft is not None or (content.is_checked and ("_draft" in sent or stays_public(content, user)))


def is_same(form: ContentForm, state: str) -> bool:
    """Return whether storing the form would change neither values nor state, and settle no conflict."""
    shown = form.written.shown
    if shown.draft is None:
        keeps_state = state != DecisionKind.WAITING
    else:
        keeps_state = state == AS_IT_IS or (state == shown.state.kind != DecisionKind.APPROVED)
    is_settled = not shown.contested and not shown.outside
    return keeps_state and is_settled and not differences(form.values, shown.values)


def change_draft(
    content: Content, form: ContentForm, user: Any, *, state: str, taken: Collection[str]
) -> tuple[ContentDraft | None, list[str]]:
    """Store the form in the draft, and approve it if that is the state; return it and the removed markup.

    Public values replace `taken` ones. Returns no draft once it is published. Raises InvalidInput (`changed_meanwhile`)
    and service errors.
    """
    shown = form.written.shown
    values, removed = _changed(form, shown, frozenset(taken))
    members = ContentSerializer.read(wire_members(values, form.written.fields))
    members.values["checked_level"] = _level(shown, state)
    seen = if_seen(form.cleaned_data["seen_version"] or 0, form.cleaned_data["seen_draft"] or 0)
    with transaction.atomic():
        place = content.site_id, content.channel_id, content.pk
        saved = drafts.save_draft(*place, members, user.get_username(), seen, settles=True)
        if state == DecisionKind.APPROVED:
            return drafts.approve_draft(content.site_id, content.pk, user, saved.draft_version), removed
        return drafts.find_draft(content), removed


def if_seen(version: int, draft_version: int) -> Precondition:
    def require(shown: Content) -> None:
        if (shown.version, shown.draft_version) != (version, draft_version):
            message = f"Content {shown.pk} or its draft has changed since version {version} was read."
            raise InvalidInput("changed_meanwhile", message, version=shown.version)

    return require


# ---- conflicts


def merge_draft(content: Content, shown: Shown, form: ContentForm, seen: tuple[int, int]) -> tuple[Conflict, Values]:
    """As `conflict.merge`, for a form whose draft, public content or both were changed (`shown`)."""
    seen_version, seen_draft = seen
    if shown.version != seen_draft:  # its former version is not stored
        saved = draft_saved(shown.draft) if shown.draft else last_saved(content)
        return merge_values(form, shown.values, None, saved)
    base = None
    with suppress(LookupError):
        members, body = version_of(content, seen_version)
        before = Content(**members)
        before.text = body
        base = stored_values(drafts.overlay(before, shown.draft), form.written.fields)
    return merge_values(form, shown.values, base, last_saved(content))


# ---- texts


def draft_saved(draft: ContentDraft) -> tuple[str, datetime]:
    """Return who made the current version and when."""
    return draft.editor or draft.key_name, draft.edited_at


def describe_draft(draft: ContentDraft | None, chosen: str) -> str:
    """Add a message about the result for the draft; no draft is left after publishing."""
    if draft is None:
        return _("The draft was published.")
    state = state_of(drafts.as_content(draft))
    if chosen == DecisionKind.APPROVED and state.kind is DecisionKind.PASSED:
        return _("The draft was saved and approved up to level %(level)d.") % {"level": state.level}
    if chosen == DecisionKind.WAITING:
        return _("The draft was saved and submitted for approval. Visitors still see the public version.")
    if draft.checked_level >= WAITING:
        return _("The draft was saved, and waits for approval. Visitors still see the public version.")
    return _("The draft was saved. Visitors still see the public version.")


def describe_rejection(shown: Shown) -> str:
    state = shown.state
    if shown.draft is None or state.kind is not DecisionKind.REJECTED:
        return ""
    return _("%(state)s, reasons: %(reasons)s") % {"state": state, "reasons": shown.draft.reasons or "–"}


def saving_context(
    channel: Channel, content: Content | None, shown: Shown | None, user: Any, schedule: ContentSchedule | None
) -> dict[str, Any]:
    """The states, buttons and notes of the form; `content` is None for a new one.

    People without rights of approval have buttons instead of states: they store a draft or submit it.
    """
    place = content or Content(site_id=channel.site_id, channel=channel)
    levels, reach = approval.levels_of([place.site_id])[place.site_id], approval.reach_of(user).at(place)
    if content is None or shown is None:
        return {"has_states": bool(reach), "may_submit": not reach, "may_be_draft": True}
    is_of_draft, may_publish = shown.draft is not None, reach >= levels
    is_closed = content.is_checked and not is_of_draft and not may_publish
    level = int(shown.draft.checked_level if shown.draft else content.checked_level)
    is_public = content.is_checked and not is_of_draft
    waits_for_author = not is_public and level < WAITING
    saves_draft = is_closed or is_of_draft or (waits_for_author and not reach)
    return {
        "shown": shown,
        "has_states": bool(reach),
        "state_words": describe_state(shown.state if is_of_draft else state_of(content), schedule),
        "is_closed": is_closed,
        "saves_draft": saves_draft,
        "may_submit": is_closed or (waits_for_author and not may_publish),
        "may_publish": is_of_draft and may_publish,
        "may_be_draft": not saves_draft,
        "publishes": is_public and not is_closed,
        "approval_ends": "" if is_public else _what_ends(schedule, level, reach, levels),
    }


def _what_ends(schedule: ContentSchedule | None, level: int, reach: int, levels: int) -> str:
    """Add a message that names the approval that the change ends."""
    if schedule is not None and schedule.publish_at and reach < levels:
        time, name = format_date_time(schedule.publish_at), schedule.actor_name or schedule.key_name
        told = _("Approved by %(name)s for %(time)s. Your change needs approval again.")
        return told % {"name": name, "time": time}
    if level > WAITING and reach < min(level, levels):
        return _("Passed level %(level)d. Your change needs approval again.") % {"level": level}
    return ""


def _changed(form: ContentForm, shown: Shown, taken: frozenset[str]) -> tuple[Values, list[str]]:
    written = form.values
    same_as_public = written.keys() - differences(written, shown.public)
    edited = differences(written, shown.values) - taken
    values = {name: shown.public[name] if name in same_as_public else written[name] for name in edited}
    values |= {name: shown.public[name] for name in taken & shown.contested}
    new = {name: values[name] for name in edited - same_as_public}
    removed = clean_values(new, form.written.fields)
    return values | new, removed


def _level(shown: Shown, state: str) -> int:
    if state == DecisionKind.WAITING:
        return WAITING
    return DRAFT if state or shown.draft is None else int(shown.draft.checked_level)
