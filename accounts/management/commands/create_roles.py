from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.roles import create_roles


class Command(BaseCommand):
    help = (
        "Creates the ready-made roles of ordinary administrators as groups: author, editor, chief editor, site manager "
        "and integrator. Existing groups of these names do not change. See docs/admin.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--language",
            choices=[code for code, _name in settings.LANGUAGES],
            default=settings.LANGUAGE_CODE,
            help="language of the names (default: %(default)s)",
        )

    def handle(self, *, language: str, **options: Any) -> None:
        for group, is_new in create_roles(language):
            self.stdout.write(f"{group.name}: {'created' if is_new else 'exists, unchanged'}")
