"""Checks the values of fields. Rules have the names of SiteServer 7."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from math import isfinite
from operator import ge, le
from typing import Any, Protocol

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.lib.errors import InvalidInput
from forms.patterns import finds

_MOBILE = re.compile(r"1[3-9]\d{9}", re.ASCII)
_PHONE = re.compile(r"\+?[\d() -]{5,25}", re.ASCII)
_ID_CARD = re.compile(r"\d{17}[\dX]", re.ASCII)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)  # GB 11643
_CHECK_DIGITS = "10X98765432"
_is_url = URLValidator(schemes=["http", "https"])
Check = Callable[[str, str], bool]  # of the value and the rule's own value


class Problems(InvalidInput):
    """Values do not fit their fields; `texts` has a message for each, by the key of the field."""

    def __init__(self, code: str, message: str, *, texts: Mapping[str, str]) -> None:
        super().__init__(code, message)
        self.texts = texts


def _accepts(validator: Callable[[str], Any], text: str) -> bool:
    try:
        validator(text)
    except (ValidationError, ValueError):
        return False
    return True


def _matches(pattern: str, flags: int = re.ASCII) -> Check:
    compiled = re.compile(pattern, flags)
    return lambda text, _value: compiled.fullmatch(text) is not None


def _is_id_card(text: str, _value: str) -> bool:
    if not _ID_CARD.fullmatch(text.upper()):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, text, strict=False))
    return _CHECK_DIGITS[total % 11] == text[-1].upper()


def _are_digits(text: str, value: str) -> bool:
    return text.isascii() and text.isdigit() and (not value or _number(value) == len(text))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _compared(measure: Callable[[str], float | None], compare: Callable[[float, float], bool]) -> Check:
    def check(text: str, value: str) -> bool:
        measured, bound = measure(text), _number(value)
        return bound is None or (measured is not None and compare(measured, bound))

    return check


# Type → the check, and the sentence for a value that fails it.
RULE_TYPES: dict[str, tuple[Check, str | Promise]] = {
    "Email": (lambda text, _value: _accepts(validate_email, text), _("Enter an email address.")),
    "Url": (lambda text, _value: _accepts(_is_url, text), _("Enter an address that begins with http:// or https://.")),
    "Mobile": (lambda text, _value: _MOBILE.fullmatch(text) is not None, _("Enter a mobile number with 11 digits.")),
    "Phone": (lambda text, _value: _PHONE.fullmatch(text) is not None, _("Enter a phone number.")),
    "Chinese": (_matches(r"[\u3400-\u9fff\uf900-\ufaff·]+", 0), _("Enter Chinese characters.")),
    "Alpha": (_matches(r"[A-Za-z]+"), _("Enter letters only.")),
    "AlphaDash": (_matches(r"[A-Za-z0-9_-]+"), _("Enter letters, digits, - and _ only.")),
    "AlphaNum": (_matches(r"[A-Za-z0-9]+"), _("Enter letters and digits only.")),
    "AlphaSpaces": (_matches(r"[A-Za-z ]+"), _("Enter letters and blanks only.")),
    "Integer": (_matches(r"-?\d{1,18}"), _("Enter a whole number.")),
    "Decimal": (_matches(r"-?\d{1,18}(?:\.\d{1,18})?"), _("Enter a number.")),
    "Digits": (_are_digits, _("Enter digits only.")),
    "Zip": (_matches(r"\d{6}"), _("Enter a postcode with six digits.")),
    "IdCard": (_is_id_card, _("Enter the number of an identity card, with 18 digits.")),
    "Min": (_compared(len, ge), _("Enter at least %(value)s characters.")),
    "Max": (_compared(len, le), _("Enter at most %(value)s characters.")),
    "MinValue": (_compared(_number, ge), _("Enter a number of at least %(value)s.")),
    "MaxValue": (_compared(_number, le), _("Enter a number of at most %(value)s.")),
    "Regex": (lambda text, value: finds(value, text), _("This does not have the right form.")),
}
# Kinds of fields that are rules of their own.
RULES_OF_KINDS = {"email": "Email", "tel": "Phone", "number": "Decimal"}
_REQUIRED = _("This is required.")
_NOT_OFFERED = _("Choose from the list.")
_TOO_LONG = _("Enter at most %(value)s characters.")


_MOMENTS: dict[str, Callable[[str], Any]] = {"date": date.fromisoformat, "datetime": datetime.fromisoformat}


class Checked(Protocol):
    """The members of a field that its values are checked by."""

    kind: str
    is_required: bool
    rules: list[dict[str, str]]
    choices: list[str]


def problem_of(field: Checked, value: str | list[str], longest: int) -> str:
    """Return what is wrong with the value, in the current language; empty if it is right."""
    texts = value if isinstance(value, list) else [value]
    if not any(texts):
        return str(_REQUIRED) if field.is_required else ""
    if any(len(text) > longest for text in texts):
        return _TOO_LONG % {"value": longest}
    if field.choices and not set(texts) <= {*field.choices, ""}:
        return str(_NOT_OFFERED)
    if field.kind in _MOMENTS and not _accepts(_MOMENTS[field.kind], texts[0]):
        return str(_("Enter a date, such as 2024-03-01."))
    of_kind = [{"type": RULES_OF_KINDS[field.kind]}] if field.kind in RULES_OF_KINDS else []
    for rule in [*of_kind, *field.rules]:
        check, sentence = RULE_TYPES[rule["type"]]
        bound = rule.get("value", "")
        if not all(check(text, bound) for text in texts if text):
            return rule.get("message") or str(sentence) % {"value": bound}
    return ""
