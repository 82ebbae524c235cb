"""gunicorn's worker: slow clients hold no thread, and overload is refused at once.

`worker` reads requests in its event loop (`arriving`), which one thread at a time runs (`leadership`); `queue` hands
complete ones to threads; `waiting` holds those that wait for news; `outgoing` stores what clients have not taken yet;
`responses` are given without a thread.
"""

from cms_api.lib.environment import Setting

ENVIRONMENT = {
    "CMS_BIND_HOST": Setting(str, "127.0.0.1", "Address the server listens on."),
    "PORT": Setting(int, 8000, "Port the server listens on."),
    "CMS_WORKERS": Setting(int, 2, "Processes of the server."),
    "CMS_THREADS": Setting(int, 4, "Concurrent requests per process; more than `CMS_SQL_SLOTS`."),
    "CMS_CLIENT_SECONDS": Setting(
        int,
        10,
        "Seconds that a client has to send a request (or 64 KiB of a longer one) and to receive the response "
        "([reliability](docs/reliability.md#slow-clients)).",
    ),
    "CMS_MAX_QUEUE": Setting(
        int,
        100,
        "Requests per process that may wait for a thread; further ones get a 503 "
        "([reliability](docs/reliability.md#overload)).",
    ),
    "CMS_MAX_QUEUE_SECONDS": Setting(int, 2, "Seconds that a request may wait for a thread; then it gets a 503."),
}
