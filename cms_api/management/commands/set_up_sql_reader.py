from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction
from psycopg.pq.abc import PGconn

from cms_api.sql_endpoint.checks import advise_limit, find_problems, look_at_reader
from cms_api.sql_endpoint.postgresql_views import quote_name
from cms_api.sql_endpoint.reader_role import is_own_role, open_tables, role_password
from cms_api.sql_endpoint.reader_setup import (
    PUBLIC_FUNCTIONS,
    RELATIONS,
    DatabaseSetup,
    Step,
    fence_steps,
    find_place,
    is_taken,
    lock,
    names,
    removal_steps,
    role_steps,
    schema_steps,
    take,
    view_steps,
)


class Command(BaseCommand):
    help = (
        "Creates the database account that runs the statements of the SQL endpoint, the schema cms_sql with a view "
        "for each open table, and the grants. Then checks that the account can see nothing else. Run the command "
        "again after you change CMS_SQL_TABLES, CMS_TIME_ZONE or the secret key. SQLite needs no setup."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--print",
            action="store_true",
            dest="only_print",
            help="print the SQL instead of running it, for an administrator of the database server",
        )
        parser.add_argument(
            "--show-password",
            action="store_true",
            help="with --print: print the password of the account instead of a placeholder",
        )
        parser.add_argument(
            "--remove", action="store_true", help="remove the account, schema and views, which closes the endpoint"
        )
        parser.add_argument(
            "--connections",
            type=int,
            default=50,
            metavar="NUMBER",
            help="maximum number of concurrent connections of the account, across all nodes (default: 50)",
        )

    def handle(self, *, only_print: bool, show_password: bool, remove: bool, connections: int, **options: Any) -> None:
        if connection.vendor != "postgresql":
            self.stdout.write("Nothing to set up: on SQLite, statements use a connection that cannot write.")
            return
        try:
            place = find_place(connection)
        except ValueError as error:  # from CMS_SQL_READER_URL
            raise CommandError(str(error)) from error
        password = self._password(place, only_print, show_password)
        steps = removal_steps(place) if remove else self._steps(place, password, connections)
        if only_print:
            self._print(place, steps)
            return
        if is_own_role() and not place.may_create_roles:
            self._do_without(place, remove)
            return
        self._take(place, steps)
        if not remove:
            self._check(place)

    def _password(self, place: DatabaseSetup, only_print: bool, show_password: bool) -> str:
        if only_print:
            return role_password(place.reader) if show_password else "<password>"
        connection.ensure_connection()
        # The server gets a verifier, so that the password is in no statement log.
        server: PGconn = connection.connection.pgconn
        return server.encrypt_password(
            role_password(place.reader).encode(), place.reader.encode(), b"scram-sha-256"
        ).decode()

    def _steps(self, place: DatabaseSetup, password: str, connections: int) -> Iterator[Step]:
        if problems := find_problems():
            raise CommandError(" ".join(problems))
        if is_own_role():
            yield from role_steps(place, password, connections)
        elif not place.reader_exists:
            raise CommandError(f"CMS_SQL_READER_URL names the account {place.reader!r}, which does not exist.")
        yield from schema_steps(place)
        yield from view_steps(place, open_tables(), names(RELATIONS, connection))
        yield from fence_steps(place, names(PUBLIC_FUNCTIONS, connection))

    def _do_without(self, place: DatabaseSetup, remove: bool) -> None:
        if not remove and not find_problems() and look_at_reader() is None:
            self._check(place)
            return
        options = "--remove --print" if remove else "--print --show-password"
        raise CommandError(
            f"The service's account {place.service!r} may not create roles. Ask an administrator of the database "
            f"server to run the output of `manage.py set_up_sql_reader {options}`."
        )

    def _take(self, place: DatabaseSetup, steps: Iterable[Step]) -> None:
        try:
            with transaction.atomic():
                lock(connection)
                lines = [take(step, connection) for step in steps]
        except DatabaseError as error:
            raise CommandError(f"Nothing was changed: {error}") from error
        for line in lines:
            self.stdout.write(line)

    def _print(self, place: DatabaseSetup, steps: Iterable[Step]) -> None:
        role, schema = quote_name(place.service), quote_name(place.schema)
        self.stdout.write("BEGIN;")
        for step in filter(lambda step: not is_taken(step, connection), steps):
            self.stdout.write(f"\n-- {step.words}{' (optional)' if step.is_optional else ''}")
            statements = step.statements
            if step.by_service:
                as_service = (f"SET LOCAL ROLE {role}", f"SET LOCAL search_path TO {schema}")
                statements = (*as_service, *statements, "RESET ROLE", "RESET search_path")
            for statement in statements:
                self.stdout.write(f"{statement};")
        self.stdout.write("\nCOMMIT;")

    def _check(self, place: DatabaseSetup) -> None:
        if fault := look_at_reader():
            raise CommandError(f"The setup is complete, but the endpoint is still closed: {fault}.")
        if advice := advise_limit():
            self.stdout.write(f"to do: {advice}")
        self.stdout.write(f"checked: signed in as {place.reader}, which can see only the open tables")
