"""Django's `flush`, with a clear message if the triggers of the audit log reject it."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import flush


class Command(flush.Command):
    help = f"{flush.Command.help} Fails if the audit log has entries, which only `manage.py purge audit` can delete."

    def handle(self, **options: Any) -> None:
        try:
            super().handle(**options)
        except CommandError as error:
            refusal = str(error.__cause__).partition("\n")[0]
            if "purge audit" in refusal:
                raise CommandError(f"Nothing was deleted. {refusal}") from error
            raise
