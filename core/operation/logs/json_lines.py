"""Log records as JSON lines with listed members only; libraries write all, even Django's `request`."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import orjson

from core.operation.logs.current import current_members, node_name
from core.operation.logs.secrets import format_exception, hide_secrets

# Attribute of a record with further members of its line (`logger.warning(…, extra={EXTRA: {…}})`).
EXTRA = "members"


class JsonLines(logging.Formatter):
    """time, level, logger, message, node; the request's `current_members`; exception; further members."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "node": node_name(),
            # Django attaches the request to some records, after serving it.
            **current_members(getattr(record, "request", None)),
            **getattr(record, EXTRA, {}),
        }
        line = {name: hide_secrets(value) if isinstance(value, str) else value for name, value in line.items()}
        if exception := format_exception(record):
            line["exception"] = exception
        try:
            return orjson.dumps(line, default=str).decode()
        except TypeError:  # text that UTF-8 cannot encode, such as half of a surrogate pair
            return json.dumps(line, default=str)
