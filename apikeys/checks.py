from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from apikeys.models import MAX_REQUESTS
from cms_api.lib.environment import HINT

_MAX_DAYS = 3650


def check_settings(**_: Any) -> list[CheckMessage]:
    problems: list[CheckMessage] = []
    number, days = settings.CMS_KEY_REQUESTS_PER_MINUTE, settings.CMS_LEGACY_KEY_DAYS
    if not 0 <= number <= MAX_REQUESTS:
        told = f"CMS_KEY_REQUESTS_PER_MINUTE must be a number from 0 (off) to {MAX_REQUESTS}, not {number}."
        problems.append(Error(told, hint=HINT, id="apikeys.E001"))
    if not 1 <= days <= _MAX_DAYS:
        told = f"CMS_LEGACY_KEY_DAYS must be a number of days from 1 to {_MAX_DAYS}, not {days}."
        problems.append(Error(told, hint=HINT, id="apikeys.E002"))
    return problems
