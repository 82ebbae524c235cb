"""Whether this worker has been told to end: it answers what it has, but nothing more should be sent to it."""

from typing import Any

_worker: Any = None


def know_worker(worker: Any) -> None:
    """Look at that worker from now on; for the server's hook."""
    global _worker
    _worker = worker


def is_draining() -> bool:
    """Whether the server ends or gives way. A worker that ends after its number of requests is replaced by itself."""
    return _worker is not None and not _worker.alive and _worker.nr < _worker.max_requests
