import logging
import time
from datetime import datetime, timedelta
from threading import Event

from django.conf import settings
from django.db import OperationalError, connections, transaction
from django.db.models import F, QuerySet

from core import audit
from core.lib import clock
from core.operation import shared_settings
from core.operation.models import Node, RestartRequest
from core.operation.start import Start

_log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 10
SILENT_SECONDS = 30
BY_SIGNAL = "SIGHUP"
# How long after the record of a restart its signal may arrive.
_LATENESS = timedelta(seconds=3)
# The longest time a node takes to check and load new code.
_EXCHANGE = timedelta(seconds=150)
_TRIES, _PAUSE = 30, 1.0  # seconds between two of them


# Set in a worker of a server that restarts; also while it ends, for its successor looks for orders.
watched = Event()


def obstacle() -> str:
    """Return why this server cannot restart; empty if it can."""
    return "" if watched.is_set() else "this server was not started with `gunicorn -c python:server.configuration`."


def is_possible() -> bool:
    """Return true if this server can restart; otherwise log the reason."""
    if reason := obstacle():
        _log.warning("No restart: %s", reason)
    return not reason


def living() -> QuerySet[Node]:
    return Node.objects.filter(seen_at__gte=clock.steady(-timedelta(seconds=SILENT_SECONDS)))


def last_order() -> RestartRequest:
    return RestartRequest.objects.filter(pk=1).first() or RestartRequest(pk=1)


def record_order() -> RestartRequest:
    """Order a restart of every node, on behalf of the current actor."""
    actor = audit.current_actor()
    asker = f"{actor.key_name} ({actor.name})" if actor.key_name else actor.name
    if actor.kind == "command":
        asker = f"{asker}: manage.py restart".removeprefix(": ")
    with transaction.atomic():
        orders = RestartRequest.objects.filter(pk=1)
        changes = {"number": F("number") + 1, "asked_at": clock.now(), "asked_by": asker[:255]}
        if not orders.update(**changes):
            # Two requests may get here concurrently: one row is stored, and its lock orders the updates.
            RestartRequest.objects.bulk_create([RestartRequest(pk=1)], ignore_conflicts=True)
            orders.update(**changes)
        order = orders.get()
        audit.record("system.restart_asked", number=order.number)
    return order


def record_start(start: Start) -> Node:
    order = last_order()
    covers = order.number if start.covers is None else start.covers
    node, created = Node.objects.get_or_create(
        name=start.name, defaults={"started_at": start.at, "seen_at": clock.steady(), "answered": covers}
    )
    if not created and node.started_at == start.at:
        return node
    node.started_at, node.seen_at, node.problem = start.at, clock.steady(), ""
    node.settings = shared_settings.digests()
    if start.replaced_at is not None:
        if node.restarted_at is None or node.restarted_at < start.replaced_at - _LATENESS:
            node.restarted_at, node.restarted_by = start.replaced_at, BY_SIGNAL
    elif start.covers is not None and start.covers > node.answered:
        node.answered, node.restarted_at, node.restarted_by = start.covers, start.at, order.asked_by
    node.save()
    for told in shared_settings.sentences(living().order_by("name")):
        _log.warning("%s %s", told, shared_settings.REMEDY)
    return node


def beat(node: Node) -> bool:
    """Record that the node is alive; false if its row was removed or another server has taken its name."""
    seen = Node.objects.filter(pk=node.pk, started_at=node.started_at)
    return bool(seen.update(seen_at=clock.steady()))


def is_exchanging(node: Node) -> bool:
    """Return true if a restart has begun and has neither succeeded nor failed, until it times out."""
    if node.restarted_at is None or node.restarted_at <= node.started_at or node.problem:
        return False
    return timedelta() <= datetime.now() - node.restarted_at < _EXCHANGE


def may_restart(node: Node) -> bool:
    if node.restarted_at is None:
        return True
    passed = (datetime.now() - node.restarted_at).total_seconds()
    # Negative if the clock was set back.
    return not 0 <= passed < settings.CMS_RESTART_MIN_SECONDS


def record_restart(node: Node, order: RestartRequest) -> None:
    node.answered, node.restarted_at, node.restarted_by = order.number, datetime.now(), order.asked_by
    node.problem = ""
    node.save(update_fields=["answered", "restarted_at", "restarted_by", "problem"])


def record_problem(name: str, problem: str) -> None:
    """Record why the node's last restart failed; for a separate process, which tries again while the database is busy.

    Unrecorded, the restart would count as under way until it times out.
    """
    for tries_left in reversed(range(_TRIES)):
        try:
            Node.objects.filter(name=name).update(problem=problem)
            return
        except OperationalError:
            if not tries_left:
                raise
            time.sleep(_PAUSE)
        finally:
            connections.close_all()


def waiting(order: RestartRequest) -> QuerySet[Node]:
    behind = living().filter(answered__lt=order.number)
    # Between the signal and the start of the new code.
    exchanging = living().filter(
        started_at__lt=F("restarted_at"), restarted_at__gt=datetime.now() - _EXCHANGE, problem=""
    )
    return behind | exchanging


def forget(node: Node) -> bool:
    """Delete the row of a silent node; false if it is alive."""
    silent = Node.objects.filter(pk=node.pk, seen_at__lt=clock.steady(-timedelta(seconds=SILENT_SECONDS)))
    return bool(silent.delete()[0])
