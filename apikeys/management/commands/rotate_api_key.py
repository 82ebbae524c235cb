from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apikeys.models import ApiKey, KeyChanged
from core.lib.durations import duration_option


class Command(BaseCommand):
    help = (
        "Issues a new token for an API key and prints it. The current token expires immediately or after --overlap. "
        "A token from before an earlier rotation expires immediately."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the key")
        parser.add_argument(
            "--overlap",
            type=duration_option,
            default="0",
            metavar="0|30m|24h|7d",
            help="how long the current token stays valid; default: 0, not at all",
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
