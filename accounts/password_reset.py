"""Forgotten passwords of administrators: an e-mail with an address where a new one can be set."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import Administrator, PasswordReset
from core import shared_counts
from core.lib import clock
from core.lib.client_address import network_of
from core.lib.errors import LimitReached
from core.mail.messages import Message, queue
from core.notifications.base_url import absolute

logger = logging.getLogger(__name__)
MAX_FROM_NETWORK, SECONDS = 20, 15 * 60
MAX_TO_ADDRESS = 3  # within SECONDS; further requests are not answered
_PREFIX = "password resets"  # of the names of counts
_OLDEST = timedelta(hours=1)  # of a request that is still answered


class _Tokens(PasswordResetTokenGenerator):
    """Django's tokens; one that has ended is not valid again when clocks go back."""

    def _now(self) -> datetime:
        return clock.steady()


tokens = _Tokens()


def ask(email: str, language: str, address: str) -> None:
    """Store the request for `answer_asked`. Raises LimitReached (20 per network in 15 minutes)."""
    name = f"{_PREFIX} from {network_of(address) if address else ''}"
    count = shared_counts.add([name], seconds=SECONDS)[name]
    if count.number > MAX_FROM_NETWORK:
        message = f"Too many requests came from this address; try again in {count.seconds_left} seconds."
        raise LimitReached("too_many_failures", message, wait=count.seconds_left)
    PasswordReset.objects.create(email=email, language=language, asked_at=clock.steady())


def answer_asked() -> None:
    """Queue the requested e-mails, except for unknown addresses and addresses that recently received several."""
    if not PasswordReset.objects.exists():
        return
    with transaction.atomic():
        asked = list(PasswordReset.objects.order_by("pk").select_for_update(skip_locked=True)[:100])
        for request in asked:
            if request.asked_at >= clock.steady(-_OLDEST):
                _answer(request)
        PasswordReset.objects.filter(pk__in=[request.pk for request in asked]).delete()


def _answer(request: PasswordReset) -> None:
    administrator = Administrator.objects.get_queryset().with_email(request.email).filter(is_locked_out=False).first()
    if administrator is None:
        return
    if not absolute("/"):
        logger.warning(
            "Forgotten passwords cannot be reset by e-mail: set CMS_ADMIN_URL to the address of the service."
        )
        return
    name = f"{_PREFIX} of {administrator.pk}"
    if shared_counts.add([name], seconds=SECONDS)[name].number > MAX_TO_ADDRESS:
        return
    number = urlsafe_base64_encode(force_bytes(administrator.pk))
    path = reverse("password_reset_confirm", args=[number, tokens.make_token(administrator)])
    with override(administrator.language or request.language):
        message = Message(
            subject=_("Set a new password"),
            paragraphs=[
                _("Someone asked for a new password for the account %(name)s.") % {"name": administrator.user_name},
                _("If it was you, set it within %(minutes)d minutes. Otherwise, ignore this message.")
                % {"minutes": settings.PASSWORD_RESET_TIMEOUT // 60},
            ],
            action=_("Set a new password"),
            address=absolute(path),
        )
        # To the stored address: the typed one may differ in letter case.
        queue(administrator.email, message)
