import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pages.checking import COOKIES_TOLD, check_templates, line_of, uses_cookies
from sites.models import Site


class Command(BaseCommand):
    help = (
        "Checks the page templates of a site, or of all sites. Prints one line for each error, with its line and "
        "column in the template, then a summary. Exits with status 1 if there is an error."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", type=int, nargs="?", metavar="SITE", help="id of the site; default: all sites")

    def handle(self, *, site: int | None, **options: Any) -> None:
        sites = Site.objects.order_by("pk") if site is None else Site.objects.filter(pk=site)
        if site is not None and not sites:
            raise CommandError(f"Site {site} was not found.")
        found = 0
        for each in sites:
            for template, problem in check_templates(each.pk):
                found += 1
                self.stdout.write(line_of(template, problem))
            if name := uses_cookies(each):
                self.stdout.write(f"site {each.pk}: {COOKIES_TOLD.format(name)}")
        self.stdout.write(f"Errors: {found}." if found else "The templates have no errors.")
        if found:
            sys.exit(1)
