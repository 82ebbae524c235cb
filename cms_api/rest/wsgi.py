"""What has to happen before Django sees a request."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

_CHUNK = 64 * 1024
_PATIENCE = 4  # times CMS_MAX_BODY_BYTES that are read of a body that is refused


class ReadableBodies:
    """Gives a body that came in chunks, without a Content-Length, the length that Django asks for.

    Clients that stream their JSON (.NET's HttpClient by default) would otherwise be read as having
    sent nothing. At most one byte over CMS_MAX_BODY_BYTES is kept, enough to be refused as too large.
    What follows is read and dropped, since most clients look for the answer only when they have sent
    everything, and a connection that is closed before would take it with it.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # Imported here because settings are not ready while this module is loaded by the server.
        from django.conf import settings

        if not _can_be_read(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = ""  # over which Django would stumble, outside of everything that answers
        stream, limit = environ["wsgi.input"], settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked":
            body = _read(stream, limit + 1)
            environ["wsgi.input"] = _Broken() if body is None else io.BytesIO(body)
            environ["CONTENT_LENGTH"] = "1" if body is None else str(len(body))
        if _length(environ) > limit:
            _drop(stream, _PATIENCE * limit)
        return self._application(environ, start_response)


class _Broken(io.RawIOBase):
    """A body whose chunks are malformed: whoever reads it learns that, and answers 400.

    An error raised here instead would be answered and logged by the server, with the key of the query.
    """

    def read(self, size: int = -1) -> bytes:
        """Raises OSError, as a connection that broke off does."""
        raise OSError("The chunks of the body are malformed.")


def _can_be_read(content_type: str) -> bool:
    from django.utils.http import parse_header_parameters

    try:
        parse_header_parameters(content_type)
    except (ValueError, LookupError):
        return False
    return True


def _length(environ: dict[str, Any]) -> int:
    text = environ.get("CONTENT_LENGTH") or ""
    return int(text) if text.isdecimal() else 0


def _read(stream: Any, most: int) -> bytes | None:
    """The bytes of the body up to so many; None when they cannot be read."""
    try:
        return b"".join(_parts(stream, most))
    except Exception:  # noqa: BLE001 - each server has classes of its own for this
        return None


def _drop(stream: Any, most: int) -> None:
    # Whether the rest can be read does not matter any more.
    with suppress(Exception):
        for _ in _parts(stream, most):
            pass


def _parts(stream: Any, most: int) -> Iterator[bytes]:
    while most > 0 and (part := stream.read(min(_CHUNK, most))):
        most -= len(part)
        yield part
