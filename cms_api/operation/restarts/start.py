"""What a server knows of its own start. Nothing here needs the application, which is loaded later."""

import os
import socket
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import Error, connection

_NAME_LENGTH = 255
_ORDERS = "SELECT number FROM operation_restartorder WHERE id = 1"


@dataclass
class Start:
    """A start of the master process, with the code that its workers run; shared by them."""

    covers: int | None  # number of the last order when the code was about to be loaded; None: not known
    replaced_at: datetime | None  # when the master of before began to give way; None: a fresh start
    name: str = ""
    at: datetime = datetime.min  # when it was ready


def orders_so_far() -> int | None:
    """How often a restart has been asked for; None where the database does not tell."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    try:
        connection.ensure_connection()
        # Not Django's own cursor, which warns of questions before the application is loaded.
        with connection.wrap_database_errors, closing(connection.connection.cursor()) as cursor:
            cursor.execute(_ORDERS)
            row = cursor.fetchone()
    except Error:  # out of reach, or without tables yet
        return None
    finally:
        _leave_database()
    return int(row[0]) if row else 0


def own_name(address: str) -> str:
    """The name of this node: CMS_NODE_NAME, or the host's name with the address that the server listens on."""
    name: str = settings.CMS_NODE_NAME.strip() or f"{socket.gethostname()} {address.partition('://')[2] or address}"
    return name.strip()[:_NAME_LENGTH]


def _leave_database() -> None:
    """Close what workers, which are copies of this process, must not share."""
    connection.close()
    if connection.settings_dict.get("OPTIONS", {}).get("pool"):
        connection.close_pool()  # type: ignore[attr-defined]
