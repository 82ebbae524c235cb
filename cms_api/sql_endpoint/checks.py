"""System checks of the SQL endpoint: warnings only, since the service works without it."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import django.db
import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.db import connections

from cms_api.sql_endpoint.postgresql_views import quote_name
from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables, operators_address, reader_name
from cms_api.sql_endpoint.role_check import COMMAND, Fault, find_fault, find_missing_limit
from sql_sandbox.running.postgresql_reader import TEMP_FILES

_REFUSED = "Until then, statements of clients are rejected."


def find_problems() -> list[str]:
    """Return a sentence for each wrong setting, without secrets."""
    problems = []
    for read, prefix in ((open_tables, "CMS_SQL_TABLES: "), (operators_address, "")):
        try:
            read()
        except ValueError as error:
            problems.append(f"{prefix}{error}")
    return problems


def check_settings(**_: Any) -> list[CheckMessage]:
    hint = f"Correct it and restart the server. {_REFUSED}"
    return [Warning(f"The SQL endpoint is closed: {one}", hint=hint, id="cms_api.W003") for one in find_problems()]


def check_reader(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Return a warning about the reader's account; queries the database only if the settings are right."""
    if "default" not in (databases or ()) or settings.CMS_SQL_SLOTS < 1 or find_problems():
        return []
    if fault := look_at_reader():
        hint = f"Run {COMMAND}. {_REFUSED}"
        return [Warning(f"The SQL endpoint is closed: {fault}.", hint=hint, id="cms_api.W001")]
    if advice := advise_limit():
        missing = "The database account of the SQL endpoint has no limit on temporary files."
        return [Warning(missing, hint=f"To set one, {advice}.", id="cms_api.W002")]
    return []


def look_at_reader() -> Fault | None:
    """Sign in as the reader and return its fault; None if it has none, or no account is needed."""
    return _ask_reader(lambda connection: find_fault(connection, open_tables(), settings.TIME_ZONE))


def advise_limit() -> str:
    """Return the remedy if the reader is usable but lacks a limit; empty otherwise."""
    if not _ask_reader(find_missing_limit):
        return ""
    statement = f"ALTER ROLE {quote_name(reader_name())} SET temp_file_limit = {TEMP_FILES}"
    return f"as a superuser of the database server, run {statement}"


def _ask_reader(question: Callable[[psycopg.Connection[Any]], Fault | None]) -> Fault | None:
    if connections["default"].vendor != "postgresql":
        return None
    try:
        with psycopg.connect(**connection_parameters()) as connection:
            return question(connection)
    # django.db.Error comes from the service's own connection, ValueError from the settings.
    except (psycopg.Error, django.db.Error, ValueError) as error:
        return Fault("its database account cannot sign in", str(error).strip().partition("\n")[0])


def log_at_start(log: logging.Logger) -> None:
    """Log problems that will refuse statements; raise nothing, and leave no connection open to forked processes."""
    try:
        try:
            messages = check_settings() or check_reader(["default"])
        finally:
            connections.close_all()
        for message in messages:
            log.warning("%s %s", message.msg, message.hint)
    except Exception as error:  # noqa: BLE001 - the service must start even if the endpoint fails
        log.warning("The SQL endpoint could not be checked: %s.", type(error).__name__)
