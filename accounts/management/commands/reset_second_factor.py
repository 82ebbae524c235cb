from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import second_factor
from accounts.models import Administrator
from accounts.sign_in import find_by_account
from core.lib.errors import InvalidInput


class Command(BaseCommand):
    help = (
        "Removes the second factor of an administrator who has lost both the device and the recovery codes. The "
        "password stays the same and is then enough to sign in."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="user name, e-mail address or mobile number")

    def handle(self, *, name: str, **_: Any) -> None:
        administrator = find_by_account(Administrator, name)
        if administrator is None:
            raise CommandError(f"There is no administrator {name!r}.")
        try:
            second_factor.reset(administrator.pk)
        except InvalidInput as refusal:
            raise CommandError(f"The administrator {administrator.user_name} has no second factor.") from refusal
        self.stdout.write(f"The second factor of the administrator {administrator.user_name} was removed.")
