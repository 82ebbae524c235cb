from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from apikeys.models import MAX_REQUESTS
from cms_api.lib.environment import HINT


def check_settings(**_: Any) -> list[CheckMessage]:
    number = settings.CMS_KEY_REQUESTS_PER_MINUTE
    if 0 <= number <= MAX_REQUESTS:
        return []
    told = f"CMS_KEY_REQUESTS_PER_MINUTE must be a number from 0 (off) to {MAX_REQUESTS}, not {number}."
    return [Error(told, hint=HINT, id="apikeys.E001")]
