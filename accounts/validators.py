"""Rules for new passwords."""

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import get_default_password_validators, password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_noop, ngettext

from cms_api.lib.errors import InvalidInput

MAX_LENGTH = 256  # characters
Test = Callable[[str], bool]


def _is_symbol(character: str) -> bool:
    return not character.isalpha() and not character.isdecimal()


# CMS_PASSWORD_COMPOSITION: what of each kind there must be one (original-behaviour §8.1), in the sense of Unicode.
COMPOSITIONS: dict[str, dict[str, Test]] = {
    "None": {},
    "LetterAndDigit": {"a letter": str.isalpha, "a digit": str.isdecimal},
    "LetterAndDigitAndSymbol": {"a letter": str.isalpha, "a digit": str.isdecimal, "a symbol": _is_symbol},
}

_TOO_SIMPLE = {
    "LetterAndDigit": gettext_noop("A password has a letter and a digit."),
    "LetterAndDigitAndSymbol": gettext_noop("A password has a letter, a digit and a symbol."),
}


class CompositionValidator:
    """At least `min_length` and CMS_PASSWORD_MIN_LENGTH characters, composed as CMS_PASSWORD_COMPOSITION says."""

    def __init__(self, min_length: int = 0) -> None:
        self._min_length = min_length

    @property
    def _least(self) -> int:
        return max(1, self._min_length, int(settings.CMS_PASSWORD_MIN_LENGTH))

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError saying what is missing."""
        if len(password) < self._least:
            told = ngettext(
                "A password has at least %(count)d character.",
                "A password has at least %(count)d characters.",
                self._least,
            )
            raise ValidationError(told % {"count": self._least}, code="password_too_short")
        if len(password) > MAX_LENGTH:
            told = gettext("A password has at most %(count)d characters.") % {"count": MAX_LENGTH}
            raise ValidationError(told, code="password_too_long")
        needed = COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
        if not all(any(map(test, password)) for test in needed.values()):
            raise ValidationError(gettext(_TOO_SIMPLE[settings.CMS_PASSWORD_COMPOSITION]), code="password_too_simple")

    def get_help_text(self) -> str:
        needed = COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
        rule = ngettext("At least %(count)d character.", "At least %(count)d characters.", self._least) % {
            "count": self._least
        }
        return f"{rule} {gettext(_TOO_SIMPLE[settings.CMS_PASSWORD_COMPOSITION])}" if needed else rule


def validators_of(kind: type[Model]) -> Sequence[Any]:
    """The rules for passwords of accounts of that kind: AUTH_PASSWORD_VALIDATORS are those of administrators."""
    return get_default_password_validators() if kind is get_user_model() else [CompositionValidator()]


def _help_text_of(kind: type[Model]) -> str:
    return str(password_validators_help_text_html(validators_of(kind)))


help_text_of = lazy(_help_text_of, str)  # the rules for new passwords of accounts of that kind, for a form


def refuse_weak(account: Model, password: str, *, member: str) -> None:
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
            # The error refers to itself and, through its traceback, to the password. Break the cycle, so that the
            # password does not stay in memory until the next garbage collection.
            error.__traceback__ = None
            error.error_list = []
            return told
    return ""
