from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sites.models import Site
from transfer.notes import printable
from transfer.template_forms import lines_of, make_forms, missing_forms


class Command(BaseCommand):
    help = (
        "Makes the forms that the templates of a site show and the site lacks. Their fields are the inputs with an id "
        "in the templates. Prints each form with its fields, and what was left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", type=int, metavar="SITE", help="id of the site")
        parser.add_argument("--dry-run", action="store_true", help="print what would be made, but write nothing")

    def handle(self, *, site: int, dry_run: bool, **options: Any) -> None:
        if not Site.objects.filter(pk=site).exists():
            raise CommandError(f"Site {site} was not found.")
        notes: dict[str, None] = {}

        def tell(sentence: str, place: str) -> None:
            notes[f"{sentence}: {place}"] = None

        records = (missing_forms if dry_run else make_forms)(site, tell)
        for line in (*lines_of(records), *notes):
            self.stdout.write(printable(line))
        self.stdout.write(f"Forms: {len(records)}{', not written' if dry_run and records else ''}.")
