"""The reader's PostgreSQL account: CMS_SQL_READER_URL, or our own with a password derived from the secret key."""

import hashlib
from collections.abc import Mapping
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections
from django.utils.crypto import salted_hmac
from psycopg.conninfo import conninfo_to_dict

from cms_api.sql_endpoint.catalogue import choose_tables
from sql_sandbox.catalogue import Table
from sql_sandbox.running.postgresql_reader import CONNECT_SECONDS

_SUFFIX = "_sql_reader"
# The service's connection parameters that the reader does not share: the account, and options of Django or psycopg.
_NOT_SHARED = {"user", "password", "passfile", "options", "cursor_factory", "context", "prepare_threshold"}


def open_tables() -> tuple[Table, ...]:
    return choose_tables(settings.CMS_SQL_TABLES)


def is_own_role() -> bool:
    return not settings.CMS_SQL_READER_URL


def role_name(database: str) -> str:
    """Return the account's name for a database; a long name is cut and completed by a checksum."""
    room = 63 - len(_SUFFIX)  # bytes of a name in PostgreSQL
    if len(database.encode()) > room:
        checksum = hashlib.sha256(database.encode()).hexdigest()[:8]
        database = database.encode()[: room - 9].decode(errors="ignore") + "_" + checksum
    return database + _SUFFIX


def role_password(role: str) -> str:
    return salted_hmac("cms_api.sql_endpoint.reader_role", role, algorithm="sha256").hexdigest()


def connection_parameters() -> dict[str, Any]:
    """Return psycopg's parameters: the service's database, the reader's account. Raise ValueError for a bad URL."""
    if not is_own_role():
        return {"connect_timeout": CONNECT_SECONDS} | operators_address()
    connection = connections["default"]
    service = connection.get_connection_params()
    shared = {name: value for name, value in service.items() if name not in _NOT_SHARED}
    database = connection.settings_dict["NAME"]
    if not database:  # it is in a service file of libpq
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_database()")
            (database,) = cursor.fetchone()
    role = role_name(str(database))
    return {"connect_timeout": CONNECT_SECONDS} | shared | {"user": role, "password": role_password(role)}


def operators_address() -> dict[str, Any]:
    """Return CMS_SQL_READER_URL as parameters of psycopg, empty without one. Raise ValueError if unreadable."""
    try:
        given = conninfo_to_dict(settings.CMS_SQL_READER_URL)
    except psycopg.Error:
        given = None
    if given is None or _is_torn(given):
        # Without the driver's words, which may quote parts of the password.
        raise ValueError("CMS_SQL_READER_URL cannot be read; it must be like postgres://user:password@host/name.")
    return {name: value for name, value in given.items() if value}


def _is_torn(given: Mapping[str, Any]) -> bool:
    # Part of the password is elsewhere if it has a `/` or `@` that is not percent-encoded.
    ports = str(given.get("port") or "").split(",")
    # An initial at sign makes an abstract socket.
    names = [str(given.get(name) or "")[1:] for name in ("host", "dbname")]
    return not all(port.isdigit() or not port for port in ports) or any("@" in name for name in names)


def reader_name() -> str:
    return str(connection_parameters().get("user", ""))
