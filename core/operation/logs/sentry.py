"""Error reports to Sentry or a compatible service; loaded only with CMS_SENTRY_DSN.

Sentry's Django integration is not used: it triples the time of a short request and adds headers, cookies and bodies.
"""

from typing import Any

import sentry_sdk
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.integrations.dedupe import DedupeIntegration
from sentry_sdk.integrations.excepthook import ExcepthookIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.integrations.threading import ThreadingIntegration

from core.operation.logs.current import current_members, node_name
from core.operation.logs.secrets import hide_secrets, is_secret_name

_TAGS = ("request", "method", "route", "key", "keyName", "administrator")


def begin(dsn: str) -> None:
    """Report the errors of this process and of the processes it forks."""
    sentry_sdk.init(
        dsn,
        server_name=node_name(),
        send_default_pii=False,
        include_local_variables=False,  # they hold tokens and bodies
        max_request_body_size="never",
        auto_session_tracking=False,
        # Others report command lines, requested addresses and data stored in Redis.
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            LoggingIntegration(),
            ExcepthookIntegration(),
            ThreadingIntegration(),
            DedupeIntegration(),
            AtexitIntegration(callback=lambda pending, timeout: None),
        ],
        before_send=clean_event,
        before_breadcrumb=clean_breadcrumb,
    )


def clean_event(event: Any, hint: dict[str, Any]) -> Any:
    """Drop all data of the client, except id, method and route; None for Django's record of a 5xx, already reported."""
    if event.get("logger") == "django.request" and "exception" not in event:
        return None
    for name in ("request", "user", "extra", "modules"):
        event.pop(name, None)
    record = hint.get("log_record")
    members = current_members(getattr(record, "request", None))
    event["tags"] = {**(event.get("tags") or {}), **{name: str(members[name]) for name in _TAGS if name in members}}
    if "route" in members:
        event["transaction"] = f"{members['method']} {members['route']}"
    return _clean(event)


def clean_breadcrumb(breadcrumb: Any, hint: dict[str, Any]) -> Any:
    breadcrumb["data"] = {}
    return _clean(breadcrumb)


def _clean(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return hide_secrets(value)
    if depth > 20:
        return None
    if isinstance(value, dict):
        return {name: "***" if is_secret_name(name) else _clean(member, depth + 1) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, depth + 1) for item in value]
    return value
