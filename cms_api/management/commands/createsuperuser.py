import sys
from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError


class Command(createsuperuser.Command):
    """Django's command, which fails without a terminal instead of doing nothing."""

    help = (
        "Creates an administrator of the highest rank; asks for name and password. Without a terminal, use --no-input "
        "and --user_name NAME, with the password in the variable DJANGO_SUPERUSER_PASSWORD."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["interactive"] and not self.stdin.isatty():
            raise CommandError(
                "There is no terminal to ask for name and password. Use --no-input and --user_name NAME, with the "
                "password in the variable DJANGO_SUPERUSER_PASSWORD."
            )
        try:
            super().handle(*args, **options)
        except SystemExit:  # after Ctrl-C and a line about it
            sys.exit(130)
