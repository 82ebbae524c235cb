from collections.abc import Callable, Collection, Sequence
from typing import Any

import django.db
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db.models import Q

from accounts.hashers import WirePasswordHasher
from accounts.models import Account, Administrator, User
from accounts.peppers import begins, replaced, stored_under
from accounts.second_factor import REQUIREMENTS
from accounts.services import REGISTRATIONS
from accounts.validators import COMPOSITIONS, MAX_LENGTH
from cms_api.lib.environment import HINT

_LOCKOUTS = ("off", "hours", "forever")
_Rule = tuple[str, Callable[[Any], bool]]  # the expected value in words, and a test for it


def _within(least: int, most: int) -> _Rule:
    return f"a number from {least} to {most}", lambda value: least <= value <= most


def _one_of(values: Collection[str]) -> _Rule:
    return f"one of {', '.join(values)}", values.__contains__


_IF_LOST = "If it is lost, set CMS_PASSWORD_PEPPERS to a new secret with a new id, and set new passwords."
_LOOKED_AT = 1000  # accounts of each kind, at the start
_COUNT: _Rule = ("0 (off) or more", lambda value: value >= 0)
_RULES: dict[str, _Rule] = {
    "CMS_PASSWORD_MIN_LENGTH": _within(0, MAX_LENGTH),
    "CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH": _within(0, MAX_LENGTH),
    "CMS_PASSWORD_COMPOSITION": _one_of(COMPOSITIONS),
    "CMS_LOCKOUT": _one_of(_LOCKOUTS),
    "CMS_LOCKOUT_FAILURES": ("1 or more", lambda value: value >= 1),
    # timedelta ends at about 24 million hours.
    "CMS_LOCKOUT_HOURS": ("more than 0 and at most 1,000,000", lambda value: 0 < value <= 1_000_000),
    "CMS_LOGIN_FAILURES_PER_ACCOUNT": _COUNT,
    "CMS_LOGIN_FAILURES_PER_ADDRESS": _COUNT,
    "CMS_LOGIN_FAILURES_EVERYWHERE": _COUNT,
    "CMS_REGISTRATION": _one_of(REGISTRATIONS),
    "CMS_REQUIRE_SECOND_FACTOR": _one_of(REQUIREMENTS),
    "CMS_AVATAR_MAX_BYTES": _within(1000, 64 * 1024 * 1024),
    "CMS_AVATAR_MAX_PIXELS": _within(1000, 100_000_000),
    "CMS_AVATAR_SIDE": _within(16, 4096),
}


def check_settings(**_: Any) -> list[CheckMessage]:
    return [
        Error(f"{name} must be {expected}, not {value!r}.", hint=HINT, id="accounts.E001")
        for name, (expected, is_right) in _RULES.items()
        if not is_right(value := getattr(settings, name))
    ]


def check_peppers(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Warn if stored passwords need a pepper that is missing or was replaced; reads only the oldest accounts."""
    if "default" not in (databases or ()):
        return []
    try:
        administrators, users = map(_count_without_pepper, (Administrator, User))
        others = replaced()
    except django.db.Error:
        return []  # other checks report an unreachable database or missing tables
    found: list[CheckMessage] = []
    if administrators or users:
        told = f"Passwords of administrators ({administrators}) and users ({users}) need a pepper that is missing."
        hint = (
            "Add it to CMS_PASSWORD_PEPPERS, or restore the file password_pepper; until then these passwords "
            "are rejected."
        )
        found.append(Warning(told, hint=f"{hint} {_IF_LOST}", id="accounts.W001"))
    if others:
        told = f"The pepper {', '.join(others)} is not the one used for stored passwords: they are rejected."
        hint = "Restore the value of CMS_PASSWORD_PEPPERS, or the file password_pepper in the data folder."
        found.append(Warning(told, hint=f"{hint} {_IF_LOST}", id="accounts.W002"))
    return found


def _count_without_pepper(kind: type[Account]) -> int:
    algorithm = f"{WirePasswordHasher.algorithm}$"
    known = Q(*map(stored_under, settings.PASSWORD_PEPPERS), _connector=Q.OR)
    # Accounts without a sign-in since a pepper was replaced are among the oldest; a start must not scan the table.
    oldest = kind._default_manager.order_by("pk").values("pk")[:_LOOKED_AT]
    return kind._default_manager.filter(begins(algorithm) & ~known, pk__in=oldest).count()
