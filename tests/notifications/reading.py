"""What tests of notifications do: let the tasks run, and read what they stored."""

from django.db import transaction

from contents.notifications import notify_new
from core.mail.models import OutgoingMail
from core.notifications.mailing import queue_due
from core.notifications.models import Notification
from core.notifications.notifying import Subject, notify
from events.numbering import number_new


def follow():
    """Notify of what contents have been through since the last call; the first one only begins."""
    number_new()
    notify_new()


def told():
    """Who was told what: name, kind, and titles."""
    rows = Notification.objects.select_related("administrator").order_by("pk")
    return [(row.administrator.user_name, row.kind, [one["title"] for one in row.params["items"]]) for row in rows]


def tell(administrator, *titles, kind="content.submitted", **options):
    with transaction.atomic():
        subjects = [Subject("content", number, title) for number, title in enumerate(titles, start=1)]
        notify(kind, {administrator.pk: subjects}, **options)


def mails(moved, **pause):
    """The e-mails that are queued after the pause, the oldest first: recipient, subject, text."""
    moved.move(**(pause or {"seconds": 31}))
    queue_due()
    found = [(mail.recipient, mail.subject, mail.text) for mail in OutgoingMail.objects.order_by("pk")]
    OutgoingMail.objects.all().delete()
    return found
