"""gunicorn's configuration: `gunicorn -c python:cms_api.server cms_api.wsgi`."""

import gc
import os
from pathlib import Path
from typing import Any

# Read here and not in settings.py: what the master process imports, its workers would never reload.
ENVIRONMENT = {"CMS_BIND_HOST": "127.0.0.1", "PORT": "8000", "CMS_WORKERS": "2"}
_given = {name: os.environ.get(name, default) for name, default in ENVIRONMENT.items()}

bind = f"{_given['CMS_BIND_HOST']}:{_given['PORT']}"
workers = int(_given["CMS_WORKERS"])
worker_class = "sync"
timeout = 30  # seconds until a stuck worker is replaced
graceful_timeout = 30  # seconds that a stopping worker may finish its request
max_requests, max_requests_jitter = 20_000, 2_000
# SQL statements travel in the query, so the request line is as long as gunicorn allows.
limit_request_line = 8190
# Anybody who reaches the socket could steer the server, and a second instance would take it over.
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108 - the heartbeat of workers must not wait for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108

accesslog = "-"
# The path without its query: an API key may stand there (design §6).
access_log_format = '%(t)s %(h)s "%(m)s %(U)s" %(s)s %(B)s bytes %(M)s ms'


def post_worker_init(worker: Any) -> None:
    """Leave what was loaded at start out of every later garbage collection."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
