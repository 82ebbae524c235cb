from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import services
from accounts.models import Account, Administrator, User
from accounts.sign_in import find_by_account


class Command(BaseCommand):
    help = (
        "Unlocks an administrator or, with --user, a site user, locked by an administrator or by wrong passwords. "
        "The password stays the same. A limit of failed attempts may still apply to their network, for 15 minutes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", metavar="NAME", help="user name, e-mail address or mobile number of the locked account"
        )
        parser.add_argument("--user", action="store_true", help="NAME is a site user, not an administrator")

    def handle(self, *, name: str, user: bool, **_: Any) -> None:
        kind: type[Account] = User if user else Administrator
        account = find_by_account(kind, name)
        if account is None:
            raise CommandError(f"There is no {kind._meta.verbose_name} {name!r}.")
        services.unlock(account)
        self.stdout.write(f"The {kind._meta.verbose_name} {account.user_name} is unlocked and can sign in again.")
        if not account.may_sign_in:
            self.stdout.write("The account is not approved yet (isChecked), so it still cannot sign in.")
