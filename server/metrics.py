"""gunicorn's hooks for metrics; without CMS_METRICS they do nothing and load nothing."""

from typing import Any

from django.conf import settings

from core.operation.metrics import folder


def begin_master(server: Any) -> None:
    """Share metrics among all processes of the server; call before the application is loaded."""
    if settings.CMS_METRICS:
        try:
            folder.begin(settings.DATA_DIR)
        except OSError as error:  # the service must start without metrics
            server.log.warning("Metrics cannot be shared, so each response covers only one worker: %s", error)


def count_restart(server: Any) -> None:
    """Count a restart with new code; call when the server is ready."""
    if server.app.start_record.replaced_at is not None:
        count("RESTARTS")


def begin_worker() -> None:
    if settings.CMS_METRICS:
        _figures().WORKERS_STARTED.inc()
        _figures().begin_looking()


def count_end(worker: Any) -> None:
    if settings.CMS_METRICS:
        folder.renew()
        _figures().WORKERS_ENDED.labels("timeout" if worker.aborted else "other").inc()
        folder.processes()  # clears the gauges of the ended worker


def count(figure: str) -> None:
    if settings.CMS_METRICS:
        getattr(_figures(), figure).inc()


def end() -> None:
    folder.remove()


def _figures() -> Any:
    from core.operation.metrics import figures  # needs Django, and the folder

    return figures
