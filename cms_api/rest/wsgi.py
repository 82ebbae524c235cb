"""What has to happen before Django sees a request."""

import io
from collections.abc import Callable, Iterable
from typing import Any

_CHUNK = 64 * 1024


class ReadableBodies:
    """Gives a body that came in chunks, without a Content-Length, the length that Django asks for.

    Clients that stream their JSON (.NET's HttpClient by default) would otherwise be read as having
    sent nothing. At most one byte over CMS_MAX_BODY_BYTES is read, enough to be refused as too large.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked":
            body = _read(environ["wsgi.input"])
            environ["wsgi.input"] = io.BytesIO(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        return self._application(environ, start_response)


def _read(stream: Any) -> bytes:
    # Imported here because settings are not ready while this module is loaded by the server.
    from django.conf import settings

    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
    body = bytearray()
    while len(body) < limit and (chunk := stream.read(min(_CHUNK, limit - len(body)))):
        body += chunk
    return bytes(body)
