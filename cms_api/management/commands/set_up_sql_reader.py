"""`manage.py set_up_sql_reader`: the database account, schema and views of the SQL endpoint on PostgreSQL."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, transaction
from psycopg.pq.abc import PGconn

from cms_api.sql_endpoint.checks import advise_limit, look_at_reader
from cms_api.sql_endpoint.postgresql_views import quote_name
from cms_api.sql_endpoint.reader_role import is_own_role, open_tables, role_password
from cms_api.sql_endpoint.reader_steps import (
    PUBLIC_FUNCTIONS,
    RELATIONS,
    Place,
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
from cms_api.sql_endpoint.setting_problems import find_problems

_PLACEHOLDER = "<password>"


class Command(BaseCommand):
    help = (
        "Makes the database account that runs statements of the SQL endpoint, the schema cms_sql with a view for "
        "each open table, and the grants; then signs in with the account and checks that it sees nothing else. "
        "May be run again at any time, and has to be after a change of CMS_SQL_TABLES, CMS_TIME_ZONE "
        "or the secret key. On SQLite there is nothing to set up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--print",
            action="store_true",
            dest="only_print",
            help="print the SQL instead of running it, for an administrator of the database server",
        )
        parser.add_argument(
            "--show-password", action="store_true", help="with --print: the account's password instead of a placeholder"
        )
        parser.add_argument(
            "--remove", action="store_true", help="remove account, schema and views; the endpoint is closed then"
        )
        parser.add_argument(
            "--connections",
            type=int,
            default=50,
            metavar="NUMBER",
            help="connections that the account may have at once, over all nodes (50)",
        )

    def handle(self, *, only_print: bool, show_password: bool, remove: bool, connections: int, **options: Any) -> None:
        if connection.vendor != "postgresql":
            self.stdout.write("Nothing to set up: on SQLite statements are run on a connection that cannot write.")
            return
        place = self._find_place()
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

    def _find_place(self) -> Place:
        try:
            return find_place(connection)
        except ValueError as error:  # of CMS_SQL_READER_URL
            raise CommandError(str(error)) from error

    def _password(self, place: Place, only_print: bool, show_password: bool) -> str:
        if only_print:
            return role_password(place.reader) if show_password else _PLACEHOLDER
        connection.ensure_connection()
        # The server gets a verifier, so that no log of statements has the password.
        server: PGconn = connection.connection.pgconn
        return server.encrypt_password(
            role_password(place.reader).encode(), place.reader.encode(), b"scram-sha-256"
        ).decode()

    def _steps(self, place: Place, password: str, connections: int) -> Iterator[Step]:
        if problems := find_problems():
            raise CommandError(" ".join(problems))
        if is_own_role():
            yield from role_steps(place, password, connections)
        elif not place.reader_exists:
            raise CommandError(f"CMS_SQL_READER_URL names the account {place.reader!r}, which does not exist.")
        yield from schema_steps(place)
        yield from view_steps(place, open_tables(), names(RELATIONS, connection))
        yield from fence_steps(place, names(PUBLIC_FUNCTIONS, connection))

    def _do_without(self, place: Place, remove: bool) -> None:
        """Nothing where an administrator has done it all, so that a script may run the command each time."""
        if not remove and not find_problems() and look_at_reader() is None:
            self._check(place)
            return
        options = "--remove --print" if remove else "--print --show-password"
        raise CommandError(
            f"The service's account {place.service!r} may not create roles. Give the output of "
            f"`manage.py set_up_sql_reader {options}` to an administrator of the database server."
        )

    def _take(self, place: Place, steps: Iterable[Step]) -> None:
        try:
            with transaction.atomic():
                lock(connection)
                lines = [take(step, connection) for step in steps]
        except DatabaseError as error:
            raise CommandError(f"Nothing was changed: {error}") from error
        for line in lines:
            self.stdout.write(line)

    def _print(self, place: Place, steps: Iterable[Step]) -> None:
        self.stdout.write("BEGIN;")
        for step in filter(lambda step: not is_taken(step, connection), steps):
            self.stdout.write(f"\n-- {step.words}{' (may be left out)' if step.is_optional else ''}")
            before, after = _as_service(place) if step.by_service else ((), ())
            for statement in (*before, *step.statements, *after):
                self.stdout.write(f"{statement};")
        self.stdout.write("\nCOMMIT;")

    def _check(self, place: Place) -> None:
        if fault := look_at_reader():
            raise CommandError(f"Everything was set up, but the endpoint stays closed: {fault}.")
        if advice := advise_limit():
            self.stdout.write(f"to do: {advice}")
        self.stdout.write(f"checked: signed in as {place.reader}, which sees the open tables and nothing else")


def _as_service(place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What makes an administrator's statements those of the service's account, and ends that."""
    role, schema = quote_name(place.service), quote_name(place.schema)
    begin = (f"SET LOCAL ROLE {role}", f"SET LOCAL search_path TO {schema}")
    return begin, ("RESET ROLE", "RESET search_path")
