"""`manage.py rotate_api_key`: a new token for a key, alone on standard output."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apikeys.durations import parse_duration
from apikeys.models import ApiKey


class Command(BaseCommand):
    help = (
        "Gives an API key a new token and prints it. The present token ends at once, or after the overlap; "
        "one that still overlaps from an earlier rotation ends now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the key")
        parser.add_argument(
            "--overlap",
            default="0",
            metavar="0|30m|24h|7d",
            help="how long the present token stays valid; by default not at all",
        )

    def handle(self, *, name: str, overlap: str, **options: Any) -> None:
        key = ApiKey.objects.filter(name=name).first()
        if key is None:
            raise CommandError(f"There is no API key named {name!r}.")
        if key.revoked_at is not None:
            raise CommandError(f"The API key {name!r} has been revoked; create a new one.")
        self.stdout.write(key.rotate(_read_overlap(overlap)))


def _read_overlap(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise CommandError(str(error)) from error
