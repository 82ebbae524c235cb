from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import get_default_password_validators, password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_noop, ngettext

from core.lib.errors import InvalidInput

MAX_LENGTH = 256  # characters


def _is_symbol(character: str) -> bool:
    return not character.isalpha() and not character.isdecimal()


# CMS_PASSWORD_COMPOSITION: a password needs a character of each kind, in the sense of Unicode, as in SiteServer.
COMPOSITIONS: dict[str, tuple[str, tuple[Callable[[str], bool], ...]]] = {
    "None": ("", ()),
    "LetterAndDigit": (gettext_noop("A password must contain a letter and a digit."), (str.isalpha, str.isdecimal)),
    "LetterAndDigitAndSymbol": (
        gettext_noop("A password must contain a letter, a digit and a symbol."),
        (str.isalpha, str.isdecimal, _is_symbol),
    ),
}


class CompositionValidator:
    """Requires at least `min_length` and CMS_PASSWORD_MIN_LENGTH characters, and CMS_PASSWORD_COMPOSITION."""

    def __init__(self, min_length: int = 0) -> None:
        self._min_length = min_length

    @property
    def _least(self) -> int:
        return max(1, self._min_length, int(settings.CMS_PASSWORD_MIN_LENGTH))

    def validate(self, password: str, user: object = None) -> None:
        least = self._least
        if len(password) < least:
            told = ngettext(
                "A password must have at least %(count)d character.",
                "A password must have at least %(count)d characters.",
                least,
            )
            raise ValidationError(told % {"count": least}, code="password_too_short")
        if len(password) > MAX_LENGTH:
            told = gettext("A password must have at most %(count)d characters.") % {"count": MAX_LENGTH}
            raise ValidationError(told, code="password_too_long")
        rule, tests = COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
        if not all(any(map(test, password)) for test in tests):
            raise ValidationError(gettext(rule), code="password_too_simple")

    def get_help_text(self) -> str:
        least, (rule, _tests) = self._least, COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
        length = ngettext("At least %(count)d character.", "At least %(count)d characters.", least) % {"count": least}
        return f"{length} {gettext(rule)}" if rule else length


def validators_of(kind: type[Model]) -> Sequence[Any]:
    """Return the password rules: AUTH_PASSWORD_VALIDATORS apply to administrators only."""
    return get_default_password_validators() if kind is get_user_model() else [CompositionValidator()]


def _help_text_of(kind: type[Model]) -> str:
    return str(password_validators_help_text_html(validators_of(kind)))


help_text_of = lazy(_help_text_of, str)  # for a form field


def raise_if_weak(account: Model, password: str, *, member: str) -> None:
    """Raises InvalidInput (`password_too_weak`) for a new password against the rules; `member` is its wire name."""
    if problem := why_weak(account, password):
        raise InvalidInput("password_too_weak", f"{member} is too weak. {problem}", member=member)


def why_weak(account: Model, password: str) -> str:
    """Return the first rule that the new password breaks, as a sentence in the active language, or ""."""
    for validator in validators_of(type(account)):
        try:
            validator.validate(password, account)
        except ValidationError as error:
            told = " ".join(error.messages)
            # Break the error's reference cycle: its traceback would keep the password in memory until the next garbage
            # collection.
            error.__traceback__ = None
            error.error_list = []
            return told
    return ""
