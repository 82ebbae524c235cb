"""Notifies those who may see the entries of a form of new ones, at most once an hour.

New entries are read by their numbers, so that no visitor waits for it. A form that has been notified of within the hour
waits in a row of its own.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from core.admin.places import people_with, places_of
from core.admin.ranks import Rank, rank_of
from core.lib import clock
from core.notifications.kinds import kinds
from core.notifications.models import FollowedFeed, Notification
from core.notifications.notifying import Subject, notify
from forms.models import Entry, Form
from forms.rights import path_of

KIND = "form.submitted"
PAUSE = timedelta(hours=1)
_SETTLING = timedelta(seconds=10)  # until transactions with lower numbers have ended
_FEED, _WAITING = "entries", "entries of form "
_BATCH = 2000  # entries in a transaction


def notify_new() -> None:
    """Notify of entries since the last call; each node may call it at any time."""
    while _is_something_due() and _notify_next():
        pass


def _is_something_due() -> bool:
    """Also begin to follow the entries, so that those from before the first call are not notified of."""
    feed = FollowedFeed.objects.filter(pk=_FEED).first()
    if feed is None:
        last = Entry.objects.aggregate(last=Max("pk"))["last"] or 0
        FollowedFeed.objects.bulk_create([FollowedFeed(pk=_FEED, position=last)], ignore_conflicts=True)
        return False
    return bool(_settled(feed.position, clock.now())) or _waiting().exists()


def _settled(position: int, now: datetime) -> list[Entry]:
    """Return the next entries, up to one whose neighbours may not be stored yet."""
    next_ones = Entry.objects.filter(pk__gt=position).order_by("pk").only("form_id", "created_at", "state", "source")
    # A later time is from before clocks went back.
    return list(takewhile(lambda each: not now - _SETTLING < each.created_at <= now, next_ones[:_BATCH]))


def _waiting() -> QuerySet[FollowedFeed]:
    return FollowedFeed.objects.filter(pk__startswith=_WAITING)


@transaction.atomic
def _notify_next() -> bool:
    """Notify of the next entries; return true if there may be more."""
    now = clock.now()
    feed = FollowedFeed.objects.select_for_update(skip_locked=True).filter(pk=_FEED).first()
    if feed is None:  # another node does it
        return False
    new = _settled(feed.position, now)
    due = {int(each.pk.removeprefix(_WAITING)) for each in _waiting()}
    due |= {each.form_id for each in new if each.state == Entry.State.NEW and each.source != Entry.Source.IMPORT}
    lately = Notification.objects.filter(kind=KIND, created_at__gt=now - PAUSE, created_at__lte=now)
    paused = due.intersection(lately.values_list("subject_id", flat=True))
    unread = Entry.objects.filter(form=OuterRef("pk"), state=Entry.State.NEW)
    forms = list(Form.objects.filter(Exists(unread), pk__in=due - paused).order_by("pk")) if due - paused else []
    people = list(people_with(Q(content_type__app_label="forms", content_type__model="entry"))) if forms else []
    for form in forms:
        subject = Subject("form", form.pk, form.title or form.name, form.site_id, query=f"form__id__exact={form.pk}")
        notify(KIND, {number: [subject] for number in who_may_see(form, people)})
    _waiting().exclude(pk__in=[f"{_WAITING}{number}" for number in paused]).delete()
    FollowedFeed.objects.bulk_create(
        [FollowedFeed(pk=f"{_WAITING}{number}", position=0) for number in sorted(paused)], ignore_conflicts=True
    )
    if new:
        FollowedFeed.objects.filter(pk=_FEED).update(position=new[-1].pk)
    return len(new) == _BATCH


def who_may_see(form: Form, people: Iterable[Any]) -> list[int]:
    """Return the ids of those among the people who may see the entries of the form, by the rule of `forms.rights`."""
    path = tuple(path_of(form))
    members = set(form.groups.values_list("user", flat=True)) if form.is_limited else set()
    return [
        each.pk
        for each in people
        if places_of(each, *kinds()[KIND].permissions).covers(form.site_id, path)
        and (not form.is_limited or each.pk in members or rank_of(each) is not Rank.ORDINARY)
    ]
