"""Records of the log as JSON, one object a line.

A library for this writes whatever members a record has, Django's `request` among them. Here is told what is listed.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import orjson

from cms_api.operation.logs.node import node_name
from cms_api.operation.logs.present import present_members
from cms_api.operation.logs.secrets import format_exception, hide_secrets

# Of a record: further members of its line (`logger.warning(…, extra={EXTRA: {…}})`).
EXTRA = "members"


class JsonLines(logging.Formatter):
    """time, level, logger, message, node; of a request what `present_members` tells; exception; further members."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end and without a secret."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "node": node_name(),
            # Django gives some records their request, after it is served.
            **present_members(getattr(record, "request", None)),
            **getattr(record, EXTRA, {}),
        }
        line = {name: hide_secrets(value) if isinstance(value, str) else value for name, value in line.items()}
        if exception := format_exception(record):
            line["exception"] = exception
        return _dump(line)


def _dump(line: dict[str, Any]) -> str:
    try:
        return orjson.dumps(line, default=str).decode()
    except TypeError:  # a text that UTF-8 cannot say, such as half of a surrogate pair
        return json.dumps(line, default=str)
