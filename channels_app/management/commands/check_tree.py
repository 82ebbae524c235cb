import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from channels_app.tree_fields import Survey, mend
from sites.models import Site


class Command(BaseCommand):
    help = (
        "Checks that the channels of each site are below its home channel, and that parentsPath, parentsCount, "
        "childrenCount, isLastNode and taxis match the parents and the order of the channels. Prints one line for "
        "each difference, then a summary. Exits with status 1 if differences remain. To check the table of "
        "ancestors, run check_lists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="write the correct values; channels not connected to the home channel become its last children",
        )
        parser.add_argument("--site", type=int, metavar="ID", help="check this site only")

    def handle(self, *, repair: bool, site: int | None, **options: Any) -> None:
        sites = Site.objects.order_by("pk")
        if site is not None and not (sites := sites.filter(pk=site)).exists():
            raise CommandError(f"There is no site {site}; --site takes the id of a site.")
        found = remaining = 0
        for site_id in sites.values_list("pk", flat=True):
            problems = Survey(site_id).problems
            for line in problems:
                self.stdout.write(line)
            found += len(problems)
            remaining += self._repair(site_id) if problems and repair else len(problems)
        if not found:
            self.stdout.write("The trees are correct.")
        elif not remaining:
            self.stdout.write(f"Differences: {found}. All were repaired.")
        else:
            rest = "." if found == remaining else f", of which {remaining} remain."
            self.stdout.write(f"Differences: {found}{rest}")
            sys.exit(1)

    def _repair(self, site_id: int) -> int:
        try:
            mend(site_id)
        except IntegrityError:
            self.stdout.write(
                f"Site {site_id} was not repaired because its table of ancestors or its content lists are wrong too. "
                "Run check_lists --repair first."
            )
        return len(Survey(site_id).problems)
