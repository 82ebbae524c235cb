"""Queues the e-mails of notifications: one for each administrator and kind, and one digest a day.

Each node may call it at any time: notifications are claimed by their row locks, and marked in the transaction that
queues their e-mail. The pauses gather many notifications in one e-mail.
"""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from core.lib import clock
from core.mail.messages import Message, is_set_up, queue
from core.notifications.base_url import absolute
from core.notifications.kinds import kinds
from core.notifications.models import Email, Notification, NotificationQuerySet
from core.notifications.words import headline, lines, note_of

DELAY = timedelta(seconds=30)  # before an e-mail
PAUSE = timedelta(minutes=10)  # between two e-mails of a kind to an administrator
DIGEST_HOUR = 8  # in CMS_TIME_ZONE
_GRACE = timedelta(minutes=1)  # in which transactions that began before that hour are committed
KEPT = timedelta(days=90)
_BATCH = 1000  # deleted in a transaction

Rows = list[Notification]


def queue_due() -> None:
    """Queue the due e-mails, also after a downtime."""
    if not is_set_up():
        return
    now = clock.now()
    new = Notification.objects.to_mail(Email.NOW)
    # A later time is from before clocks went back.
    _for_each(new.filter(Q(created_at__lte=now - DELAY) | Q(created_at__gt=now)), new, _queue_new)
    of_digest = Notification.objects.to_mail(Email.DAILY).filter(created_at__lt=_last_digest(now))
    _for_each(of_digest, of_digest, _queue_digest)


def delete_old() -> None:
    old = Notification.objects.filter(created_at__lt=clock.now() - KEPT).order_by("created_at")
    while numbers := list(old.values_list("pk", flat=True)[:_BATCH]):
        Notification.objects.filter(pk__in=numbers).delete()


def _last_digest(now: datetime) -> datetime:
    today = datetime.combine(now.date(), time(DIGEST_HOUR))
    return today if now >= today + _GRACE else today - timedelta(days=1)


def _for_each(due: NotificationQuerySet, all_of: NotificationQuerySet, make: Callable[[Any, Rows], Rows]) -> None:
    for number in due.order_by().values_list("administrator_id", flat=True).distinct():
        with transaction.atomic():
            own = all_of.filter(administrator=number, kind__in=kinds()).select_related("administrator")
            rows = list(own.order_by("pk").select_for_update(skip_locked=True, of=("self",)))
            if rows:
                _queue_for(rows[0].administrator, rows, make)


def _queue_for(administrator: Any, rows: Rows, make: Callable[[Any, Rows], Rows]) -> None:
    if administrator.is_locked_out or not administrator.email:
        _mark(rows, email=Email.NEVER)
        return
    with override(administrator.language or settings.LANGUAGE_CODE):
        _mark(make(administrator, rows), mailed_at=clock.now())


def _mark(rows: Rows, **values: Any) -> None:
    Notification.objects.filter(pk__in=[row.pk for row in rows]).update(**values)


def _queue_new(administrator: Any, rows: Rows) -> Rows:
    """Queue an e-mail of each kind that had none lately; return its notifications."""
    now = clock.now()
    lately = Notification.objects.filter(administrator=administrator, mailed_at__gt=now - PAUSE, mailed_at__lte=now)
    paused = set(lately.filter(email=Email.NOW).values_list("kind", flat=True))
    done: Rows = []
    for kind, some in _by_kind(rows).items():
        if kind not in paused:
            _queue(administrator, headline(some), some, [("", lines(some))])
            done += some
    return done


def _queue_digest(administrator: Any, rows: Rows) -> Rows:
    told = ngettext("Daily summary: %(count)d notification", "Daily summary: %(count)d notifications", len(rows))
    lists = [(headline(some), lines(some)) for some in _by_kind(rows).values()]
    _queue(administrator, told % {"count": len(rows)}, rows, lists)
    return rows


def _queue(administrator: Any, subject: str, rows: Rows, lists: list[tuple[str, list[str]]]) -> None:
    is_one = len(rows) == 1
    path = reverse("admin:notification_open", args=[rows[0].pk]) if is_one else reverse("admin:notifications")
    is_of_one_record = is_one and rows[0].params["count"] == 1
    footer = _("Choose which notifications you get: %(address)s")
    choices = absolute(reverse("admin:notification_choices"))
    message = Message(
        subject,
        [note_of(rows[0]) or f"{subject}."] if is_of_one_record else [],
        _("Open") if is_one else _("Show the notifications"),
        absolute(path),
        [] if is_of_one_record else lists,
        footer % {"address": choices} if choices else "",
    )
    queue(administrator.email, message)


def _by_kind(rows: Rows) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for row in rows:
        found.setdefault(row.kind, []).append(row)
    return found
