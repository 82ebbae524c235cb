"""Lets an account sign in again that is locked, by somebody or by wrong passwords."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import services
from accounts.models import Account, Administrator, User
from accounts.sign_in import find_by_account


class Command(BaseCommand):
    help = (
        "Let an administrator who is locked out sign in again at once, or with --user a user of the sites. It does not "
        "matter whether somebody locked the account or too many wrong passwords did. The password stays as it is. "
        "If signing in still answers that too many attempts have failed, the limit is that of the computer or "
        "network from which they came: it ends by itself after 15 minutes, and does not hold elsewhere."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="who is locked out: the user name, e-mail address or mobile")
        parser.add_argument("--user", action="store_true", help="NAME is a user of the sites, no administrator")

    def handle(self, *, name: str, user: bool, **_: Any) -> None:
        """Unlock and say so. Raises CommandError when there is no such account."""
        kind: type[Account] = User if user else Administrator
        account = find_by_account(kind, name)
        if account is None:
            raise CommandError(f"There is no {kind._meta.verbose_name} {name!r}.")
        services.unlock(account)
        self.stdout.write(f"The {kind._meta.verbose_name} {account.user_name} is unlocked and may sign in again.")
        if not account.may_sign_in:
            self.stdout.write("It is not approved yet (isChecked), so signing in is still refused.")
