"""System checks of the settings of passwords and sign-ins: a wrong value stops the start."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from accounts.validators import COMPOSITIONS, MAX_LENGTH

LOCKOUTS = ("off", "hours", "forever")
# setting: (what it must be, whether a value is that)
_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "CMS_PASSWORD_MIN_LENGTH": (f"a number from 0 to {MAX_LENGTH}", lambda value: 0 <= value <= MAX_LENGTH),
    "CMS_PASSWORD_COMPOSITION": (f"one of {', '.join(COMPOSITIONS)}", COMPOSITIONS.__contains__),
    "CMS_LOCKOUT": (f"one of {', '.join(LOCKOUTS)}", LOCKOUTS.__contains__),
    "CMS_LOCKOUT_FAILURES": ("1 or more", lambda value: value >= 1),
    # timedelta ends at some 24 million hours.
    "CMS_LOCKOUT_HOURS": ("more than 0 and at most 1,000,000", lambda value: 0 < value <= 1_000_000),
    "CMS_LOGIN_FAILURES_PER_ACCOUNT": ("0 (off) or more", lambda value: value >= 0),
    "CMS_LOGIN_FAILURES_PER_ADDRESS": ("0 (off) or more", lambda value: value >= 0),
}


def check_settings(**_: Any) -> list[CheckMessage]:
    """An error for each setting with a value that it cannot have."""
    return [
        Error(f"{name} must be {expected}, and is {value!r}.", id="accounts.E001")
        for name, (expected, is_right) in _RULES.items()
        if not is_right(value := getattr(settings, name))
    ]
