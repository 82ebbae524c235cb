"""The database account on PostgreSQL that runs clients' statements: its name, its password, its connections.

Its password follows from the secret key, so that every node that shares the key signs in without a further
setting. `CMS_SQL_READER_URL` names an account of the operator's own instead.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.crypto import salted_hmac
from psycopg.conninfo import conninfo_to_dict

from cms_api.lib.sql_sandbox.catalogue import Table
from cms_api.lib.sql_sandbox.running.postgresql_reader import CONNECT_SECONDS
from cms_api.sql_endpoint.catalogue import choose_tables

_SUFFIX = "_sql_reader"
_NAME_BYTES = 63
# What a connection of the service has and the reader's does not: the account, and what is Django's or psycopg's own.
_NOT_SHARED = {"user", "password", "passfile", "options", "cursor_factory", "context", "prepare_threshold"}


def open_tables() -> tuple[Table, ...]:
    """The tables of CMS_SQL_TABLES. Raises ValueError for an unknown name."""
    return choose_tables(settings.CMS_SQL_TABLES)


def is_own_role() -> bool:
    """Whether the account is this service's to make, not the operator's."""
    return not settings.CMS_SQL_READER_URL


def role_name(database: str) -> str:
    """The name of the account for a database; a long name is cut, with a checksum in place of the rest."""
    room = _NAME_BYTES - len(_SUFFIX)
    if len(database.encode()) > room:
        checksum = hashlib.sha256(database.encode()).hexdigest()[:8]
        database = database.encode()[: room - 9].decode(errors="ignore") + "_" + checksum
    return database + _SUFFIX


def role_password(role: str) -> str:
    """The password of the account, which follows from the secret key."""
    return salted_hmac("cms_api.sql_endpoint.reader_role", role, algorithm="sha256").hexdigest()


def connection_parameters() -> dict[str, Any]:
    """How psycopg connects as the reader: where the service's database is, with the reader's account.

    Raises ValueError when CMS_SQL_READER_URL cannot be read.
    """
    if not is_own_role():
        return {"connect_timeout": CONNECT_SECONDS} | operators_address()
    connection = connections["default"]
    service = connection.get_connection_params()
    shared = {name: value for name, value in service.items() if name not in _NOT_SHARED}
    role = role_name(_database_name(connection))
    return {"connect_timeout": CONNECT_SECONDS} | shared | {"user": role, "password": role_password(role)}


def operators_address() -> dict[str, Any]:
    """CMS_SQL_READER_URL as parameters of psycopg, empty without one. Raises ValueError when it cannot be read."""
    try:
        given = conninfo_to_dict(settings.CMS_SQL_READER_URL)
    except psycopg.Error:
        given = None
    if given is None or _is_torn(given):
        # Without the driver's words, which quote the address, or parts of it that may be the password's.
        raise ValueError("CMS_SQL_READER_URL cannot be read; it has to be like postgres://user:password@host/name.")
    return {name: value for name, value in given.items() if value}


def _is_torn(given: Mapping[str, Any]) -> bool:
    """Whether parts of a password stand elsewhere: one with `/` or `@` has to be percent-encoded."""
    ports = str(given.get("port") or "").split(",")
    # An at sign at the beginning makes an abstract socket.
    names = [str(given.get(name) or "")[1:] for name in ("host", "dbname")]
    return not all(port.isdigit() or not port for port in ports) or any("@" in name for name in names)


def _database_name(connection: BaseDatabaseWrapper) -> str:
    name = connection.settings_dict["NAME"]
    if name:
        return str(name)
    # The name stands in a service file of libpq.
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        return str(cursor.fetchone()[0])


def reader_name() -> str:
    """The name of the account that the endpoint signs in with."""
    return str(connection_parameters().get("user", ""))
