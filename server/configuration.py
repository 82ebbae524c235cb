"""gunicorn's configuration: `gunicorn -c python:server.configuration cms_api.wsgi`."""

import ctypes
import gc
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from core.lib import private_files
from core.lib.registrations import SERVER_STARTS, WORKER_STARTS
from core.operation.logs import ACCESS_LINE
from server import metrics
from server.restarts.start_check import serious_problems
from server.serving import read_settings

# Set before the application is loaded: most of its objects stay, so collections would find little.
gc.set_threshold(50_000, 20, 20)

_PATIENCE = 5.0  # seconds for the database to respond before the start continues

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
try:
    _given = read_settings()
    # Loaded here, since Django would show a traceback above the message.
    _log_format = settings.CMS_LOG_FORMAT
except ImproperlyConfigured as error:
    sys.exit(str(error))
_host = _given["CMS_BIND_HOST"]
bind = f"{f'[{_host}]' if _host.count(':') > 1 and '[' not in _host else _host}:{_given['PORT']}"
workers, threads = _given["CMS_WORKERS"], _given["CMS_THREADS"]

# Threads, so that clients' SQL statements (CMS_SQL_SLOTS, fewer than threads) never occupy a whole worker.
worker_class = "server.serving.worker.Worker"
# Per worker; each may have a file of its response open.
worker_connections = 500
_OPEN_FILES = 4096  # per process, if the system allows it
# Short, since connections in the system's queue are invisible here; a busy worker still accepts immediately.
backlog = 512
# Workers share the application, which halves the memory of each; on SIGHUP the master replaces itself.
preload_app = True
timeout = 30  # seconds until a stuck worker is replaced
graceful_timeout = 30  # seconds that a stopping worker may finish its request
max_requests, max_requests_jitter = 20_000, 2_000
# SQL statements travel in the query; 8190 is gunicorn's maximum.
limit_request_line = 8190
# No header may set SCRIPT_NAME or PATH_INFO, even if a proxy on the same machine lets it through.
forwarder_headers = ""
# Anyone who can reach the socket could control the server, and a second instance would take it over.
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108 - workers' heartbeats must not wait for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108

_logger = "JsonLogger" if _log_format == "json" else "LineLogger"
logger_class = f"server.loggers.{_logger}"
accesslog = "-"
access_log_format = ACCESS_LINE


_M_ARENA_MAX = -8  # of malloc.h


def nworkers_changed(server: Any, new_value: int, old_value: int | None) -> None:
    """Replace gunicorn's master class. The first call comes before the application is loaded."""
    if old_value is None:
        from server.restarts.arbiter import Master  # other programs import this module without gunicorn

        metrics.begin_master(server)
        Master.become(server)


def on_starting(server: Any) -> None:
    """Exit with a line for each invalid setting before a port is opened; collect static files."""
    # Many systems limit open files to 1024 for programs that do not raise it.
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if most == resource.RLIM_INFINITY else min(_OPEN_FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    server.inherit()
    problems = serious_problems() or _wrong_time_zone()
    for problem in problems:
        server.log.critical("%s", problem)
    if problems:
        server.halt(exit_status=1)
    from core.admin.static_files import collect_if_needed  # needs the application

    collect_if_needed()


def when_ready(server: Any) -> None:
    """Log problems, and exempt objects loaded at start from garbage collection so that workers keep sharing them."""
    from core.operation.logs.current import set_node_name  # needs Django

    for name in SERVER_STARTS.entries.values():
        import_string(name)(server.log)
    for path in private_files.closed:
        server.log.warning("Others on this machine could read or write %s until now; this start closed it.", path)
    for message in run_checks(tags=["start"], include_deployment_checks=True):
        server.log.warning("%s %s", message.msg, message.hint)
    _look_at_readiness(server.log)
    _look_at_accounts(server.log)
    gc.collect()
    gc.freeze()
    server.be_ready()
    set_node_name(server.app.start_record.name)
    metrics.count_restart(server)


def post_fork(server: Any, worker: Any) -> None:
    from server.serving.worker import Bounds

    # Threads take turns in Python anyway. With an arena for each, memory that one allocates and another frees is not
    # reused.
    with suppress(OSError, AttributeError):  # a C library other than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    has_one_writer = settings.DATABASES["default"]["ENGINE"] == "core.lib.sqlite"
    worker.bounds = Bounds(
        client_seconds=_given["CMS_CLIENT_SECONDS"],
        queue_length=_given["CMS_MAX_QUEUE"],
        queue_seconds=_given["CMS_MAX_QUEUE_SECONDS"],
        has_one_writer=has_one_writer,
    )


def post_worker_init(worker: Any) -> None:
    """Start the worker's threads (metrics, restart watch, SQL sandbox) and notify the master that it serves."""
    from core.operation.health import know_worker
    from server.restarts import watching
    from server.restarts.arbiter import accept_signals

    accept_signals()
    know_worker(worker)
    metrics.begin_worker()
    watching.begin(worker, worker.app.start_record)
    for name in WORKER_STARTS.entries.values():
        import_string(name)()
    worker.notify()
    os.kill(worker.ppid, signal.SIGCHLD)  # the master looks at its workers immediately instead of after a second


def child_exit(server: Any, worker: Any) -> None:
    metrics.count_end(worker)


def on_exit(server: Any) -> None:
    metrics.end()


def _wrong_time_zone() -> list[str]:
    from django.db import Error, connections

    from core.operation import time_zone

    try:
        return [problem] if (problem := time_zone.problem()) else []
    except Error:  # unreachable, or without tables yet; a worker looks again
        return []
    finally:
        connections.close_all()


def _look_at_readiness(log: Any) -> None:
    """Log each reason why this server is not ready. It starts anyway, since most of them pass."""
    from core.operation.health import HealthState, verdict

    for look in verdict(_PATIENCE).looks:
        if look.state is HealthState.FAILED:
            log.error("Not ready: %s See docs/troubleshooting.md.", look.message)
        elif look.state is HealthState.DEGRADED:
            log.warning("Degraded: %s See docs/troubleshooting.md.", look.message)


def _look_at_accounts(log: Any) -> None:
    """Log each warning about accounts. Never raises, and leaves no connection for the workers to share."""
    from django.db import Error, connections

    from accounts import peppers

    try:
        with suppress(Error):  # others report a database that does not answer or has no tables
            peppers.record()
        for message in run_checks(tags=["accounts"], databases=["default"]):
            log.warning("%s %s", message.msg, message.hint)
    except Exception as error:  # noqa: BLE001 - the service must start even if the database fails
        log.warning("The accounts could not be checked: %s.", type(error).__name__)
    finally:
        connections.close_all()
