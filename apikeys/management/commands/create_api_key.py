from argparse import ArgumentParser
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.management.base import BaseCommand, CommandError

from apikeys.models import MAX_REQUESTS, ApiKey
from apikeys.scopes import Scope, format_scopes, parse_scopes
from core.lib import clock
from core.lib.durations import parse_duration
from sites.models import Site

_SCOPES = ", ".join(scope.value for scope in Scope)


class Command(BaseCommand):
    help = "Creates an API key and prints its token. The token is not stored and cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="unique name that says what the key is for")
        scopes = parser.add_mutually_exclusive_group()
        scopes.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="SCOPE[:read|:write]",
            help=f"scope to grant: {_SCOPES}; default access: write, which includes read; repeatable",
        )
        scopes.add_argument("--all-scopes", action="store_true", help="grant every scope with write access")
        parser.add_argument(
            "--site",
            action="append",
            type=int,
            default=[],
            metavar="ID",
            help="limit the key to the site with this id; repeatable; default: every site that its owner can access",
        )
        parser.add_argument(
            "--administrator",
            metavar="USERNAME",
            help="user name of the owner of the key; default: the first active superuser",
        )
        parser.add_argument(
            "--expires",
            metavar="90d|2027-01-31",
            help="when the key expires: after this duration, or at the start of this date; default: never",
        )
        parser.add_argument(
            "--requests-per-minute",
            type=int,
            metavar="N",
            help="maximum number of requests per minute, 0 for no limit; default: CMS_KEY_REQUESTS_PER_MINUTE",
        )

    def handle(
        self,
        *,
        name: str,
        scope: list[str],
        all_scopes: bool,
        site: list[int],
        administrator: str | None,
        expires: str | None,
        requests_per_minute: int | None,
        **options: Any,
    ) -> None:
        if ApiKey.objects.filter(name=name).exists():
            raise CommandError(f"An API key named {name!r} already exists; rotate it or choose another name.")
        scopes = [each.value for each in Scope] if all_scopes else scope
        try:
            _, token = ApiKey.objects.issue(
                name,
                _find_owner(administrator),
                scopes=format_scopes(parse_scopes(",".join(scopes))),
                site_ids=_check_sites(site),
                expires_at=None if expires is None else parse_end(expires, clock.now()),
                requests_per_minute=_check_limit(requests_per_minute),
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages), returncode=2) from error
        if not scopes:
            self.stderr.write(
                "The key has no scope, so requests that need one will be rejected. Add a scope in the admin."
            )
        self.stdout.write(token)


def parse_end(text: str, now: datetime) -> datetime:
    """Parse a duration from now or a date such as 2027-01-31. Raises CommandError, also for a time in the past."""
    try:
        end = datetime.combine(date.fromisoformat(text.strip()), time())
    except ValueError:
        try:
            end = clock.after(now, parse_duration(text))
        except ValueError as error:
            message = f"{text!r} is neither a duration such as 90d nor a date such as 2027-01-31."
            raise CommandError(message, returncode=2) from error
    if end <= clock.after(now, timedelta()):
        raise CommandError(f"{text!r} is not in the future.", returncode=2)
    return end


def _find_owner(user_name: str | None) -> AbstractBaseUser:
    administrators = get_user_model().objects
    if user_name is None:
        first = administrators.first_of_highest_rank()
        if first is None:
            raise CommandError("There is no active superuser; create one with createsuperuser.")
        return first
    try:
        owner = administrators.get_by_natural_key(user_name)
    except ObjectDoesNotExist as error:
        raise CommandError(f"There is no administrator named {user_name!r}.") from error
    if not owner.is_active:
        raise CommandError(f"The administrator {user_name!r} is locked, so the key would be rejected.")
    return owner


def _check_sites(site_ids: list[int]) -> str:
    for site_id in site_ids:
        if not Site.objects.filter(pk=site_id).exists():
            raise CommandError(f"There is no site {site_id}.")
    return ",".join(map(str, sorted(set(site_ids))))


def _check_limit(number: int | None) -> int | None:
    if number is not None and not 0 <= number <= MAX_REQUESTS:
        told = f"--requests-per-minute must be a number from 0 (no limit) to {MAX_REQUESTS}."
        raise CommandError(told, returncode=2)
    return number
