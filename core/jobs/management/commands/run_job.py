import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.jobs import running
from core.jobs.models import Job


class Command(BaseCommand):
    help = (
        "Runs a waiting job of this node, then starts the next one. The server "
        'runs this command automatically. Prints "ended", or "left" if another process is running the job or if '
        "CMS_JOBS_AT_ONCE jobs are running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job_id", type=int, metavar="ID", help="id of the job")

    def handle(self, *, job_id: int, **options: Any) -> None:
        if not Job.objects.filter(pk=job_id).exists():
            raise CommandError(f"There is no job {job_id}.")
        if os.getsid(0) == os.getpid():  # its own session, as started by the server
            os.nice(10)  # page requests come first
        is_done = running.run(job_id)
        self.stdout.write(f"job={job_id} {'ended' if is_done else 'left'}")
        if is_done:
            # Its slot is free only at this point; jobs ordered during the run found it taken.
            running.start_waiting()
