import time
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.operation import nodes
from core.operation.models import Node, RestartRequest

_LONGEST = 24 * 60 * 60


class Command(BaseCommand):
    help = (
        "Asks every server that uses this database to restart with the new code, without dropping requests. Exits "
        "with status 1 if no server is running or, with --wait, if a server did not restart."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", action="store_true", help="wait until every running server has restarted")
        parser.add_argument(
            "--timeout", type=_seconds, default=120.0, metavar="SECONDS", help="maximum time to wait (default: 120)"
        )

    def handle(self, *, wait: bool, timeout: float, **options: Any) -> None:
        living = list(nodes.living().order_by("name"))
        if not living:
            raise CommandError(
                "There is no server to restart: none that was started with `gunicorn -c "
                "python:server.configuration` on this database has been seen in the last "
                f"{nodes.SILENT_SECONDS} seconds."
            )
        order = nodes.record_order()
        if not wait:
            self.stdout.write(f"Asked {len(living)} {'server' if len(living) == 1 else 'servers'} to restart.")
            return
        if not self._follow(living, order, time.monotonic() + timeout):
            raise CommandError("Not every server has restarted.")

    def _follow(self, living: list[Node], order: RestartRequest, end: float) -> bool:
        left = {node.pk: node.name for node in living}
        succeeded = True
        while left and time.monotonic() < end:
            time.sleep(0.5)
            waiting = set(nodes.waiting(order).values_list("pk", flat=True))
            for node in Node.objects.filter(pk__in=left.keys() - waiting):
                del left[node.pk]
                succeeded = succeeded and not node.problem
                if node.answered < order.number:
                    self.stderr.write(f"{node.name}: has not been seen since {node.seen_at:%Y-%m-%d %H:%M:%S}")
                elif node.problem:
                    self.stderr.write(f"{node.name}: still runs the old code. {node.problem}")
                else:
                    self.stdout.write(f"{node.name}: restarted at {node.started_at:%Y-%m-%d %H:%M:%S}")
        for name in left.values():
            self.stderr.write(f"{name}: did not restart in time")
        return succeeded and not left


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) <= _LONGEST:
            return seconds
    raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST}.")
