"""System checks of the SQL endpoint: whether its tables exist, and whether its database account is as it should be."""

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
    is_asked = "default" in (databases or ()) and connections["default"].vendor == "postgresql"
    if not is_asked or not settings.CMS_SQL_SLOTS or check_tables():
        return []
    fault = look_at_reader()
    hint = f"Run {COMMAND}. Statements of clients are refused until then."
    return [Warning(f"The SQL endpoint is closed: {fault}.", hint=hint, id="cms_api.W001")] if fault else []


def look_at_reader() -> Fault | None:
    """What is wrong with the reader, found by signing in as it; None if nothing is."""
    try:
        with psycopg.connect(**connection_parameters()) as connection:
            return find_fault(connection, open_tables(), settings.TIME_ZONE)
    except psycopg.Error as error:
        return Fault("its database account cannot sign in", str(error).strip().partition("\n")[0])
