from collections.abc import Collection, Sequence
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
from accounts.validators import COMPOSITIONS
from core.lib.environment import HINT

_IF_LOST = "If it is lost, set CMS_PASSWORD_PEPPERS to a new secret with a new id, and set new passwords."
_LOOKED_AT = 1000  # accounts of each kind, at the start
_CHOICES: dict[str, Collection[str]] = {
    "CMS_PASSWORD_COMPOSITION": COMPOSITIONS,
    "CMS_LOCKOUT": ("off", "hours", "forever"),
    "CMS_REGISTRATION": REGISTRATIONS,
    "CMS_REQUIRE_SECOND_FACTOR": REQUIREMENTS,
}


def check_settings(**_: Any) -> list[CheckMessage]:
    return [
        Error(f"{name} must be one of {', '.join(choices)}, not {value!r}.", hint=HINT, id="accounts.E001")
        for name, choices in _CHOICES.items()
        if (value := getattr(settings, name)) not in choices
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
