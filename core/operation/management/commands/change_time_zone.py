from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.operation import time_zone
from core.operation.nodes import SILENT_SECONDS, living


class Command(BaseCommand):
    help = (
        "Records CMS_TIME_ZONE as the time zone of the database; servers with another one do not start. Stop all "
        "servers first. Stored dates and times do not change, and are read in the new time zone."
    )

    def handle(self, **options: Any) -> None:
        if names := list(living().values_list("name", flat=True)):
            told = f"Servers that run, or ended less than {SILENT_SECONDS} seconds ago: {', '.join(names)}."
            raise CommandError(f"{told} Stop them and try again.")
        time_zone.record()
        self.stdout.write(f"timeZone={settings.TIME_ZONE}")
