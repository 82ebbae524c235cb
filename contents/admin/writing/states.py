"""The states that whoever writes a content may choose, and how the content gets there."""

from typing import Any

from django.utils.translation import gettext as _

from contents.models import Content
from contents.services import approval
from contents.services.approval import DRAFT, Kind
from contents.storing.locking import lock_content
from contents.storing.overwrite import overwrite

AS_IT_IS = ""


def first_states(user: Any, site_id: int) -> list[tuple[str, str]]:
    """The states of a content that is written now: the strongest that the administrator may give comes last."""
    offered = [Kind.DRAFT, Kind.WAITING]
    if approval.reach_of(user):
        offered.append(Kind.APPROVED)
    return [(kind.value, _words(kind, user, site_id)) for kind in offered]


def next_states(content: Content, user: Any) -> list[tuple[str, str]]:
    """The states that the content may get, the first one being that in which it is."""
    state = approval.state_of(content)
    levels = approval.levels_of([content.site_id])[content.site_id]
    may_decide = approval.may_decide(content, approval.reach_of(user), levels)
    offered: list[Kind] = []
    if state.kind is Kind.APPROVED:
        offered = [Kind.DRAFT, Kind.WAITING] if may_decide else []
    else:
        offered += [] if state.kind is Kind.DRAFT else [Kind.DRAFT]
        offered += [Kind.WAITING] if state.kind in {Kind.DRAFT, Kind.REJECTED} else []
        offered += [Kind.APPROVED] if may_decide else []
    as_it_is = (AS_IT_IS, _("As it is: %(state)s") % {"state": state})
    return [as_it_is, *((kind.value, _words(kind, user, content.site_id)) for kind in offered)]


def stays_public(content: Content, user: Any) -> bool:
    """Whether the content is approved and the administrator may not take that back: what they save is public."""
    return content.is_checked and not approval.may_finish(user, approval.levels_of([content.site_id])[content.site_id])


def _words(kind: Kind, user: Any, site_id: int) -> str:
    if kind is Kind.WAITING:
        return _("Hand in for approval")
    if kind is Kind.APPROVED:
        levels = approval.levels_of([site_id])[site_id]
        reach = min(approval.reach_of(user), levels)
        return _("Approve") if reach >= levels else _("Approve up to level %(level)d") % {"level": reach}
    return _("Draft, seen by editors only")


def tell_stored(content_id: int, state: str) -> str:
    """The sentence that follows a form whose content was stored: what became of it, if a state was chosen."""
    if state == AS_IT_IS:
        return _("The content was saved.")
    stored = approval.state_of(Content.objects.only("is_checked", "checked_level").get(pk=content_id))
    if stored.kind is Kind.PASSED:
        return _("The content was saved and approved up to level %(level)d.") % {"level": stored.level}
    told = {
        Kind.DRAFT: _("Saved as a draft; only editors see it."),
        Kind.WAITING: _("The content was saved and handed in for approval."),
        Kind.APPROVED: _("The content was saved and approved."),
    }
    return told.get(stored.kind, _("The content was saved."))


def bring_into_state(content: Content, state: str, user: Any) -> None:
    """Bring the content, locked by this transaction, into the state. Raises InvalidInput where that may not be."""
    present = lock_content(content.site_id, content.pk)
    if state == AS_IT_IS or state == approval.state_of(present).kind:
        return
    if state == Kind.APPROVED:
        approval.approve(present, user, version=present.version)
    elif state == Kind.DRAFT:
        if present.is_checked:
            approval.withdraw(present, user, version=present.version)
            present = lock_content(content.site_id, content.pk)
        overwrite(present, {"is_checked": False, "checked_level": DRAFT}, editor=user.get_username())
    elif stays_public(present, user):
        approval.hand_in_again(present, user.get_username(), version=present.version)
    elif present.is_checked:
        approval.withdraw(present, user, version=present.version)
    elif present.checked_level < approval.WAITING:
        approval.hand_in(present, user.get_username(), version=present.version)
