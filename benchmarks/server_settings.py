"""gunicorn's configuration while measuring: the service's own, without log lines and renewed workers.

With synchronous workers, for which the goals are set; threads are as fast. The limit is served with it too.
"""

from typing import Any

from django.apps import apps

from cms_api.operation import server as service
from cms_api.operation.server import *  # noqa: F403

accesslog = None
max_requests = max_requests_jitter = 0
worker_class, threads = "sync", 1


def on_starting(server: object) -> None:
    """Nothing: the service's own checks its settings, and the limit has none."""


def when_ready(server: Any) -> None:
    """What the service does, where it is the service."""
    if apps.ready:
        service.when_ready(server)


def post_worker_init(worker: Any) -> None:
    """What the service does, where it is the service: the limit watches for no restarts."""
    if apps.ready:
        service.post_worker_init(worker)
