import os
import signal
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
        # A pipe, not an Event: Python may lose a signal that comes just before a thread waits for a lock.
        arriving, signalled = os.pipe()
        os.set_blocking(signalled, False)
        signal.set_wakeup_fd(signalled)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        tasks = PeriodicTasks()
        tasks.start()
        self.stdout.write(f"Running: {', '.join(sorted(PERIODIC_TASKS.entries))}")
        self.stdout.flush()
        os.read(arriving, 1)
        tasks.end()
        tasks.join()
