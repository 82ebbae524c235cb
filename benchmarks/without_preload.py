"""gunicorn configuration for preload.py: the service's own, but each worker loads the application itself."""

from datetime import datetime
from typing import Any

from cms_api.operation.restarts.start import Start
from cms_api.operation.server import *  # noqa: F403

preload_app = False


def nworkers_changed(server: Any, new_value: int, old_value: int | None) -> None:
    """Do nothing: leave gunicorn's master unchanged."""


def on_starting(server: Any) -> None:
    """Do nothing: the checks need the application, which the master does not load."""


def when_ready(server: Any) -> None:
    """Provide the start record that the workers expect from the service's master."""
    server.app.start_record = Start(covers=None, replaced_at=None, name="preload", at=datetime.now())
