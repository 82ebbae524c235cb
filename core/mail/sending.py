import logging
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused

from django.core.mail import BadHeaderError, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet

from core.lib import clock
from core.mail.messages import is_set_up
from core.mail.models import OutgoingMail

# Between two attempts: a minute, doubled each time, up to six hours; the last attempt comes after about three days.
_PAUSE, _LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=6)
MAX_ATTEMPTS = 20
_LEEWAY = timedelta(minutes=1)  # between the clocks of two nodes
KEPT = timedelta(days=30)  # of storage of failed messages
_OF_ONE_MESSAGE = (SMTPRecipientsRefused, SMTPDataError, BadHeaderError)
_log = logging.getLogger(__name__)


def send_due() -> None:
    """Send the messages that are due, in order. A message may arrive twice if the process dies while it is sent."""
    if not is_set_up():
        return
    given_up = OutgoingMail.objects.filter(next_attempt_at=None)
    given_up.filter(created_at__lt=clock.now() - KEPT).delete()
    connection = get_connection()
    try:
        while (mail := _claim()) is not None:
            if not _send(mail, connection):
                return
    finally:
        connection.close()


def all_waiting() -> QuerySet[OutgoingMail]:
    return OutgoingMail.objects.filter(next_attempt_at__isnull=False)


def _pause_after(attempts: int) -> timedelta:
    return min(_PAUSE * 2 ** (attempts - 1), _LONGEST_PAUSE) if attempts else timedelta()


@transaction.atomic
def _claim() -> OutgoingMail | None:
    """Return the next due message, postponed, so that no other process sends it too."""
    far = Q()  # the clock has been set back if one is further ahead than its pause
    for attempts in range(MAX_ATTEMPTS):
        far |= Q(attempts=attempts, next_attempt_at__gt=clock.steady(_pause_after(attempts) + _LEEWAY))
    waiting = OutgoingMail.objects.order_by("next_attempt_at", "pk").select_for_update(skip_locked=True)
    mail = waiting.filter(next_attempt_at__lte=clock.steady()).first()
    # The second condition is for the index.
    mail = mail or waiting.filter(far, next_attempt_at__gt=clock.steady(_LEEWAY)).first()
    if mail is not None:
        mail.attempts += 1
        pause = _pause_after(mail.attempts)
        mail.next_attempt_at = clock.steady(pause) if mail.attempts < MAX_ATTEMPTS else None
        mail.save(update_fields=["attempts", "next_attempt_at"])
    return mail


def _send(mail: OutgoingMail, connection: BaseEmailBackend) -> bool:
    """Send the message; return false after an error that the next message would meet too."""
    try:
        message = EmailMultiAlternatives(mail.subject, mail.text, to=[mail.recipient], connection=connection)
        message.attach_alternative(mail.html, "text/html")
        message.send()
    except Exception as error:  # noqa: BLE001 - any library may be behind the backend
        _log.warning("Message %d could not be sent (attempt %d): %s.", mail.pk, mail.attempts, type(error).__name__)
        mail.last_error = f"{type(error).__name__}: {error}"[:255]
        mail.save(update_fields=["last_error"])
        return isinstance(error, _OF_ONE_MESSAGE)
    mail.delete()
    return True
