"""System checks of the SQL endpoint: whether its tables exist, and whether its database account is as it should be."""

import logging
from collections.abc import Sequence
from typing import Any

import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db import connections

from cms_api.sql_endpoint.reader_role import connection_parameters, open_tables
from cms_api.sql_endpoint.role_check import COMMAND, Fault, find_fault


def check_tables(**_: Any) -> list[CheckMessage]:
    """An error for a name in CMS_SQL_TABLES that is no table of the catalogue."""
    try:
        open_tables()
    except ValueError as error:
        return [Error(f"CMS_SQL_TABLES: {error}", id="cms_api.E001")]
    return []


def check_reader(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A warning with the reason why statements of clients are refused; asked of the database, if it may be."""
    if "default" not in (databases or ()) or settings.CMS_SQL_SLOTS < 1 or check_tables():
        return []
    if not (fault := look_at_reader()):
        return []
    hint = f"Run {COMMAND}. Statements of clients are refused until then."
    return [Warning(f"The SQL endpoint is closed: {fault}.", hint=hint, id="cms_api.W001")]


def look_at_reader() -> Fault | None:
    """What is wrong with the account that reads, found by signing in as it; None if nothing is, or none is needed."""
    if connections["default"].vendor != "postgresql":
        return None
    try:
        with psycopg.connect(**connection_parameters()) as connection:
            return find_fault(connection, open_tables(), settings.TIME_ZONE)
    except psycopg.Error as error:
        return Fault("its database account cannot sign in", str(error).strip().partition("\n")[0])


def log_at_start(log: logging.Logger) -> None:
    """A line in the server's log when clients' statements will be refused, so that nobody has to find out by one."""
    for message in check_tables() or check_reader(["default"]):
        log.warning("%s %s", message.msg, message.hint or "Statements of clients are refused until then.")
