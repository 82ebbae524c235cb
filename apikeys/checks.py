"""The system check of the setting of API keys: a value that it cannot have stops the start."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from apikeys.models import MOST_REQUESTS
from cms_api.lib.environment import HINT


def check_settings(**_: Any) -> list[CheckMessage]:
    """An error for a limit that is none."""
    number = settings.CMS_KEY_REQUESTS_PER_MINUTE
    if 0 <= number <= MOST_REQUESTS:
        return []
    told = f"CMS_KEY_REQUESTS_PER_MINUTE must be a number from 0 (off) to {MOST_REQUESTS}, and is {number}."
    return [Error(told, hint=HINT, id="apikeys.E001")]
