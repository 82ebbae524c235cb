"""`manage.py check_watermarks`: of which sites the watermark cannot be drawn, so that they take no pictures."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from sites.models import Site
from sites.uploads import mark_problem


class Command(BaseCommand):
    help = (
        "Draws the watermark of each site once, with the fonts of this server and the files of the site. Prints a "
        "line for each that cannot be drawn; such a site refuses pictures that would be marked. Exits with 1 then."
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
