"""Whether an idle connection is still there, asked of the socket instead of the server."""

import select
from typing import Any

import psycopg


def is_alive(connection: "psycopg.Connection[Any]") -> bool:
    """Whether nothing waits to be read: a server that has gone away has closed its end, or left a message on it."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    return not poll.poll(0)
