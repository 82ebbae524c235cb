import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from media_library import filling


class Command(BaseCommand):
    help = (
        "Compares the uses of media that database triggers record with the texts of contents, drafts, channels, "
        "templates and sites. Prints one line for each difference, then a summary. With --repair, works in small "
        "transactions; if interrupted, the running servers or the next run continue. Exits with status 1 if "
        "differences remain."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="find all uses again if they differ")

    def handle(self, *, repair: bool, **options: Any) -> None:
        found = self._print_differences()
        if repair and (found or filling.is_filling()):
            filling.rebuild()
            self.stdout.write(f"Differences: {found}. All uses were found again.")
            found = self._print_differences()
        self.stdout.write(f"Differences: {found}." if found else "The uses are correct.")
        if found:
            sys.exit(1)

    def _print_differences(self) -> int:
        found = 0
        for found, line in enumerate(filling.differences(), start=1):  # noqa: B007 - its last value is the count
            self.stdout.write(line)
        return found
