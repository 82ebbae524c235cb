"""`manage.py run_job`: does one job of the back end; the server starts it by itself."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cms_api.jobs import running, starting
from cms_api.jobs.models import Job

_NICENESS = 10  # people who wait for a page come first


class Command(BaseCommand):
    help = (
        "Does a job that was asked for in the back end and waits on this node, then starts the next one. The server "
        "runs this by itself. Prints whether the job was done; it is not where another process has it or where as "
        "many run as may (CMS_JOBS_AT_ONCE)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job_id", type=int, metavar="ID", help="number of the job")

    def handle(self, *, job_id: int, **options: Any) -> None:
        if not Job.objects.filter(pk=job_id).exists():
            raise CommandError(f"There is no job {job_id}.", returncode=2)
        if os.getsid(0) == os.getpid():  # a process of its own, as the server starts it
            os.nice(_NICENESS)
        is_done = running.run(job_id)
        self.stdout.write(f"job={job_id} {'ended' if is_done else 'left'}")
        if is_done:
            # Its place is free only now, and who asked meanwhile has found it taken.
            starting.start_waiting()
