import os
import socket
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import Error, connection


@dataclass
class Start:
    covers: int | None  # number of the last order before the code was loaded; None: unknown
    replaced_at: datetime | None  # when the previous master began to give way; None: a fresh start
    name: str = ""
    at: datetime = datetime.min  # when the server was ready


def orders_so_far() -> int | None:
    """Return the number of the latest restart order; None if the database does not answer."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    try:
        connection.ensure_connection()
        # Not Django's cursor, which warns of queries before the application is loaded.
        with connection.wrap_database_errors, closing(connection.connection.cursor()) as cursor:
            cursor.execute("SELECT number FROM operation_restartrequest WHERE id = 1")
            row = cursor.fetchone()
    except Error:  # unreachable, or without tables yet
        return None
    finally:
        # Workers are forks of this process and must not share the connection.
        connection.close()
        if connection.settings_dict.get("OPTIONS", {}).get("pool"):
            connection.close_pool()  # type: ignore[attr-defined]
    return int(row[0]) if row else 0


def own_name(address: str) -> str:
    """Return this node's name: CMS_NODE_NAME, or the host name with the address that the server listens on."""
    name: str = settings.CMS_NODE_NAME.strip() or f"{socket.gethostname()} {address.partition('://')[2] or address}"
    return name.strip()[:255]
