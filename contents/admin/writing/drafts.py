"""The form of a content with a draft, or of a public one whose editor may not publish."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from cms_api.lib.errors import InvalidInput
from cms_api.lib.markup import clean_body
from cms_api.rest.preconditions import Precondition
from contents.admin.fields import input_name
from contents.admin.preview import body_of
from contents.admin.writing.conflict import Conflict, last_saved, merge_values
from contents.admin.writing.form import BODY, GROUPS, ContentForm, Values, differences, stored_values, wire_members
from contents.admin.writing.storing import stays_public
from contents.models import Content, ContentDraft, CustomField
from contents.services import approval, drafts
from contents.services.approval import DRAFT, WAITING, ApprovalState, DecisionKind, state_of
from contents.storing.history import version_of
from contents.wire.serializers import ContentSerializer


class Shown(NamedTuple):
    """Values of the form with a draft, beside the public ones; `contested` were changed in both."""

    draft: ContentDraft | None
    values: Values
    public: Values
    contested: frozenset[str] = frozenset()
    outside: tuple[str, ...] = ()  # contested members that the form does not have

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
    names = {"content": BODY, "group_name_collection": GROUPS} | {field.name: input_name(field) for field in fields}
    contested = {names.get(name, name) for name in drafts.conflicts_of(content, draft)}
    values = stored_values(drafts.overlay(content, draft), fields)
    return Shown(draft, values, public, frozenset(contested & values.keys()), tuple(sorted(contested - values.keys())))


def means_draft(content: Content, shown: Shown, user: Any, sent: Mapping[str, Any]) -> bool:
    """Return whether the form is stored as a draft beside the public content."""
    return shown.draft is not None or (content.is_checked and ("_draft" in sent or stays_public(content, user)))


def is_same(form: ContentForm, state: str) -> bool:
    """Return whether a new draft would have no changes."""
    shown = form.written.shown
    return shown.draft is None and state != DecisionKind.WAITING and not differences(form.values, shown.values)


def change_draft(
    content: Content, form: ContentForm, user: Any, *, state: str, taken: Collection[str]
) -> tuple[ContentDraft | None, list[str]]:
    """Store the form in the draft, and approve it if that is the state; return it, and what cleaning removed.

    Public values replace `taken` ones. Returns no draft once it is published. Raises InvalidInput (`changed_meanwhile`)
    and service errors.
    """
    shown = form.written.shown
    values, removed = _changed(form, shown, frozenset(taken))
    members = ContentSerializer.read(wire_members(values, form.written.fields))
    members.values["checked_level"] = _level(shown, user, content, state)
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


def merge_draft(
    content: Content, shown: Shown, mine: Values, seen: tuple[int, int], fields: list[CustomField]
) -> tuple[Conflict, Values]:
    """As `conflict.merge`, for a form of which the draft, the public content or both were changed (`shown`)."""
    seen_version, seen_draft = seen
    if shown.version != seen_draft:  # its former version is not kept
        saved = draft_saved(shown.draft) if shown.draft else last_saved(content)
        return merge_values(mine, shown.values, None, fields, saved)
    base = None
    with suppress(LookupError):
        members, body = version_of(content, seen_version)
        before = Content(**members)
        before.text = body
        base = stored_values(drafts.overlay(before, shown.draft), fields)
    return merge_values(mine, shown.values, base, fields, last_saved(content))


# ---- texts


def draft_saved(draft: ContentDraft) -> tuple[str, datetime]:
    """Return who made the current version and when."""
    return draft.editor or draft.key_name, draft.edited_at


def describe_draft(draft: ContentDraft | None) -> str:
    """Tell what was stored; no draft is left after publishing."""
    if draft is None:
        return _("The draft was published.")
    state = state_of(drafts.as_content(draft))
    if state.kind is DecisionKind.PASSED:
        return _("The draft was saved and approved up to level %(level)d.") % {"level": state.level}
    if state.kind is DecisionKind.WAITING:
        return _("The draft was saved and submitted for approval. Visitors still see the public version.")
    return _("The draft was saved. Visitors still see the public version.")


def describe_rejection(shown: Shown) -> str:
    state = shown.state
    if shown.draft is None or state.kind is not DecisionKind.REJECTED:
        return ""
    return _("%(state)s, reasons: %(reasons)s") % {"state": state, "reasons": shown.draft.reasons or "–"}


def draft_context(content: Content | None, shown: Shown | None, user: Any) -> dict[str, Any]:
    """Of the template; `content` is None for a new one."""
    if content is None or shown is None:
        return {"may_be_draft": True}
    is_of_draft = shown.draft is not None
    is_closed = not is_of_draft and stays_public(content, user)
    may_publish = approval.may_finish(user, content, approval.levels_of([content.site_id])[content.site_id])
    return {
        "shown": shown,
        "is_closed": is_closed,
        "may_submit": is_closed or (is_of_draft and not may_publish),
        "may_publish": is_of_draft and may_publish,
        "may_be_draft": not (is_closed or is_of_draft),
        "publishes": content.is_checked and not (is_closed or is_of_draft),
    }


def _changed(form: ContentForm, shown: Shown, taken: frozenset[str]) -> tuple[Values, list[str]]:
    written = form.values
    same_as_public = written.keys() - differences(written, shown.public)
    edited = differences(written, shown.values) - taken
    values = {name: shown.public[name] if name in same_as_public else written[name] for name in edited}
    values |= {name: shown.public[name] for name in taken & shown.contested}
    if BODY not in edited - same_as_public:
        return values, []
    cleaned = clean_body(values[BODY])
    values[BODY] = cleaned.text
    return values, list(cleaned.removed)


def _level(shown: Shown, user: Any, content: Content, state: str) -> int:
    if state == DecisionKind.WAITING:
        return WAITING
    if state or shown.draft is None:
        return DRAFT
    level = int(shown.draft.checked_level)
    levels = approval.levels_of([content.site_id])[content.site_id]
    # A change by someone who may not decide at the level that it passed must pass that level again.
    is_kept = level <= WAITING or approval.reach_of(user).at(content) >= min(level, levels)
    return level if is_kept else WAITING
