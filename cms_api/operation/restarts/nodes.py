"""The rows of nodes: what each server that runs tells of itself, and what others may know by it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connections
from django.db.models import F, QuerySet

from cms_api.operation.models import Node, RestartOrder
from cms_api.operation.restarts.start import Start

HEARTBEAT_SECONDS = 10
SILENT_SECONDS = 30
BY_SIGNAL = "SIGHUP"
# How much later than the note of a restart its signal may arrive.
_LATENESS = timedelta(seconds=3)
# The longest time that a node takes to try new code and to load it.
_EXCHANGE = timedelta(seconds=150)


def living() -> QuerySet[Node]:
    return Node.objects.filter(seen_at__gte=datetime.now() - timedelta(seconds=SILENT_SECONDS))


def last_order() -> RestartOrder:
    return RestartOrder.objects.filter(pk=1).first() or RestartOrder(pk=1)


def record_start(start: Start) -> Node:
    order = last_order()
    covers = order.number if start.covers is None else start.covers
    node, created = Node.objects.get_or_create(
        name=start.name, defaults={"started_at": start.at, "seen_at": datetime.now(), "answered": covers}
    )
    if not created and node.started_at == start.at:
        return node
    node.started_at, node.seen_at, node.problem = start.at, datetime.now(), ""
    if start.replaced_at is not None:
        if node.restarted_at is None or node.restarted_at < start.replaced_at - _LATENESS:
            node.restarted_at, node.restarted_by = start.replaced_at, BY_SIGNAL
    elif start.covers is not None and start.covers > node.answered:
        node.answered, node.restarted_at, node.restarted_by = start.covers, start.at, order.asked_by
    node.save()
    return node


def beat(node: Node) -> bool:
    """Tell that the node lives; false if its row is gone, or another server has taken its name."""
    seen = Node.objects.filter(pk=node.pk, started_at=node.started_at)
    return bool(seen.update(seen_at=datetime.now()))


def is_exchanging(node: Node) -> bool:
    """Whether a restart of the node has begun and neither come about nor failed; given up after a while."""
    if node.restarted_at is None or node.restarted_at <= node.started_at or node.problem:
        return False
    return timedelta() <= datetime.now() - node.restarted_at < _EXCHANGE


def may_restart(node: Node) -> bool:
    """Whether the last restart of the node began long enough ago."""
    if node.restarted_at is None:
        return True
    passed = (datetime.now() - node.restarted_at).total_seconds()
    # Less than none has passed when clocks were set back.
    return not 0 <= passed < settings.CMS_RESTART_MIN_SECONDS


def record_restart(node: Node, order: RestartOrder) -> None:
    """Note that the node now restarts as ordered."""
    node.answered, node.restarted_at, node.restarted_by = order.number, datetime.now(), order.asked_by
    node.problem = ""
    node.save(update_fields=["answered", "restarted_at", "restarted_by", "problem"])


def record_problem(name: str, problem: str) -> None:
    """Note why the last restart of the node did not come about; for a process of its own."""
    try:
        Node.objects.filter(name=name).update(problem=problem)
    finally:
        connections.close_all()


def waiting(order: RestartOrder) -> QuerySet[Node]:
    """The living nodes that have not yet restarted as ordered, nor told why they cannot."""
    behind = living().filter(answered__lt=order.number)
    # Between the signal and the start with the new code.
    exchanging = living().filter(
        started_at__lt=F("restarted_at"), restarted_at__gt=datetime.now() - _EXCHANGE, problem=""
    )
    return behind | exchanging


def forget(node: Node) -> bool:
    """Delete the row of a node that is silent; false if it lives."""
    silent = Node.objects.filter(pk=node.pk, seen_at__lt=datetime.now() - timedelta(seconds=SILENT_SECONDS))
    return bool(silent.delete()[0])
