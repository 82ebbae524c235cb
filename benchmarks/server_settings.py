"""gunicorn's configuration while measuring: the service's own, without log lines and renewed workers.

With synchronous workers, for which the goals are set; threads are as fast.
"""

from cms_api.server import *  # noqa: F403

accesslog = None
max_requests = max_requests_jitter = 0
worker_class, threads = "sync", 1


def on_starting(server: object) -> None:
    """Nothing: the service's own checks its settings, and the limit has none."""
