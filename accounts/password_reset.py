"""Forgotten passwords of administrators and users: an e-mail with an address where a new one can be set."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import Account, Administrator, PasswordReset, User, has_email
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


class _UserTokens(_Tokens):
    key_salt = "accounts.password_reset.users"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{user.pk} {user.password_stamp} {user.email} {timestamp}"


tokens, user_tokens = _Tokens(), _UserTokens()


def ask(email: str, language: str, address: str, member_url: str = "") -> None:
    """Store the request for `answer_asked`. Raises LimitReached (20 per network in 15 minutes)."""
    name = f"{_PREFIX} from {network_of(address) if address else ''}"
    count = shared_counts.add([name], seconds=SECONDS)[name]
    if count.number > MAX_FROM_NETWORK:
        message = f"Too many requests came from this address; try again in {count.seconds_left} seconds."
        raise LimitReached("too_many_failures", message, wait=count.seconds_left)
    PasswordReset.objects.create(email=email, language=language, asked_at=clock.steady(), member_url=member_url)


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
    kind = User if request.member_url else Administrator
    found = kind._default_manager.filter(has_email(request.email)).order_by("pk")
    account: Account | None = next((each for each in found if each.may_sign_in), None)
    if account is None:
        return
    if not (base := request.member_url or absolute("/")):
        logger.warning(
            "Forgotten passwords cannot be reset by e-mail: set CMS_ADMIN_URL to the address of the service."
        )
        return
    name = f"{_PREFIX} of {'user ' if request.member_url else ''}{account.pk}"
    if shared_counts.add([name], seconds=SECONDS)[name].number > MAX_TO_ADDRESS:
        return
    number = urlsafe_base64_encode(force_bytes(account.pk))
    if request.member_url:
        address = f"{base}{number}/{user_tokens.make_token(account)}"  # type: ignore[arg-type]
    else:
        path = reverse("password_reset_confirm", args=[number, tokens.make_token(account)])  # type: ignore[arg-type]
        address = absolute(path)
    with override(getattr(account, "language", "") or request.language):
        message = Message(
            subject=_("Set a new password"),
            paragraphs=[
                _("Someone asked for a new password for the account %(name)s.") % {"name": account.user_name},
                _("If it was you, set it within %(minutes)d minutes. Otherwise, ignore this message.")
                % {"minutes": settings.PASSWORD_RESET_TIMEOUT // 60},
            ],
            action=_("Set a new password"),
            address=address,
        )
        # To the stored address: the typed one may differ in letter case.
        queue(account.email, message)


def user_with(number: str, token: str) -> User | None:
    """Return the user to whom the e-mail with the number and the token went, if they are still valid."""
    try:
        user = User.objects.filter(pk=int(urlsafe_base64_decode(number))).first()
    except (ValueError, OverflowError):
        return None
    is_valid = user is not None and user.may_sign_in and user_tokens.check_token(user, token)
    return user if is_valid else None
