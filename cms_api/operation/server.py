"""Deprecated: `gunicorn -c python:cms_api.operation.server` in a unit file; see `server.configuration`."""

from typing import Any

from server import configuration
from server.configuration import *  # noqa: F403 - gunicorn reads the settings off this module


def when_ready(server: Any) -> None:  # type: ignore[no-redef]
    server.log.warning(
        "In the start command, python:cms_api.operation.server is deprecated: use python:server.configuration."
    )
    configuration.when_ready(server)
