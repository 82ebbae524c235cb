"""What gunicorn's hooks do for metrics: nothing while they are off."""

from importlib import import_module
from typing import Any

from cms_api import settings  # the server asks before there is a Django
from cms_api.operation.metrics import folder


def begin_master(server: Any) -> None:
    """Before the application is loaded: have all processes of the server share their figures."""
    if not settings.CMS_METRICS:
        return
    try:
        folder.begin(settings.DATA_DIR)
    except OSError as error:  # the service has to start without figures
        server.log.warning("Metrics tell of one worker at a time, since they cannot be shared: %s", error)


def note_restart(server: Any) -> None:
    """The server is ready; count it if it has given way to new code."""
    if settings.CMS_METRICS and server.app.start_record.replaced_at is not None:
        _instruments().RESTARTS.inc()


def begin_worker() -> None:
    if settings.CMS_METRICS:
        _instruments().WORKERS_STARTED.inc()
        import_module("cms_api.operation.metrics.sampling").begin()


def note_end(worker: Any) -> None:
    """In the master: a worker has ended."""
    if settings.CMS_METRICS:
        folder.keep()
        _instruments().WORKERS_ENDED.labels("timeout" if worker.aborted else "other").inc()
        folder.processes()  # what it was doing is not being done any more


def note_shed() -> None:
    if settings.CMS_METRICS:
        _instruments().SHED.inc()


def note_slow_client() -> None:
    if settings.CMS_METRICS:
        _instruments().SLOW_CLIENTS.inc()


def end() -> None:
    if settings.CMS_METRICS:
        folder.end()


def _instruments() -> Any:
    return import_module("cms_api.operation.metrics.instruments")
