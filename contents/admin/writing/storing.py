"""Stores what the form of a content says, wholly or not at all, through the services of the API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import transaction

from channels_app.services import hold_contents
from cms_api.rest.cleaning import clean_body
from cms_api.rest.preconditions import if_version
from contents.admin.writing.form import STATE, ContentForm
from contents.admin.writing.states import AS_IT_IS, bring_into_state
from contents.admin.writing.values import BODY, Values, differences, wire_members
from contents.lists.one import require_channel
from contents.models import Content
from contents.services import single
from contents.services.approval import DRAFT, WAITING, Kind
from contents.wire.serializers import ContentSerializer

# What the session remembers of contents that were made in it: the token of the form, and the content's number.
_MADE = "_contents_made"
_MOST_REMEMBERED = 50
_BUTTONS = {"_draft": Kind.DRAFT, "_hand_in": Kind.WAITING}


@dataclass
class Saved:
    """What became of a form: the content, whether anything is other than before, what cleaning took out, the state."""

    content_id: int
    is_changed: bool = True
    removed: list[str] = field(default_factory=list)
    state: str = AS_IT_IS  # that was chosen


def change_content(
    content: Content, stored: Values, form: ContentForm, user: Any, *, state: str, taken: frozenset[str]
) -> Saved:
    """Store what the form changes; values that are `taken` stay as somebody else has stored them meanwhile.

    Raises InvalidInput (`changed_meanwhile`) where the content is not of the version any more that the form has seen,
    and whatever else services refuse.
    """
    written = form.values
    changed = {name: written[name] for name in differences(written, stored) - taken}
    removed = _clean(changed, stored)
    members = ContentSerializer.read(wire_members(changed, form.written.fields))
    with transaction.atomic():
        single.update_content(
            content.site_id,
            content.channel_id,
            content.pk,
            members,
            user.get_username(),
            if_version(form.cleaned_data["seen_version"] or 0),
        )
        bring_into_state(content, state, user)
        version = Content.objects.values_list("version", flat=True).get(pk=content.pk)
    return Saved(content.pk, version != content.version, removed, state)


def add_content(form: ContentForm, user: Any, session: SessionBase, *, state: str) -> Saved:
    """Store a new content; a form that has been sent before leads to the content that it made then."""
    values = {name: form.values[name] for name in differences(form.values, form.written.values)} | {
        "add_date": form.values["add_date"]
    }
    removed = _clean(values, form.written.values)
    members = ContentSerializer.read(wire_members(values, form.written.fields))
    members.values["checked_level"] = DRAFT if state == Kind.DRAFT else WAITING
    site_id, channel_id = form.written.place.site_id, form.written.place.channel.pk
    token = form.cleaned_data["token"]
    with transaction.atomic():
        made = _made_before(session, token)
        if made is not None:
            return Saved(made, state=state)
        # No channel goes to the trash from here on; without it the database would refuse the content by an error.
        hold_contents(site_id)
        require_channel(site_id, channel_id)
        content = single.create_content(site_id, channel_id, members, user.get_username())
        if state == Kind.APPROVED:
            bring_into_state(content, state, user)
        _remember(session, token, content.pk)
    return Saved(content.pk, removed=removed, state=state)


def chosen_state(form: ContentForm, sent: Mapping[str, Any]) -> str:
    """The state that the form asks for; the buttons for a draft and for approval say more than the list."""
    button = next((state for name, state in _BUTTONS.items() if name in sent), None)
    return button or form.cleaned_data.get(STATE) or AS_IT_IS


def _clean(values: Values, stored: Values) -> list[str]:
    """Clean the body, if it is to be stored; what was taken out of it."""
    if BODY not in values:
        return []
    cleaned = clean_body(values[BODY])
    values[BODY] = cleaned.text
    if cleaned.text == stored[BODY]:
        del values[BODY]
    return list(cleaned.removed)


# ---- forms that are sent twice


def _made_before(session: SessionBase, token: str) -> int | None:
    """The content that this form has made. Forms of one session wait here for one another."""
    if not token or not session.session_key:
        return None
    row = Session.objects.select_for_update().filter(pk=session.session_key).first()
    made: dict[str, int] = row.get_decoded().get(_MADE, {}) if row else {}
    found = made.get(token)
    return found if found and Content.objects.present().filter(pk=found).exists() else None


def _remember(session: SessionBase, token: str, content_id: int) -> None:
    if not token or not session.session_key:
        return
    row = Session.objects.filter(pk=session.session_key).first()
    if row is None:
        return
    data = row.get_decoded()
    made = {**data.get(_MADE, {}), token: content_id}
    made = dict(list(made.items())[-_MOST_REMEMBERED:])
    # In this transaction, so that the content and the memory of it are there together; and in the session of this
    # request, which is saved when it ends.
    row.session_data = Session.objects.encode(data | {_MADE: made})
    row.save(update_fields=["session_data"])
    session[_MADE] = made
