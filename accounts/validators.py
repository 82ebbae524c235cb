"""Rules for new passwords."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_noop, ngettext

from cms_api.rest.errors import BadRequest

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
    """CMS_PASSWORD_MIN_LENGTH to MAX_LENGTH characters, composed as CMS_PASSWORD_COMPOSITION says."""

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError saying what is missing."""
        if problem := _problem(password):
            code, message = problem
            raise ValidationError(message, code=code)

    def get_help_text(self) -> str:
        """The rule as a sentence for forms."""
        least = max(1, settings.CMS_PASSWORD_MIN_LENGTH)
        needed = COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
        rule = ngettext("At least %(count)d character.", "At least %(count)d characters.", least) % {"count": least}
        return f"{rule} {gettext(_TOO_SIMPLE[settings.CMS_PASSWORD_COMPOSITION])}" if needed else rule


def refuse_weak(password: str, *, member: str) -> None:
    """Raises BadRequest (`password_too_weak`) for a new password against the rules; `member` is its wire name."""
    # Not by way of a ValidationError: it refers to itself, and would keep the password in memory for a while.
    if problem := _problem(password):
        raise BadRequest("password_too_weak", f"{member} is too weak. {problem[1]}", member=member)


def why_weak(password: str) -> str:
    """The rule that a new password breaks, as a sentence for pages; "" if it breaks none."""
    problem = _problem(password)
    return problem[1] if problem else ""


def _problem(password: str) -> tuple[str, str] | None:
    """What is wrong with a new password, as a word for programs and a sentence: in English but on Chinese pages."""
    if not password or len(password) < settings.CMS_PASSWORD_MIN_LENGTH:
        least = max(1, settings.CMS_PASSWORD_MIN_LENGTH)
        told = ngettext(
            "A password has at least %(count)d character.", "A password has at least %(count)d characters.", least
        )
        return "password_too_short", told % {"count": least}
    if len(password) > MAX_LENGTH:
        return "password_too_long", gettext("A password has at most %(count)d characters.") % {"count": MAX_LENGTH}
    needed = COMPOSITIONS[settings.CMS_PASSWORD_COMPOSITION]
    if not all(any(map(test, password)) for test in needed.values()):
        return "password_too_simple", gettext(_TOO_SIMPLE[settings.CMS_PASSWORD_COMPOSITION])
    return None
