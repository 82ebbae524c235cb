"""`manage.py check_lists`: whether the derived tables are what they should be."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from contents.lists import derived_tables


class Command(BaseCommand):
    help = (
        "Compares what database triggers keep (ancestors of channels, lists of contents, their counts, and the "
        "words of the search) with the channels and contents. Prints a line for each difference, the summary "
        "last, and exits with 1 when differences remain."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="write the tables anew when they differ")

    def handle(self, *, repair: bool, **options: Any) -> None:
        found = self._print_differences()
        if found and repair:
            derived_tables.rebuild()
            self.stdout.write(f"Differences: {found}. The tables were written anew.")
            found = self._print_differences()
        self.stdout.write(f"Differences: {found}." if found else "The lists are as they should be.")
        if found:
            sys.exit(1)

    def _print_differences(self) -> int:
        found = 0
        for found, line in enumerate(derived_tables.differences(), start=1):  # noqa: B007 - the last number is the sum
            self.stdout.write(line)
        return found
