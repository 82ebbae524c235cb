import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.folding import KINDS, fold_again, twins


class Command(BaseCommand):
    help = (
        "Checks the folded names, e-mail addresses and mobiles of accounts. Prints one line for each account whose "
        "name differs from an older account's only in letter case, width or invisible letters; rename one of the two. "
        "Then prints a summary. Exits with status 1 if wrong forms or such accounts remain."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="write the correct forms")

    def handle(self, *, repair: bool, **options: Any) -> None:
        wrong = sum(fold_again(kind, kind._default_manager.all(), store=repair) for kind in KINDS)
        shared = 0
        for shared, twin in enumerate(twins(), start=1):  # noqa: B007 - the last number is used
            self.stdout.write(str(twin))
        if wrong:
            self.stdout.write(f"Wrong forms: {wrong}." + (" All were repaired." if repair else ""))
        if shared:
            self.stdout.write(f"Accounts with nearly the name of another: {shared}.")
        if (wrong and not repair) or shared:
            sys.exit(1)
        if not wrong:
            self.stdout.write("The names of the accounts are correct.")
