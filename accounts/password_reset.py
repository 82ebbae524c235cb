"""Forgotten passwords of administrators: an e-mail with an address where a new one can be set."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import Administrator, PasswordReset
from cms_api import shared_counts
from cms_api.lib import clock
from cms_api.lib.client_address import network_of
from cms_api.lib.errors import LimitReached
from cms_api.mail.messages import Message, queue

MAX_FROM_NETWORK, SECONDS = 20, 15 * 60
MAX_TO_ADDRESS = 3  # within SECONDS; further requests are not answered
_PREFIX = "password resets"  # of the names of counts
_OLDEST = timedelta(hours=1)  # of a request that is still answered


def ask(email: str, base_url: str, language: str, address: str) -> None:
    """Store the request for `answer_asked`. Raises LimitReached (20 per network in 15 minutes)."""
    name = f"{_PREFIX} from {network_of(address) if address else ''}"
    count = shared_counts.add([name], seconds=SECONDS)[name]
    if count.number > MAX_FROM_NETWORK:
        message = f"Too many requests came from this address; try again in {count.seconds_left} seconds."
        raise LimitReached("too_many_failures", message, wait=count.seconds_left)
    PasswordReset.objects.create(email=email, base_url=base_url, language=language)


def answer_asked() -> None:
    """Queue the e-mails that were asked for; nothing for unknown addresses, and for those that had several lately."""
    if not PasswordReset.objects.exists():
        return
    with transaction.atomic():
        asked = list(PasswordReset.objects.order_by("pk").select_for_update(skip_locked=True)[:100])
        for request in asked:
            if request.asked_at >= clock.now() - _OLDEST:
                _answer(request)
        PasswordReset.objects.filter(pk__in=[request.pk for request in asked]).delete()


def _answer(request: PasswordReset) -> None:
    administrator = Administrator.objects.get_queryset().with_email(request.email).filter(is_locked_out=False).first()
    if administrator is None:
        return
    name = f"{_PREFIX} of {administrator.pk}"
    if shared_counts.add([name], seconds=SECONDS)[name].number > MAX_TO_ADDRESS:
        return
    number = urlsafe_base64_encode(force_bytes(administrator.pk))
    path = reverse("password_reset_confirm", args=[number, default_token_generator.make_token(administrator)])
    with override(administrator.language or request.language):
        message = Message(
            subject=_("Set a new password"),
            paragraphs=[
                _("Someone asked for a new password for the account %(name)s.") % {"name": administrator.user_name},
                _("If it was you, set it within %(minutes)d minutes. Otherwise, ignore this message.")
                % {"minutes": settings.PASSWORD_RESET_TIMEOUT // 60},
            ],
            action=_("Set a new password"),
            address=f"{request.base_url}{path}",
        )
        # To the stored address: the typed one may differ in letter case.
        queue(administrator.email, message)
