"""Asks all nodes to restart; what the endpoint, the command and the page in the back end do."""

import logging

from django.db import transaction
from django.db.models import F

from cms_api import audit
from cms_api.lib import clock
from cms_api.operation.models import RestartOrder
from cms_api.operation.restarts import watching

_log = logging.getLogger(__name__)
_NAME_LENGTH = 255


def ask_from_request() -> bool:
    """Ask for a restart on behalf of the present request; false, with the reason in the log, where none is possible."""
    if not is_possible():
        return False
    record_order()
    return True


def is_possible() -> bool:
    """Whether the server that answers this request can restart; false with the reason in the log."""
    if reason := obstacle():
        _log.warning("No restart: %s", reason)
        return False
    return True


def obstacle() -> str:
    """Why the server that answers this request cannot restart; empty if it can."""
    if watching.is_running():
        return ""
    return "this server was not started with `gunicorn -c python:cms_api.operation.server`."


def record_order() -> RestartOrder:
    """Ask every node for a restart, once more; whoever acts now is the one who asks."""
    with transaction.atomic():
        orders = RestartOrder.objects.filter(pk=1)
        changes = {"number": F("number") + 1, "asked_at": clock.now(), "asked_by": _asker()}
        if not orders.update(**changes):
            # Two may come here at once: the row of one counts, and its lock puts the other after it.
            RestartOrder.objects.bulk_create([RestartOrder(pk=1)], ignore_conflicts=True)
            orders.update(**changes)
        order = orders.get()
        audit.note("system.restart_asked", number=order.number)
    return order


def _asker() -> str:
    actor = audit.current_actor()
    name = f"{actor.key_name} ({actor.name})" if actor.key_name else actor.name
    if actor.kind == "command":
        name = f"{name}: manage.py restart".removeprefix(": ")
    return name[:_NAME_LENGTH]
