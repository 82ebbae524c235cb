"""`manage.py flush`: Django's own, which the audit refuses; here it says so."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import flush


class Command(flush.Command):
    help = f"{flush.Command.help} Refused while the audit has entries: they are deleted by manage.py purge audit only."

    def handle(self, **options: Any) -> None:
        """Empty every table. Raises CommandError in the database's words when it refuses."""
        try:
            super().handle(**options)
        except CommandError as error:
            refusal = str(error.__cause__).partition("\n")[0]
            if "purge audit" in refusal:
                raise CommandError(f"Nothing was deleted. {refusal}") from error
            raise
