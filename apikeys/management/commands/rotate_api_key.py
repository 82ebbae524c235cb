"""`manage.py rotate_api_key`: a new token for a key, alone on standard output."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apikeys.models import ApiKey, KeyChanged
from cms_api.lib.durations import duration_option


class Command(BaseCommand):
    help = (
        "Gives an API key a new token and prints it. The present token ends at once, or after the overlap; "
        "one that still overlaps from an earlier rotation ends now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the key")
        parser.add_argument(
            "--overlap",
            type=duration_option,
            default="0",
            metavar="0|30m|24h|7d",
            help="how long the present token stays valid; by default not at all",
        )

    def handle(self, *, name: str, overlap: timedelta, **options: Any) -> None:
        key = ApiKey.objects.filter(name=name).first()
        if key is None:
            raise CommandError(f"There is no API key named {name!r}.")
        if key.revoked_at is not None:
            raise CommandError(f"The API key {name!r} has been revoked; create a new one.")
        try:
            self.stdout.write(key.rotate(overlap))
        except KeyChanged as error:
            raise CommandError(f"The API key {name!r} has just been deleted.") from error
