"""System checks of accounts: a setting with a value that it cannot have stops the start, a lost pepper is told."""

from collections.abc import Callable, Sequence
from typing import Any

import django.db
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db.models import Q

from accounts.hashers import WirePasswordHasher
from accounts.models import Account, Administrator, User
from accounts.peppers import begins, replaced, stored_under
from accounts.registration import REGISTRATIONS
from accounts.validators import COMPOSITIONS, MAX_LENGTH
from cms_api.lib.environment import HINT

LOCKOUTS = ("off", "hours", "forever")
Rule = tuple[str, Callable[[Any], bool]]  # what a setting must be, whether a value is that


def _within(least: int, most: int) -> Rule:
    return f"a number from {least} to {most}", lambda value: least <= value <= most


_IF_LOST = "If it is lost, set CMS_PASSWORD_PEPPERS to a new secret with a new id and give new passwords."
_LOOKED_AT = 1000  # accounts of each kind, at the start
_RULES: dict[str, Rule] = {
    "CMS_PASSWORD_MIN_LENGTH": _within(0, MAX_LENGTH),
    "CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH": _within(0, MAX_LENGTH),
    "CMS_PASSWORD_COMPOSITION": (f"one of {', '.join(COMPOSITIONS)}", COMPOSITIONS.__contains__),
    "CMS_LOCKOUT": (f"one of {', '.join(LOCKOUTS)}", LOCKOUTS.__contains__),
    "CMS_LOCKOUT_FAILURES": ("1 or more", lambda value: value >= 1),
    # timedelta ends at some 24 million hours.
    "CMS_LOCKOUT_HOURS": ("more than 0 and at most 1,000,000", lambda value: 0 < value <= 1_000_000),
    "CMS_LOGIN_FAILURES_PER_ACCOUNT": ("0 (off) or more", lambda value: value >= 0),
    "CMS_LOGIN_FAILURES_PER_ADDRESS": ("0 (off) or more", lambda value: value >= 0),
    "CMS_LOGIN_FAILURES_EVERYWHERE": ("0 (off) or more", lambda value: value >= 0),
    "CMS_REGISTRATION": (f"one of {', '.join(REGISTRATIONS)}", REGISTRATIONS.__contains__),
    "CMS_AVATAR_MAX_BYTES": _within(1000, 64 * 1024 * 1024),
    "CMS_AVATAR_MAX_PIXELS": _within(1000, 100_000_000),
    "CMS_AVATAR_SIDE": _within(16, 4096),
}


def check_settings(**_: Any) -> list[CheckMessage]:
    """An error for each setting with a value that it cannot have."""
    return [
        Error(f"{name} must be {expected}, and is {value!r}.", hint=HINT, id="accounts.E001")
        for name, (expected, is_right) in _RULES.items()
        if not is_right(value := getattr(settings, name))
    ]


def check_peppers(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A warning when stored passwords need a pepper that is missing or was replaced; looks at the oldest accounts."""
    if "default" not in (databases or ()):
        return []
    try:
        administrators, users = map(_count_without_pepper, (Administrator, User))
        others = replaced()
    except django.db.Error:
        return []  # of a database that does not answer, or has no tables yet, others tell
    found: list[CheckMessage] = []
    if administrators or users:
        told = f"The passwords of administrators ({administrators}) and users ({users}) need a pepper that is missing."
        hint = "Add it to CMS_PASSWORD_PEPPERS, or restore the file password_pepper; they are refused until then."
        found.append(Warning(told, hint=f"{hint} {_IF_LOST}", id="accounts.W001"))
    if others:
        told = f"The pepper {', '.join(others)} is not the one with which stored passwords were made: they are refused."
        hint = "Restore the value of CMS_PASSWORD_PEPPERS, or the file password_pepper in the data folder."
        found.append(Warning(told, hint=f"{hint} {_IF_LOST}", id="accounts.W002"))
    return found


def _count_without_pepper(kind: type[Account]) -> int:
    algorithm = f"{WirePasswordHasher.algorithm}$"
    known = Q(*map(stored_under, settings.PASSWORD_PEPPERS), _connector=Q.OR)
    # Who has not signed in since a pepper was replaced is among the oldest, and a start must not read a whole table.
    oldest = kind._default_manager.order_by("pk").values("pk")[:_LOOKED_AT]
    return kind._default_manager.filter(begins(algorithm) & ~known, pk__in=oldest).count()
