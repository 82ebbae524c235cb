"""`manage.py sql_catalogue`: the tables that statements of clients may read."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cms_api.sql_endpoint.catalogue import TABLES, as_markdown
from cms_api.sql_endpoint.reader_role import open_tables


class Command(BaseCommand):
    help = "Prints the tables that are open to statements of the SQL endpoint, with columns, kinds and meanings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", dest="with_closed", help="also those that are closed")

    def handle(self, *, with_closed: bool, **options: Any) -> None:
        try:
            self.stdout.write(as_markdown(TABLES if with_closed else open_tables()))
        except ValueError as error:
            raise CommandError(f"CMS_SQL_TABLES: {error}") from error
