"""gunicorn's worker: slow clients hold no thread, and overload is refused immediately.

`worker` reads requests in its event loop (`arriving`), which one thread at a time runs (`leadership`); `queue` hands
complete ones to threads; `waiting` holds those that wait for news; `outgoing` buffers responses for slow clients;
`responses` are given without a thread.
"""

import os
from collections.abc import Mapping
from typing import Any

from core.lib.environment import Environment, Setting

ENVIRONMENT = {
    "CMS_BIND_HOST": Setting(str, "127.0.0.1", "Address the server listens on."),
    "PORT": Setting(int, 8000, "Port the server listens on.", least=0, most=65_535),
    "CMS_WORKERS": Setting(int, 2, "Processes of the server.", least=1, most=256),
    "CMS_THREADS": Setting(int, 4, "Concurrent requests per process; more than `CMS_SQL_SLOTS`.", least=1, most=256),
    "CMS_CLIENT_SECONDS": Setting(
        int,
        10,
        "Seconds that a client has to send a request (or 64 KiB of a longer one) and to receive the response "
        "([reliability](docs/reliability.md#slow-clients)).",
        least=1,
        most=3600,
    ),
    "CMS_MAX_QUEUE": Setting(
        int,
        100,
        "Requests per process that may wait for a thread; further ones get a 503 "
        "([reliability](docs/reliability.md#overload)).",
        least=1,
        most=10_000,
    ),
    "CMS_MAX_QUEUE_SECONDS": Setting(
        int,
        2,
        "Seconds that a request may wait for a thread, five times as long for a body over 64 KiB or a write on SQLite; "
        "then it gets a 503.",
        least=1,
        most=600,
    ),
}


def read_settings(given: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the values of ENVIRONMENT. Raises ImproperlyConfigured."""
    read = Environment(ENVIRONMENT, {name: text.strip() for name, text in given.items()})
    return {name: read(name) for name in ENVIRONMENT}
