"""gunicorn's configuration while measuring: the service's own, without log lines and renewed workers."""

from cms_api.server import *  # noqa: F403

accesslog = None
max_requests = max_requests_jitter = 0
