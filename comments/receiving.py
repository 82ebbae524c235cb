"""Receives comments of visitors with the same protection from spam as forms."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from channels_app.models import ChannelAncestor
from comments.models import MAX_CHARACTERS, MAX_NAME, Comment
from contents.models import Content
from core.admin.places import people_with, places_of
from core.lib import clock
from core.lib.errors import InvalidInput, LimitReached
from core.notifications.kinds import kinds
from core.notifications.notifying import Subject, notify
from forms import receiving
from forms.receiving import Sent
from forms.rules import Problems
from pages.engine.elements.forms import TRAP
from pages.engine.source import CommentRules

PER_MINUTE, PER_HOUR, OF_ALL = 3, 20, 300  # of one network for a site, and of all for a site in an hour
KIND = "comment.submitted"
SAME = timedelta(minutes=10)  # in which equal comments of one network are one


def receive(content: Content, rules: CommentRules, sent: Sent, user: Any, request: HttpRequest) -> Comment:
    """Store the comment; of a user, if there is one. Raises InvalidInput, Problems, and LimitReached."""
    name = (user.display_name or user.user_name) if user else _one(sent, "name")
    text = _one(sent, "text")
    problems = {}
    if not name:
        problems["name"] = _("This is required.")
    elif not user and len(name) > MAX_NAME:
        problems["name"] = _("Enter at most %(value)s characters.") % {"value": MAX_NAME}
    if not text:
        problems["text"] = _("This is required.")
    elif len(text) > MAX_CHARACTERS:
        problems["text"] = _("Enter at most %(value)s characters.") % {"value": MAX_CHARACTERS}
    if problems:
        raise Problems("form_invalid", _("Please check what you entered."), texts=problems)
    parent = _parent(content, _one(sent, "parent"))
    visitor, site = receiving.visitor_of(request), _name(content)
    receiving.count(f"{site} {visitor}", receiving.MINUTE, PER_MINUTE)
    receiving.count(f"{site} {visitor} hour", receiving.HOUR, PER_HOUR)
    is_spam = any(each.strip() for each in sent.get(TRAP, ())) or receiving.has_many_links([name, text])
    digest = sha256(orjson.dumps([visitor, is_spam, content.pk, parent and parent.pk, name, text])).hexdigest()[:32]
    with transaction.atomic():
        # Locked, so that equal comments at once are one.
        if not Content.objects.select_for_update(no_key=True).filter(pk=content.pk).exists():
            raise InvalidInput("comments_closed", _("Comments are closed here."))
        same = content.comments.filter(created_at__gt=clock.now() - SAME, digest=digest).first()
        if same is not None:
            return same
        try:
            receiving.count(f"{site} {'spam' if is_spam else 'all'}", receiving.HOUR, OF_ALL)
        except LimitReached:
            if is_spam:
                return Comment(state=Comment.State.SPAM)  # neither stored nor told
            raise
        state = Comment.State.NEW if rules.are_checked else Comment.State.APPROVED
        now = clock.now()
        comment = Comment.objects.create(
            site_id=content.site_id,
            content=content,
            parent=parent,
            user=user,
            name=name,
            text=text,
            state=Comment.State.SPAM if is_spam else state,
            spam_at=now if is_spam else None,
            created_at=now,
            digest=digest,
        )
        if not is_spam:
            transaction.on_commit(partial(_notify, content, comment), robust=True)
    return comment


def _name(content: Content) -> str:
    """Return a name for counts of the site, which other installations with the same Redis do not use."""
    return f"comments {salted_hmac('comments', str(content.site_id)).hexdigest()[:20]}"


def _one(sent: Sent, name: str) -> str:
    texts: Sequence[str] = sent.get(name, ())
    return receiving.cleaned(texts[0]) if texts else ""


def _parent(content: Content, number: str) -> Comment | None:
    """Return the approved comment that is replied to; of a reply, the one that it replies to."""
    if not number:
        return None
    pk = int(number) if number.isascii() and number.isdecimal() and len(number) < 19 else 0
    found = content.comments.filter(pk=pk, state=Comment.State.APPROVED).select_related("parent").first()
    if found is None:
        raise InvalidInput("comment_not_found", _("The comment that you reply to no longer exists."))
    return found.parent or found


def _notify(content: Content, comment: Comment) -> None:
    """Notify those who may see the comment, once an hour for a site."""
    if not receiving.is_first(f"{_name(content)} notified", receiving.HOUR):
        return
    path = tuple(ChannelAncestor.objects.filter(channel=content.channel_id).values_list("ancestor", flat=True))
    subject, rights = Subject("comment", comment.pk, content.title, content.site_id), kinds()[KIND].permissions
    people = people_with(Q(content_type__app_label="comments", content_type__model="comment"))
    told = (each.pk for each in people if places_of(each, *rights).covers(content.site_id, path))
    with transaction.atomic():
        notify(KIND, {number: [subject] for number in told})
