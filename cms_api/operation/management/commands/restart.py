"""`manage.py restart`: asks every node to restart with the code that lies there now."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cms_api.operation.models import Node, RestartOrder
from cms_api.operation.restarts import nodes
from cms_api.operation.restarts.asking import record_order

_PAUSE = 0.5  # seconds between two looks
_LONGEST = 24 * 60 * 60


class Command(BaseCommand):
    help = (
        "Asks every server that uses this database to restart with new code, without dropping a "
        "request. Ends with 1 if no server lives to do it, or, with --wait, if one does not manage to."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", action="store_true", help="wait until every living server has restarted")
        parser.add_argument(
            "--timeout", type=_seconds, default=120.0, metavar="SECONDS", help="how long to wait at most (120)"
        )

    def handle(self, *, wait: bool, timeout: float, **options: Any) -> None:
        living = list(nodes.living().order_by("name"))
        if not living:
            raise CommandError(
                "No server is running that could restart: none started with "
                "`gunicorn -c python:cms_api.operation.server` on "
                f"this database was seen within {nodes.SILENT_SECONDS} seconds."
            )
        order = record_order()
        if not wait:
            self.stdout.write(f"Asked {len(living)} {'server' if len(living) == 1 else 'servers'} to restart.")
            return
        if not self._follow(living, order, time.monotonic() + timeout):
            raise CommandError("Not every server has restarted.")

    def _follow(self, living: list[Node], order: RestartOrder, end: float) -> bool:
        """Write a line for each server as it restarts or fails; whether all have restarted."""
        left = {node.pk: node.name for node in living}
        succeeded = True
        while left and time.monotonic() < end:
            time.sleep(_PAUSE)
            waiting = set(nodes.waiting(order).values_list("pk", flat=True))
            for node in Node.objects.filter(pk__in=left.keys() - waiting):
                del left[node.pk]
                succeeded = succeeded and not node.problem
                self._tell(node, order)
        for name in left.values():
            self.stderr.write(f"{name}: has not restarted within the time")
        return succeeded and not left

    def _tell(self, node: Node, order: RestartOrder) -> None:
        if node.answered < order.number:
            self.stderr.write(f"{node.name}: has not been seen since {node.seen_at:%Y-%m-%d %H:%M:%S}")
        elif node.problem:
            self.stderr.write(f"{node.name}: goes on with the former code. {node.problem}")
        else:
            self.stdout.write(f"{node.name}: restarted at {node.started_at:%Y-%m-%d %H:%M:%S}")


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) <= _LONGEST:
            return seconds
    raise ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {_LONGEST}.")
