"""gunicorn's configuration: `gunicorn -c python:cms_api.operation.server cms_api.wsgi`."""

import gc
import os
import resource
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from cms_api.lib.start_settings import read_number
from cms_api.operation.restarts.start_check import serious_problems
from cms_api.operation.serving.environment import ENVIRONMENT

_PATIENCE = 5.0  # seconds that the database has to answer before the start goes on
_given = {name: os.environ.get(name, "").strip() or default for name, default in ENVIRONMENT.items()}

try:
    bind = f"{_given['CMS_BIND_HOST']}:{read_number('PORT', _given['PORT'], 0, 65535)}"
    workers = read_number("CMS_WORKERS", _given["CMS_WORKERS"], 1, 256)
    threads = read_number("CMS_THREADS", _given["CMS_THREADS"], 1, 256)
    _bounds = {
        "client_seconds": read_number("CMS_CLIENT_SECONDS", _given["CMS_CLIENT_SECONDS"], 1, 3600),
        "queue_length": read_number("CMS_MAX_QUEUE", _given["CMS_MAX_QUEUE"], 1, 10_000),
        "queue_seconds": read_number("CMS_MAX_QUEUE_SECONDS", _given["CMS_MAX_QUEUE_SECONDS"], 1, 600),
    }
    # Loaded once more by Django, which would show a traceback above the sentence.
    _settings = import_module("cms_api.settings")
except ImproperlyConfigured as error:
    sys.exit(str(error))

# Threads, so that statements of clients (CMS_SQL_SLOTS, fewer than threads) never take all of a worker.
worker_class = "cms_api.operation.serving.worker.Worker"
# Connections of a worker, each of which may have a file of its answer open.
worker_connections = 500
_OPEN_FILES = 4096  # of a process, if the system allows so many
# What waits in the system's queue waits unseen: a worker that is busy still takes as many within a moment.
backlog = 512
# The application is loaded once and shared by all workers, which halves the memory of each. On SIGHUP the master
# gives way to new code (cms_api.operation.restarts.master).
preload_app = True
timeout = 30  # seconds until a stuck worker is replaced
graceful_timeout = 30  # seconds that a stopping worker may finish its request
max_requests, max_requests_jitter = 20_000, 2_000
# SQL statements travel in the query, so the request line is as long as gunicorn allows.
limit_request_line = 8190
# No header moves the paths of the service, whatever a proxy on the same machine lets through.
forwarder_headers = ""
# Anybody who reaches the socket could steer the server, and a second instance would take it over.
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108 - the heartbeat of workers must not wait for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108

_logger = "JsonLogger" if _settings.CMS_LOG_FORMAT == "json" else "LineLogger"
logger_class = f"cms_api.operation.logs.server.{_logger}"
accesslog = "-"
# The path without its query: an API key may stand there (design §6).
access_log_format = '%(t)s %(h)s "%(m)s %(U)s" %(s)s %(B)s bytes %(M)s ms %({x-request-id}o)s'


def nworkers_changed(server: Any, new_value: int, old_value: int | None) -> None:
    """Make the master one that can restart. Called for the first time before the application is loaded."""
    if old_value is None:
        from cms_api.operation.metrics.server import begin_master
        from cms_api.operation.restarts.master import Master  # other programs load this module without being gunicorn

        begin_master(server)
        Master.become(server)


def on_starting(server: Any) -> None:
    """End with a line for each setting that cannot be, before a port is opened."""
    _allow_files()
    server.inherit()
    problems = serious_problems()
    for problem in problems:
        server.log.critical("%s", problem)
    if problems:
        server.halt(exit_status=1)


def _allow_files() -> None:
    """Raise the limit of open files, which many systems set to 1024 for programs that do not ask for more."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if most == resource.RLIM_INFINITY else min(_OPEN_FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def when_ready(server: Any) -> None:
    """Say what will not work; leave what was loaded at start out of every later garbage collection, and so shared."""
    from cms_api.operation.logs.node import set_node_name  # there is a Django now
    from cms_api.operation.metrics.server import note_restart
    from cms_api.sql_endpoint.checks import log_at_start

    log_at_start(server.log)
    for message in run_checks(tags=["start"], include_deployment_checks=True):
        server.log.warning("%s %s", message.msg, message.hint)
    _look_at_readiness(server.log)
    _look_at_accounts(server.log)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    server.be_ready()
    set_node_name(server.app.start_record.name)
    note_restart(server)


def post_fork(server: Any, worker: Any) -> None:
    """Tell the worker what it bears; those of gunicorn (`-k`) have no use for it."""
    from cms_api.operation.serving.worker import Bounds

    has_one_writer = _settings.DATABASES["default"]["ENGINE"] == "cms_api.lib.sqlite"
    worker.bounds = Bounds(has_one_writer=has_one_writer, **_bounds)


def post_worker_init(worker: Any) -> None:
    """Have the worker look for restarts that are asked for, and tell the master that it serves."""
    from cms_api.operation.health.readiness import know_worker
    from cms_api.operation.metrics.server import begin_worker
    from cms_api.operation.restarts import watching

    know_worker(worker)
    begin_worker()
    watching.begin(worker, worker.app.start_record)
    # By its name: what this module imports must not know the apps.
    import_module("cms_api.sql_endpoint.sandbox").start()
    worker.notify()
    os.kill(worker.ppid, signal.SIGCHLD)  # so that the master looks at its workers now and not in a second


def child_exit(server: Any, worker: Any) -> None:
    from cms_api.operation.metrics.server import note_end

    note_end(worker)


def on_exit(server: Any) -> None:
    from cms_api.operation.metrics.server import end

    end()


def _look_at_readiness(log: Any) -> None:
    """A line for each reason why this server is not ready. It starts in any case, since most of them pass."""
    from cms_api.operation.health.probes import State
    from cms_api.operation.health.readiness import verdict

    for look in verdict(_PATIENCE).looks:
        if look.state is State.FAILED:
            log.error("Not ready: %s docs/troubleshooting.md says what to do.", look.message)


def _look_at_accounts(log: Any) -> None:
    """A line for each warning about accounts. Raises nothing, and leaves no connection for the workers to share."""
    from django.db import Error, connections

    try:
        with suppress(Error):  # of a database that does not answer, or has no tables yet, others tell
            import_module("accounts.peppers").record()
        for message in run_checks(tags=["accounts"], databases=["default"]):
            log.warning("%s %s", message.msg, message.hint)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the database, the service has to start
        log.warning("The accounts could not be looked at: %s.", type(error).__name__)
    finally:
        connections.close_all()
