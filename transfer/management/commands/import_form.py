from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sites.models import Site
from transfer.form_import import describe, import_form, open_form
from transfer.notes import lines_of_forms
from transfer.package import PackageError


class Command(BaseCommand):
    help = (
        "Imports a form from the zip file that SiteServer exports of it, into a site. A form that the site has already "
        "stays as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", type=int, metavar="SITE", help="id of the site")
        parser.add_argument("path", type=Path, metavar="PATH", help="zip file of the form")
        parser.add_argument(
            "--with-entries",
            action="store_true",
            help="also import what visitors have sent by the form: personal data, for which you need a reason",
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be imported, but write nothing")

    def handle(self, *, site: int, path: Path, with_entries: bool, dry_run: bool, **options: Any) -> None:
        if not Site.objects.filter(pk=site).exists():
            raise CommandError(f"Site {site} was not found.")
        try:
            with open_form(path, path.name) as package:
                found = describe(package, site)
                if not dry_run:
                    form, entries = import_form(package, site, path.name, with_entries=with_entries)
        except PackageError as error:
            raise CommandError(str(error)) from error
        for line in lines_of_forms(found["form_notes"]):
            self.stdout.write(line)
        imported = entries if not dry_run else 0
        number = 0 if dry_run else form.pk
        counts = f"fields={len(found['inputs'])} entries={imported} of={found['entries']}"
        self.stdout.write(f'formId={number} {counts} name="{found["name"]}"')
