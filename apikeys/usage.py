"""Notes when a token was last used: rarely, after the answer, and never at a request's expense."""

import logging
from datetime import timedelta
from typing import Any

from django.core.signals import request_finished
from django.db import Error, connection
from django.db.models import Q

from apikeys.grants import Grant
from apikeys.models import ApiKeyToken
from cms_api.lib import clock
from cms_api.lib.database_faults import told
from cms_api.lib.statement_limit import without_waiting

logger = logging.getLogger(__name__)

_INTERVAL = timedelta(minutes=1)
_noted: dict[int, Any] = {}
_due: set[int] = set()


def note(grant: Grant) -> None:
    """Remember to write that the token was used, unless that was written within a minute."""
    now = clock.now()
    last = max(filter(None, (grant.last_used_at, _noted.get(grant.token_id))), default=None)
    if last is None or not timedelta(0) <= now - last < _INTERVAL:
        _noted[grant.token_id] = now
        _due.add(grant.token_id)


def write_due(**_: Any) -> None:
    """Write what `note` has remembered; a database that refuses is logged and forgotten."""
    for token_id in _due.copy():
        # Another thread may be writing the same ones; discard() minds no absence.
        _due.discard(token_id)
        now = clock.now()
        rows = ApiKeyToken.objects.filter(pk=token_id)
        try:
            # A long write, such as an import on SQLite, must not hold the worker.
            with without_waiting(connection):
                rows.filter(Q(last_used_at=None) | Q(last_used_at__lte=now - _INTERVAL)).update(last_used_at=now)
        except Error as error:
            logger.warning("The last use of a key could not be written: %s", told(error))


def connect() -> None:
    """Write after each answer has been sent."""
    request_finished.connect(write_due, dispatch_uid="apikeys.usage")
