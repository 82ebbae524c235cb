"""Messages as Standard Webhooks (standardwebhooks.com) define them: body, headers and signatures."""

import base64
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from django.conf import settings
from django.views.decorators.debug import sensitive_variables
from standardwebhooks import Webhook as Signer

from core import __version__

_SECRET_BYTES = 32


def make_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def body_of(message_id: str, name: str, at: datetime, data: Mapping[str, Any]) -> str:
    """Return the JSON text; `at` is a wall-clock time of CMS_TIME_ZONE, sent with its offset."""
    timestamp = at.replace(tzinfo=ZoneInfo(settings.TIME_ZONE)).isoformat()
    return orjson.dumps({"id": message_id, "type": name, "timestamp": timestamp, "data": dict(data)}).decode()


@sensitive_variables("keys")
def headers_of(message_id: str, body: str, keys: Iterable[str]) -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "Content-Type": "application/json",
        "User-Agent": f"cms-api/{__version__}",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(Signer(key).sign(message_id, now, body) for key in keys),
    }
