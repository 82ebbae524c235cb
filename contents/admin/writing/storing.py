"""States offered by the form of a content, and storing the form."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from channels_app.models import Channel
from channels_app.services import hold_contents
from contents.admin.writing.form import BODY, STATE, ContentForm, Values, clean_values, differences, wire_members
from contents.admin.writing.schedule import describe_state
from contents.lists.detail import require_channel
from contents.models import Content, ContentSchedule
from contents.services import approval, single
from contents.services.approval import DRAFT, WAITING, DecisionKind
from contents.storing.locking import Seen, lock_content, only
from contents.storing.overwrite import overwrite_each
from contents.wire.serializers import ContentSerializer
from core.rest.preconditions import if_version

AS_IT_IS = ""  # the state


# ---- states


def first_states(user: Any, channel: Channel) -> list[tuple[str, str]]:
    """States of a new content with labels; the strongest one allowed comes last."""
    new = Content(site_id=channel.site_id, channel=channel)
    offered = [DecisionKind.DRAFT, DecisionKind.WAITING]
    if approval.reach_of(user).at(new):
        offered.append(DecisionKind.APPROVED)
    return [(kind.value, _words(kind, user, new)) for kind in offered]


def next_states(content: Content, user: Any, schedule: ContentSchedule | None = None) -> list[tuple[str, str]]:
    """States that the content may get, with labels; the current one comes first."""
    state = approval.state_of(content)
    levels = approval.levels_of([content.site_id])[content.site_id]
    may_decide = approval.may_decide(content, approval.reach_of(user).at(content), levels)
    offered: list[DecisionKind] = []
    if state.kind is DecisionKind.APPROVED:
        offered = [DecisionKind.DRAFT, DecisionKind.WAITING] if may_decide else []
    else:
        offered += [] if state.kind is DecisionKind.DRAFT else [DecisionKind.DRAFT]
        offered += [DecisionKind.WAITING] if state.kind in {DecisionKind.DRAFT, DecisionKind.REJECTED} else []
        offered += [DecisionKind.APPROVED] if may_decide else []
    as_it_is = (AS_IT_IS, _("Unchanged: %(state)s") % {"state": describe_state(state, schedule)})
    return [as_it_is, *((kind.value, _words(kind, user, content)) for kind in offered)]


def _words(kind: DecisionKind, user: Any, content: Content) -> str:
    if kind is DecisionKind.WAITING:
        return _("Submit for approval")
    if kind is DecisionKind.APPROVED:
        levels = approval.levels_of([content.site_id])[content.site_id]
        reach = min(approval.reach_of(user).at(content), levels)
        return _("Approve") if reach >= levels else _("Approve up to level %(level)d") % {"level": reach}
    return _("Draft, visible to editors only")


def stays_public(content: Content, user: Any) -> bool:
    """Return whether the content is approved and the administrator may not withdraw that: edits become a draft."""
    if not content.is_checked:
        return False
    return not approval.may_finish(user, content, approval.levels_of([content.site_id])[content.site_id])


def chosen_state(form: ContentForm, sent: Mapping[str, Any]) -> str:
    """The state that the form requests; buttons override the list."""
    if "_draft" in sent:
        return DecisionKind.DRAFT
    if "_publish" in sent:
        return DecisionKind.APPROVED
    return DecisionKind.WAITING if "_hand_in" in sent else form.cleaned_data.get(STATE) or AS_IT_IS


def describe_stored(content_id: int, state: str) -> str:
    if state == AS_IT_IS:
        return _("The content item was saved.")
    stored = approval.state_of(Content.objects.only("is_checked", "checked_level").get(pk=content_id))
    if stored.kind is DecisionKind.PASSED:
        return _("The content item was saved and approved up to level %(level)d.") % {"level": stored.level}
    told = {
        DecisionKind.DRAFT: _("Saved as a draft; only editors can see it."),
        DecisionKind.WAITING: _("The content item was saved and submitted for approval."),
        DecisionKind.APPROVED: _("The content item was saved and approved."),
    }
    return told.get(stored.kind, _("The content item was saved."))


def _bring_into_state(content: Content, state: str, user: Any) -> None:
    """Change the state of a content. Raises InvalidInput if that is not allowed."""
    present = lock_content(content.site_id, content.pk)
    if state == AS_IT_IS or state == approval.state_of(present).kind:
        return
    seen, editor = [Seen(present.site_id, present.pk)], user.get_username()
    if state == DecisionKind.APPROVED:
        only(approval.approve_each(seen, user))
    elif state == DecisionKind.DRAFT:
        if present.is_checked:
            only(approval.withdraw_each(seen, user))
            present = lock_content(content.site_id, content.pk)
        overwrite_each([(present, {"is_checked": False, "checked_level": DRAFT})], editor=editor)
    elif present.is_checked:
        only(approval.withdraw_each(seen, user))
    elif present.checked_level < WAITING:
        only(approval.hand_in_each(seen, editor))


# ---- storing


class Saved(NamedTuple):
    content_id: int
    is_changed: bool = True
    removed: Sequence[str] = ()  # removed from the body by cleaning


def change_content(content: Content, form: ContentForm, user: Any, *, state: str, taken: frozenset[str]) -> Saved:
    """Store the form's changes except `taken` ones. Raises InvalidInput (`changed_meanwhile`) and service errors."""
    stored, written = form.written.values, form.values
    changed = {name: written[name] for name in differences(written, stored) - taken}
    removed = _clean(changed, stored, form)
    members = ContentSerializer.read(wire_members(changed, form.written.fields))
    seen = if_version(form.cleaned_data["seen_version"] or 0)
    with transaction.atomic():
        single.update_content(content.site_id, content.channel_id, content.pk, members, user.get_username(), seen)
        _bring_into_state(content, state, user)
        version = Content.objects.values_list("version", flat=True).get(pk=content.pk)
    return Saved(content.pk, version != content.version, removed)


def add_content(form: ContentForm, user: Any, *, state: str) -> Saved:
    empty, written = form.written.values, form.values
    values = {name: written[name] for name in differences(written, empty) | {"add_date"}}
    removed = _clean(values, empty, form)
    members = ContentSerializer.read(wire_members(values, form.written.fields))
    members.values["checked_level"] = DRAFT if state == DecisionKind.DRAFT else WAITING
    site_id, channel_id = form.written.channel.site_id, form.written.channel.pk
    with transaction.atomic():
        # Prevents trashing the channel, which would cause a database error.
        hold_contents(site_id)
        require_channel(site_id, channel_id)
        content = single.create_content(site_id, channel_id, members, user.get_username())
        if state == DecisionKind.APPROVED:
            _bring_into_state(content, state, user)
    return Saved(content.pk, removed=removed)


def _clean(values: Values, stored: Values, form: ContentForm) -> list[str]:
    removed = clean_values(values, form.written.fields)
    if BODY in values and values[BODY] == stored[BODY]:
        del values[BODY]
    return removed
