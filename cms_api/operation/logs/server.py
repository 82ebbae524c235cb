"""The server's own log, by CMS_LOG_FORMAT."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from gunicorn.glogging import Logger

from cms_api.operation.logs.json_lines import EXTRA, JsonLines
from cms_api.operation.logs.middleware import MEMBERS

# Of a path, besides letters and digits, as it stands in a line. Neither quotes, blanks nor control characters do.
_PLAIN = "/:@!$&'()*+,;="


class LineLogger(Logger):
    """gunicorn's logger; a path is one word of printable ASCII, so that no request can write a line of its own."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        """gunicorn's, with the path encoded as in an address."""
        path = quote(str(environ.get("PATH_INFO", "")), safe=_PLAIN, errors="replace")  # which Django has decoded
        atoms: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        return atoms | {"U": path}


class JsonLogger(Logger):
    """gunicorn's logger; a line of its access log has members in place of a format of its own."""

    def setup(self, cfg: Any) -> None:
        """gunicorn's, with its handlers writing JSON."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(JsonLines())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """One line for an answer; the path is without its query, in which a key may have been."""
        if not self.access_log_enabled:
            return
        method, path = environ.get("REQUEST_METHOD", ""), _path(environ)
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


def _path(environ: dict[str, Any]) -> str:
    # As servers hand it over: its bytes, each as a character.
    return str(environ.get("PATH_INFO", "")).encode("latin-1", "replace").decode("utf-8", "replace")
