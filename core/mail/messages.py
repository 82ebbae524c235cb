from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import get_language

from core.mail.models import OutgoingMail


@dataclass(frozen=True, slots=True)
class Message:
    subject: str
    paragraphs: Sequence[str]
    action: str = ""  # label of the button
    address: str = ""  # its target
    lists: Sequence[tuple[str, Sequence[str]]] = ()  # headings, which may be empty, and lines
    footer: str = ""


def is_set_up() -> bool:
    return bool(settings.CMS_EMAIL_URL)


def queue(recipient: str, message: Message) -> OutgoingMail:
    """Store the message as text and as HTML, in the active language, to be sent after the transaction."""
    context = {"message": message, "language": get_language()}
    return OutgoingMail.objects.create(
        recipient=recipient,
        subject=" ".join(message.subject.split())[:255],
        text=render_to_string("mail/message.txt", context),
        html=render_to_string("mail/message.html", context),
    )
