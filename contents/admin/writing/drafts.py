"""The form of a content with a draft, or of a public one whose editor may not publish."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from contents.admin.fields import drafted_fields, input_name
from contents.admin.preview import body_of
from contents.admin.writing.conflict import Conflict, last_saved, merge_values
from contents.admin.writing.form import (
    BODY,
    GROUPS,
    STATE,
    ContentForm,
    Values,
    clean_values,
    differences,
    stored_values,
    wire_members,
)
from contents.admin.writing.schedule import describe_state, describe_times
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


class Button(NamedTuple):
    """A button that saves: its name and value in the form, and the keys that press it."""

    label: str
    name: str
    value: str = ""
    keys: str = ""


def saving_context(form: ContentForm, user: Any, schedule: ContentSchedule | None) -> dict[str, Any]:
    """The state of the content in words, and the buttons of the form; the first is the main one."""
    content, shown, offered = form.written.content, form.written.shown, dict(form.written.states)
    place = content or Content(site_id=form.written.channel.site_id, channel=form.written.channel)
    levels, reach = approval.levels_of([place.site_id])[place.site_id], approval.reach_of(user).at(place)
    submit, publish = Button(_("Submit for approval"), "_hand_in"), Button(_("Save and publish"), "_publish")
    approve = Button(offered.get(DecisionKind.APPROVED, ""), STATE, DecisionKind.APPROVED)
    approves = [] if DecisionKind.APPROVED not in offered else [publish] if reach >= levels else [approve]
    if content is None:
        draft = Button(_("Save as draft") if reach else _("Save draft"), "_draft", keys="Control+S")
        more = Button(_("Save and add another"), "_addanother")
        return {"buttons": [submit, *approves, draft, more], "status": [_("New, not saved yet")]}
    of_draft, level = shown.draft is not None, int((shown.draft or content).checked_level)
    is_public, may_finish = content.is_checked and not of_draft, reach >= levels
    if is_public and may_finish:
        buttons = _buttons_of_public()
    else:
        is_draft = is_public or of_draft or (level < WAITING and not reach)
        save = Button(_("Save draft") if is_draft else _("Save"), "_save")
        stay = Button(_("Save and continue editing"), "_continue", keys="Control+S")
        waits = [submit] if is_public or level < WAITING else []
        decides = [publish] if of_draft and may_finish else approves
        back = Button(_("Save and take back from approval") if level >= WAITING else _("Save as draft"), "_draft")
        may_take_back = level != DRAFT and not is_public and (reach or (level >= WAITING and not of_draft))
        takes_back = [back] if may_take_back else []
        first = waits if not may_finish else decides if of_draft else []
        buttons = list(dict.fromkeys([*first, save, stay, *waits, *decides, *takes_back]))
    return {
        "shown": shown,
        "buttons": buttons,
        "is_closed": is_public and not may_finish,
        "status": _status(content, shown, schedule, levels),
        "saved_at": shown.draft.edited_at if shown.draft else content.last_edit_date,
        "approval_ends": "" if is_public else _what_ends(schedule, level, reach, levels),
    }


def _buttons_of_public() -> list[Button]:
    return [
        Button(_("Save and publish"), "_save"),
        Button(_("Save as draft"), "_draft", keys="Control+S"),
        Button(_("Save and continue editing"), "_continue"),
        Button(_("Unpublish and save"), STATE, DecisionKind.DRAFT),
        Button(_("Unpublish and submit for approval"), STATE, DecisionKind.WAITING),
    ]


def _status(content: Content, shown: Shown, schedule: ContentSchedule | None, levels: int) -> list[str]:
    """The state in words: `Public`, `Draft: Waiting for approval`, `Will be published: 2026-11-29 08:00`."""
    state = shown.state if shown.draft else state_of(content)
    words = describe_state(state, schedule)
    found = [_("Public")] if content.is_checked else [_("Not public")] if shown.draft else []
    if shown.draft:
        found.append(_("Draft: %(state)s") % {"state": words})
    elif not content.is_checked:
        found.append(words)
    if levels > 1 and state.kind in {DecisionKind.WAITING, DecisionKind.PASSED}:
        found.append(
            _("Levels of approval passed: %(passed)d of %(levels)d") % {"passed": state.level, "levels": levels}
        )
    return [*found, *describe_times(schedule, without_state=True)]


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
