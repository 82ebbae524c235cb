"""`manage.py check_tree`: whether the channels of each site make one tree, with the figures that follow from it."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from channels_app.tree_fields import Survey, mend
from sites.models import Site


class Command(BaseCommand):
    help = (
        "Checks that the channels of each site stand below its home channel, and that parentsPath, parentsCount, "
        "childrenCount, isLastNode and taxis are what follows from their parents and order. Prints a line for each "
        "difference, the summary last. Exits with 0 when all is well or was mended, with 1 when differences remain, "
        "with 2 for a site that does not exist. The table of ancestors is checked by check_lists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="write the right figures; channels that do not reach the home channel become the last ones below it",
        )
        parser.add_argument("--site", type=int, metavar="ID", help="check this site only")

    def handle(self, *, repair: bool, site: int | None, **options: Any) -> None:
        found = remaining = 0
        for site_id in _site_ids(site):
            problems = Survey(site_id).problems
            for line in problems:
                self.stdout.write(line)
            found += len(problems)
            remaining += self._repair(site_id) if problems and repair else len(problems)
        self.stdout.write(_summary(found, remaining))
        if remaining:
            sys.exit(1)

    def _repair(self, site_id: int) -> int:
        """Mend the site and return how many differences remain."""
        try:
            mend(site_id)
        except IntegrityError:
            self.stdout.write(
                f"Site {site_id} was left as it is, since its table of ancestors or its lists of contents are wrong "
                "as well; run check_lists --repair first."
            )
        return len(Survey(site_id).problems)


def _site_ids(site_id: int | None) -> Iterator[int]:
    if site_id is None:
        yield from Site.objects.order_by("pk").values_list("pk", flat=True)
    elif Site.objects.filter(pk=site_id).exists():
        yield site_id
    else:
        raise CommandError(f"There is no site {site_id}; --site takes the number of a site.", returncode=2)


def _summary(found: int, remaining: int) -> str:
    if not found:
        return "The trees are as they should be."
    if not remaining:
        return f"Differences: {found}. They were mended."
    return f"Differences: {found}." if found == remaining else f"Differences: {found}, of which {remaining} remain."
