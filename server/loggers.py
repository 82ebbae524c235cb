from datetime import timedelta
from typing import Any
from urllib.parse import quote

from gunicorn.glogging import Logger

from core.audit.middleware import REQUEST_ID
from core.operation.logs import ACCESS_LINE
from core.operation.logs.json_lines import EXTRA, JsonLines
from core.operation.logs.middleware import MEMBERS

# Characters of a path, other than letters and digits, that are logged unchanged; quotes, blanks and controls are not.
_PLAIN = "/:@!$&'()*+,;="


class LineLogger(Logger):
    """gunicorn's logger; writes paths as one word of printable ASCII, so that a request cannot forge a log line."""

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Log a response; our own line without the fifty values that gunicorn prepares for any format."""
        if self.cfg.access_log_format != ACCESS_LINE or not self.access_log_enabled:
            super().access(resp, req, environ, request_time)
            return
        self.access_log.info(
            '%s %s "%s %s" %s %s bytes %d ms %s',
            self.now(),
            environ.get("REMOTE_ADDR", "-"),
            environ["REQUEST_METHOD"],
            _printable(environ),
            resp.status.partition(" ")[0],
            resp.sent,
            request_time.total_seconds() * 1000,
            next((value for name, value in resp.headers if name == REQUEST_ID), "-"),
        )

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        return atoms | {"U": _printable(environ)}


def _printable(environ: dict[str, Any]) -> str:
    return quote(str(environ.get("PATH_INFO", "")), safe=_PLAIN, errors="replace")  # which Django has decoded


class JsonLogger(Logger):
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(JsonLines())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Log a response; the path has no query, which may hold a key."""
        if not self.access_log_enabled:
            return
        method = environ.get("REQUEST_METHOD", "")
        # WSGI paths hold each byte as a character.
        path = str(environ.get("PATH_INFO", "")).encode("latin-1", "replace").decode("utf-8", "replace")
        status = int(str(resp.status).split()[0])
        members = {
            "method": method,
            "address": environ.get("REMOTE_ADDR", ""),
            **environ.get(MEMBERS, {}),
            "path": path,
            "status": status,
            "milliseconds": round(request_time.total_seconds() * 1000, 1),
            "bytes": getattr(resp, "sent", None),
        }
        self.access_log.info("%s %s %d", method, path, status, extra={EXTRA: members})
