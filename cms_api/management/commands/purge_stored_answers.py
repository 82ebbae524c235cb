"""`manage.py purge_stored_answers`: answers to requests with an Idempotency-Key whose time is over."""

from typing import Any

from django.core.management.base import BaseCommand

from cms_api.rest.idempotency import sweep


class Command(BaseCommand):
    help = (
        "Deletes the answers that were stored for requests with an Idempotency-Key more than 24 hours ago. Requests "
        "with such a key delete some of them by the way; this is for the day on which none come any more. Prints how "
        "many went."
    )

    def handle(self, **options: Any) -> None:
        """Delete and say how many."""
        purged = 0
        while some := sweep():
            purged += some
        self.stdout.write(f"Purged: answers={purged}")
