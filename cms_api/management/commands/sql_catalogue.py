from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cms_api.sql_endpoint.catalogue import TABLES, as_markdown
from cms_api.sql_endpoint.reader_role import open_tables


class Command(BaseCommand):
    help = "Prints the tables that statements of the SQL endpoint can read, with the kind and meaning of each column."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", dest="with_closed", help="include closed tables")

    def handle(self, *, with_closed: bool, **options: Any) -> None:
        try:
            self.stdout.write(as_markdown(TABLES if with_closed else open_tables()))
        except ValueError as error:
            raise CommandError(f"CMS_SQL_TABLES: {error}") from error
