"""`manage.py create_api_key`: a new key, its token alone on standard output."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.management.base import BaseCommand, CommandError

from apikeys.durations import parse_end
from apikeys.models import MOST_REQUESTS, ApiKey
from apikeys.scopes import Scope, format_scopes, parse_scopes
from cms_api.lib import clock

_SCOPES = ", ".join(scope.value for scope in Scope)


class Command(BaseCommand):
    help = "Creates an API key and prints its token, which is stored nowhere and cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="what the key is for; no other key has the name")
        scopes = parser.add_mutually_exclusive_group()
        scopes.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="SCOPE[:read|:write]",
            help=f"what the key opens: {_SCOPES}; without a suffix write, which includes read; repeatable",
        )
        scopes.add_argument("--all-scopes", action="store_true", help="every scope, for writing")
        parser.add_argument(
            "--site",
            action="append",
            type=int,
            default=[],
            metavar="ID",
            help="a site to which the key is limited; repeatable; without it, every site the owner reaches",
        )
        parser.add_argument(
            "--administrator",
            metavar="USERNAME",
            help="owner of the key; by default the first active administrator of the highest rank",
        )
        parser.add_argument(
            "--expires",
            metavar="90d|2027-01-31",
            help="when the key ends: after that time, or at the beginning of that day; by default never",
        )
        parser.add_argument(
            "--requests-per-minute",
            type=int,
            metavar="N",
            help="how many requests are answered at most, 0 being any number; by default CMS_KEY_REQUESTS_PER_MINUTE",
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
            raise CommandError(f"There is an API key named {name!r} already; rotate it, or choose another name.")
        scopes = [each.value for each in Scope] if all_scopes else scope
        try:
            _, token = ApiKey.objects.issue(
                name,
                _find_owner(administrator),
                scopes=format_scopes(parse_scopes(",".join(scopes))),
                site_ids=_check_sites(site),
                expires_at=_read_end(expires),
                requests_per_minute=_check_limit(requests_per_minute),
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        if not scopes:
            self.stderr.write("The key opens nothing: no scope was given.")
        self.stdout.write(token)


def _find_owner(user_name: str | None) -> AbstractBaseUser:
    administrators = get_user_model().objects
    if user_name is None:
        first = administrators.first_of_highest_rank()
        if first is None:
            raise CommandError("No administrator of the highest rank is active; make one with createsuperuser.")
        return first
    try:
        owner = administrators.get_by_natural_key(user_name)
    except ObjectDoesNotExist as error:
        raise CommandError(f"There is no administrator named {user_name!r}.") from error
    if not owner.is_active:
        raise CommandError(f"The administrator {user_name!r} is locked, so the key would be refused.")
    return owner


def _check_sites(site_ids: list[int]) -> str:
    # By name, since this app imports no other one.
    sites = apps.get_model("cms_sites", "Site")._default_manager
    for site_id in site_ids:
        if not sites.filter(pk=site_id).exists():
            raise CommandError(f"There is no site {site_id}.")
    return ",".join(map(str, sorted(set(site_ids))))


def _check_limit(number: int | None) -> int | None:
    if number is not None and not 0 <= number <= MOST_REQUESTS:
        raise CommandError(f"--requests-per-minute must be a number from 0 (no limit) to {MOST_REQUESTS}.")
    return number


def _read_end(text: str | None) -> datetime | None:
    try:
        return None if text is None else parse_end(text, clock.now())
    except ValueError as error:
        raise CommandError(str(error)) from error
