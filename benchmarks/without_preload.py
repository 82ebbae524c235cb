"""gunicorn's configuration for preload.py: the service's own, but each worker loads the application by itself."""

from datetime import datetime
from typing import Any

from cms_api.operation.restarts.start import Start
from cms_api.operation.server import *  # noqa: F403

preload_app = False


def nworkers_changed(server: Any, new_value: int, old_value: int | None) -> None:
    """Leave gunicorn's master as it is."""


def on_starting(server: Any) -> None:
    """Nothing: the checks need the application."""


def when_ready(server: Any) -> None:
    """Give the workers what the service's own master gives them."""
    server.app.start_record = Start(covers=None, replaced_at=None, name="preload", at=datetime.now())
