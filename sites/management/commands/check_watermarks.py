import sys
from typing import Any

from django.core.management.base import BaseCommand

from sites.models import Site
from sites.watermark_checks import mark_problem


class Command(BaseCommand):
    help = (
        "Draws the watermark of each site once, using the fonts of this server and the files of the site. Prints "
        "one line for each watermark that cannot be drawn; its site rejects pictures that need a watermark. Exits "
        "with status 1 if there are any."
    )

    def handle(self, **options: Any) -> None:
        problems = 0
        for site in Site.objects.order_by("pk").iterator():
            if problem := mark_problem(site):
                problems += 1
                self.stdout.write(f"Site {site.pk} ({site.site_name}): {problem.message}")
        if problems:
            sys.exit(1)
        self.stdout.write("Every watermark can be drawn.")
