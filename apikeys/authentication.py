"""API keys of requests, and when each token was last used: written at most once a minute, after the response."""

import logging
from datetime import timedelta
from time import monotonic
from typing import Any

from django.core.signals import request_finished
from django.db import Error, connection
from django.db.models import Q
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apikeys.grants import Grant, grant_of
from apikeys.models import Token
from core.audit.middleware import sent_key
from core.lib import clock
from core.lib.database_faults import told
from core.lib.errors import NotPermitted
from core.lib.statement_limit import without_waiting

logger = logging.getLogger(__name__)

HEADER = "X-SS-API-KEY"
_MISSING = (
    f"No API key was sent. Send it in the header {HEADER}, as Authorization: Bearer ssk1_…, or as the query parameter "
    "apiKey."
)
_INTERVAL = timedelta(minutes=1)
_RETRY = 1  # seconds after a use that could not be written
# When the use of a token is due to be written again (monotonic seconds).
_noted: dict[tuple[type[Token], int], float] = {}
_due: set[tuple[type[Token], int]] = set()


class ApiKeyAuthentication(BaseAuthentication):
    """Authenticates by the key of a header, else of the query; a good query does not make up for a bad header."""

    def authenticate(self, request: Request) -> tuple[Grant, Grant]:
        """Return the grant as `request.user` (for its name) and as `request.auth`. Raises NotPermitted."""
        token = sent_key(request._request)
        if not token:
            raise NotPermitted("key_missing", _MISSING)
        grant = grant_of(token)
        record_use(grant)
        request._request.grant = grant  # type: ignore[attr-defined]  # for the audit, which knows no views
        return grant, grant

    def authenticate_header(self, request: Request) -> str:
        return "ApiKey"  # a challenge, so that refusals are 401, not 403


def record_use(grant: Grant) -> None:
    """Mark the token's use to be written, unless one was written within a minute."""
    if monotonic() < _noted.get(grant.token, 0):
        return
    passed = clock.now() - grant.last_used_at if grant.last_used_at else _INTERVAL
    left = _INTERVAL - passed if timedelta(0) <= passed < _INTERVAL else _INTERVAL
    _noted[grant.token] = monotonic() + left.total_seconds()
    if left == _INTERVAL:
        _due.add(grant.token)


def write_due(**_: Any) -> None:
    """Write the marked uses; after a database error, which is logged, a later use tries again."""
    for token in _due.copy():
        # Another thread may be writing the same tokens.
        _due.discard(token)
        now, (model, token_id) = clock.now(), token
        rows = model._default_manager.filter(pk=token_id)
        try:
            # A long write, such as an import on SQLite, must not block the worker.
            with without_waiting(connection):
                rows.filter(Q(last_used_at=None) | Q(last_used_at__lte=now - _INTERVAL)).update(last_used_at=now)
        except Error as error:
            _noted[token] = monotonic() + _RETRY
            logger.warning("The last use of a key could not be written: %s", told(error))


request_finished.connect(write_due, dispatch_uid="apikeys.authentication")
