import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from contents.lists import derived_tables


class Command(BaseCommand):
    help = (
        "Compares the tables that database triggers maintain (channel ancestors, content lists and their counts) "
        "with the channels and contents. Prints one line for each difference, then a summary. "
        "Exits with status 1 if differences remain."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="rebuild the tables if they differ")

    def handle(self, *, repair: bool, **options: Any) -> None:
        found = self._print_differences()
        if found and repair:
            derived_tables.rebuild()
            self.stdout.write(f"Differences: {found}. The tables were rebuilt.")
            found = self._print_differences()
        self.stdout.write(f"Differences: {found}." if found else "The lists are correct.")
        if found:
            sys.exit(1)

    def _print_differences(self) -> int:
        found = 0
        for found, line in enumerate(derived_tables.differences(), start=1):  # noqa: B007 - its last value is the count
            self.stdout.write(line)
        return found
