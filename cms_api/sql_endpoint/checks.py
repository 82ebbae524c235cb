"""System checks of the SQL endpoint: whether its settings can be, and its database account is as it should be.

All are warnings: the endpoint is closed then, and the service goes on.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import django.db
import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.db import connections

from cms_api.lib.sql_sandbox.running.postgresql_reader import TEMP_FILES
from cms_api.sql_endpoint.postgresql_views import quote_name
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables, reader_name
from cms_api.sql_endpoint.role_check import COMMAND, Fault, find_fault, find_missing_limit
from cms_api.sql_endpoint.setting_problems import find_problems

_REFUSED = "Statements of clients are refused until then."


def check_settings(**_: Any) -> list[CheckMessage]:
    """A warning for each setting of the endpoint that is wrong."""
    hint = f"Correct it and start the server anew. {_REFUSED}"
    return [Warning(f"The SQL endpoint is closed: {one}", hint=hint, id="cms_api.W003") for one in find_problems()]


def check_reader(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A warning about the account that reads; asked of the database, if it may be, when the settings are right."""
    if "default" not in (databases or ()) or settings.CMS_SQL_SLOTS < 1 or find_problems():
        return []
    if fault := look_at_reader():
        hint = f"Run {COMMAND}. {_REFUSED}"
        return [Warning(f"The SQL endpoint is closed: {fault}.", hint=hint, id="cms_api.W001")]
    if advice := advise_limit():
        missing = "The database account of the SQL endpoint has no limit of temporary files."
        return [Warning(missing, hint=f"To set one, {advice}.", id="cms_api.W002")]
    return []


def look_at_reader() -> Fault | None:
    """What is wrong with the account that reads, found by signing in as it; None if nothing is, or none is needed."""
    return _ask_reader(lambda connection: find_fault(connection, open_tables(), settings.TIME_ZONE))


def advise_limit() -> str:
    """What to do where the account that reads can be used and lacks a limit; empty if it has all."""
    if not _ask_reader(find_missing_limit):
        return ""
    statement = f"ALTER ROLE {quote_name(reader_name())} SET temp_file_limit = {TEMP_FILES}"
    return f"as a superuser of the database server, run {statement}"


def _ask_reader(question: Callable[[psycopg.Connection[Any]], Fault | None]) -> Fault | None:
    """The answer of a connection of the account that reads; None where no account is needed."""
    if connections["default"].vendor != "postgresql":
        return None
    try:
        with psycopg.connect(**connection_parameters()) as connection:
            return question(connection)
    # The second is an error of the service's own connection, the third one of the settings.
    except (psycopg.Error, django.db.Error, ValueError) as error:
        return Fault("its database account cannot sign in", str(error).strip().partition("\n")[0])


def log_at_start(log: logging.Logger) -> None:
    """Lines in the server's log about what will refuse clients' statements, so that nobody has to find out by one.

    Raises nothing, and leaves no connection open: the processes that answer requests are copies of this one.
    """
    try:
        try:
            messages = check_settings() or check_reader(["default"])
        finally:
            connections.close_all()
        for message in messages:
            log.warning("%s %s", message.msg, message.hint)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the endpoint, the service has to start
        log.warning("Whether the SQL endpoint will work cannot be told: %s.", type(error).__name__)
