"""gunicorn configuration for benchmarks: synchronous workers without an access log, which are never replaced.

The limit uses it, since nothing of gunicorn's is faster, and so do benchmarks that do not depend on the server.
"""

from typing import Any

from django.apps import apps

from server import configuration as service
from server.configuration import *  # noqa: F403

accesslog = None
max_requests = max_requests_jitter = 0
worker_class, threads = "sync", 1


def on_starting(server: object) -> None:
    """Do nothing: the service's hook checks its settings, and the limit has none."""


def when_ready(server: Any) -> None:
    """Call the service's hook if the application is the service."""
    if apps.ready:
        service.when_ready(server)


def post_worker_init(worker: Any) -> None:
    """Call the service's hook if the application is the service: the limit does not watch for restarts."""
    if apps.ready:
        service.post_worker_init(worker)
