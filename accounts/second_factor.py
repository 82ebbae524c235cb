"""The second factor of administrators: codes of an authenticator app, and recovery codes in case it is lost."""

import hashlib
import time
from typing import Any

import pyotp
from django.conf import settings
from django.db import transaction
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import override
from pyotp.exceptions import OTPVerificationError

from accounts.models import Administrator, RecoveryCode, SecondFactor
from accounts.services import find
from cms_api import audit
from cms_api.lib.errors import InvalidInput
from cms_api.mail.messages import Message, is_set_up, queue

REQUIREMENTS = ("off", "highest", "all")  # CMS_REQUIRE_SECOND_FACTOR
RECOVERY_CODES = 10
_DRIFT = 1  # steps of 30 seconds by which the clock of the device may differ
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


def use_up(administrator: Administrator, code: str) -> bool:
    """Return true if the code of the app or the recovery code is right; it is not accepted again."""
    text = _compact(code)
    if len(text) == _LENGTH:
        return RecoveryCode.objects.filter(administrator=administrator, digest=_digest(text)).delete()[0] == 1
    factor = SecondFactor.objects.filter(pk=administrator.pk).first()
    step = _step_of(factor.secret, text) if factor else None
    if step is None:
        return False
    # In one statement, so that only one of two requests with the same code succeeds.
    return SecondFactor.objects.filter(pk=administrator.pk, last_step__lt=step).update(last_step=step) == 1


@transaction.atomic
def renew_codes(administrator_id: int) -> list[str]:
    """Replace the recovery codes. Raises InvalidInput if the second factor is gone."""
    administrator = _protected(administrator_id)
    administrator.recovery_codes.all().delete()
    audit.record("administrator.recovery_codes_renewed", administrator)
    return _draw_codes(administrator)


def turn_off(administrator_id: int) -> None:
    _remove(administrator_id, "administrator.second_factor_turned_off")


@transaction.atomic
def reset(administrator_id: int) -> None:
    """Remove a lost second factor and tell the administrator by e-mail. Raises NotFound and InvalidInput."""
    administrator = _remove(administrator_id, "administrator.second_factor_reset")
    if not is_set_up() or not administrator.email:
        return
    with override(administrator.language or settings.LANGUAGE_CODE):
        paragraphs = [
            _("The second factor of the account %(name)s was removed. The password is enough to sign in.")
            % {"name": administrator.user_name},
            _("If you did not ask for this, tell the operator of the service."),
        ]
        queue(administrator.email, Message(subject=_("Your second factor was removed"), paragraphs=paragraphs))


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
