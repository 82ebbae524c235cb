from typing import Any

from django.core.checks import CheckMessage, Error

from core.lib.environment import HINT
from webhooks.receivers import allowed_networks


def check_settings(**_: Any) -> list[CheckMessage]:
    try:
        allowed_networks()
    except ValueError as error:
        return [Error(f"CMS_WEBHOOK_NETWORKS: {error}.", hint=HINT, id="webhooks.E001")]
    return []
