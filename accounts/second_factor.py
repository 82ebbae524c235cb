"""The second factor of administrators: codes of an authenticator app, and recovery codes in case it is lost."""

import hashlib
import math
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyotp
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import override
from pyotp.exceptions import OTPVerificationError

from accounts.models import CODE_PERIOD, Administrator, RecoveryCode, SecondFactor
from accounts.services import find
from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, LimitReached
from core.mail.messages import Message, is_set_up, queue
from core.notifications.base_url import absolute

REQUIREMENTS = ("off", "highest", "all")  # CMS_REQUIRE_SECOND_FACTOR
RECOVERY_CODES = 10
# Wrong codes within CODE_PERIOD, from all networks: the password is required again; codes of the app are refused.
ASK_AGAIN, REFUSE = 10, 20
_DRIFT = 1  # tolerated difference of the device's clock, in steps of 30 seconds
# Without letters that look like digits: 16 of them are 79 bits, too many to guess from a digest.
_LETTERS, _LENGTH, _GROUP = "abcdefghjkmnpqrstuvwxyz23456789", 16, 4


class SecondFactorRequired(InvalidInput):
    """The password is right, and the account has a second factor."""

    def __init__(self, *, administrator: Administrator) -> None:
        message = "The account has a second factor; send its current code in code."
        super().__init__("second_factor_required", message, member="code")
        self.administrator = administrator


def has(administrator: Administrator) -> bool:
    return SecondFactor.objects.filter(pk=administrator.pk).exists()


def must_set_up(administrator: Administrator) -> bool:
    required = settings.CMS_REQUIRE_SECOND_FACTOR
    is_concerned = required == "all" or (required == "highest" and administrator.is_superuser)
    return is_concerned and not has(administrator)


def draw_secret() -> str:
    return pyotp.random_base32()


def address_for_app(administrator: Administrator, secret: str, issuer: str) -> str:
    """Return the otpauth:// address that the QR code holds."""
    return pyotp.TOTP(secret).provisioning_uri(name=administrator.user_name, issuer_name=issuer)


@transaction.atomic
def set_up(administrator_id: int, secret: str, code: str) -> list[str]:
    """Store the secret if the code is one of its codes, and return recovery codes. Raises InvalidInput."""
    administrator = find(Administrator, administrator_id, lock=True)
    if has(administrator):
        raise InvalidInput("changed_meanwhile", "The account already has a second factor.")
    step = _step_of(secret, _compact(code))
    if step is None:
        raise InvalidInput("second_factor_code_wrong", "The code is wrong.", member="code")
    SecondFactor.objects.create(administrator=administrator, secret=secret, last_step=step)
    audit.record("administrator.second_factor_set_up", administrator)
    return _draw_codes(administrator)


@transaction.atomic
def use_up(administrator: Administrator, code: str) -> bool:
    """Return true if the code of the app or the recovery code is right; it is not accepted again.

    Wrong codes count for the account, from wherever they come. After REFUSE of them, codes of the app raise
    LimitReached; recovery codes, which are too long to guess, still let the owner in.
    """
    # The lock lets no request judge a code before the wrong ones of others have counted.
    factor = SecondFactor.objects.select_for_update().filter(pk=administrator.pk).first()
    if factor is None:
        return False
    wrong, text = factor.recent_wrong_codes, _compact(code)
    if len(text) == _LENGTH:
        is_right = RecoveryCode.objects.filter(administrator=administrator, digest=_digest(text)).delete()[0] == 1
    elif factor.wrong_codes_since and wrong >= REFUSE:
        raise _refusal(factor.wrong_codes_since + CODE_PERIOD - clock.steady())
    else:
        step = _step_of(factor.secret, text)
        is_right = step is not None and step > factor.last_step
        factor.last_step = step if step is not None and is_right else factor.last_step
    if not is_right:
        factor.wrong_codes = wrong + 1
        if factor.wrong_codes in {1, REFUSE}:  # codes are refused for a whole period
            factor.wrong_codes_since = clock.steady()
        if factor.wrong_codes == REFUSE:
            _tell_owner(administrator, _warning)
    factor.save(update_fields=["last_step", "wrong_codes", "wrong_codes_since"])
    return is_right


def recent_wrong_codes(administrator: Administrator) -> int:
    factor = SecondFactor.objects.filter(pk=administrator.pk).first()
    return factor.recent_wrong_codes if factor else 0


def _refusal(left: timedelta) -> LimitReached:
    wait = max(1, math.ceil(left.total_seconds()))
    message = f"There were too many wrong codes for this account; try again in {wait} seconds or use a recovery code."
    return LimitReached("too_many_failures", message, wait=wait)


def _warning(name: str) -> Message:
    return Message(
        subject=_("Someone may know your password"),
        paragraphs=[
            _("Someone entered the password of the account %(name)s, and then %(count)d wrong codes.")
            % {"name": name, "count": REFUSE},
            _("Codes of the app are refused for an hour. Recovery codes still work."),
            _("If it was not you, set a new password."),
        ],
        action=_("Set a new password"),
        address=absolute(reverse("password_reset")),
    )


@transaction.atomic
def renew_codes(administrator_id: int) -> list[str]:
    """Replace the recovery codes. Raises InvalidInput if the second factor has been removed."""
    administrator = _protected(administrator_id)
    administrator.recovery_codes.all().delete()
    audit.record("administrator.recovery_codes_renewed", administrator)
    return _draw_codes(administrator)


def turn_off(administrator_id: int) -> None:
    _remove(administrator_id, "administrator.second_factor_turned_off")


@transaction.atomic
def reset(administrator_id: int) -> None:
    """Remove a lost second factor and notify the administrator by e-mail. Raises NotFound and InvalidInput."""
    _tell_owner(_remove(administrator_id, "administrator.second_factor_reset"), _notice_of_removal)


def _notice_of_removal(name: str) -> Message:
    return Message(
        subject=_("Your second factor was removed"),
        paragraphs=[
            _("The second factor of the account %(name)s was removed. The password is enough to sign in.")
            % {"name": name},
            _("If you did not ask for this, tell the operator of the service."),
        ],
    )


def _tell_owner(administrator: Administrator, compose: Callable[[str], Message]) -> None:
    """Queue an e-mail in the owner's language, if the service sends e-mail and knows the address."""
    if is_set_up() and administrator.email:
        with override(administrator.language or settings.LANGUAGE_CODE):
            queue(administrator.email, compose(administrator.user_name))


@transaction.atomic
def _remove(administrator_id: int, action: str) -> Administrator:
    administrator = _protected(administrator_id)
    SecondFactor.objects.filter(pk=administrator_id).delete()
    administrator.recovery_codes.all().delete()
    audit.record(action, administrator)
    return administrator


def _protected(administrator_id: int) -> Administrator:
    administrator = find(Administrator, administrator_id, lock=True)
    if not has(administrator):
        raise InvalidInput("changed_meanwhile", "The account has no second factor.")
    return administrator


def _step_of(secret: str, code: str) -> int | None:
    """Return the time step whose code it is, if that is now or nearly so."""
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, for_time=time.time(), valid_window=_DRIFT)
    except OTPVerificationError:
        return None


def _compact(code: str) -> str:
    """Return the code without spaces and hyphens, with ASCII characters only."""
    return "".join(letter for letter in code.lower() if letter.isascii() and letter.isalnum())


def _draw_codes(administrator: Administrator) -> list[str]:
    codes = [get_random_string(_LENGTH, _LETTERS) for _number in range(RECOVERY_CODES)]
    rows: list[Any] = [RecoveryCode(administrator=administrator, digest=_digest(code)) for code in codes]
    RecoveryCode.objects.bulk_create(rows)
    return ["-".join(code[start : start + _GROUP] for start in range(0, _LENGTH, _GROUP)) for code in codes]


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
