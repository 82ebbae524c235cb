import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from core.lib.registrations import PERIODIC_TASKS
from core.operation.periodic_tasks import PeriodicTasks


class Command(BaseCommand):
    help = (
        "Runs due tasks, such as waiting jobs, until SIGTERM or SIGINT. Servers "
        "started with `gunicorn -c python:server.configuration` do this themselves; run it beside other servers. "
        "Several may run concurrently."
    )

    def handle(self, **options: Any) -> None:
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        tasks = PeriodicTasks()
        tasks.start()
        self.stdout.write(f"Running: {', '.join(sorted(PERIODIC_TASKS.entries))}")
        self.stdout.flush()
        ended.wait()
        tasks.end()
        tasks.join()
