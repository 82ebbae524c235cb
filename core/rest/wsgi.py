import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

# A portion of a file in the tus protocol, which views read as it arrives; other views refuse it.
PORTION = "application/offset+octet-stream"


class ReadableBodies:
    """Sets the Content-Length that Django needs for chunked bodies (.NET's HttpClient); longer ones stay unread.

    Up to CMS_MAX_BODY_BYTES + 1 are held in memory; `core.admin.large_forms` decides about longer forms.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # Imported here, since settings are not ready when the server loads this module.
        from django.conf import settings
        from django.utils.http import parse_header_parameters

        try:
            parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        except (ValueError, LookupError):
            environ["CONTENT_TYPE"] = ""  # Django would fail on it outside its error handling
        stream, limit = environ["wsgi.input"], settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if is_chunked(environ):
            environ["wsgi.input"], length = _beginning(stream, limit)
            environ["CONTENT_LENGTH"] = str(length)
        is_bounded = environ.get("CONTENT_TYPE") != PORTION and environ.get("PATH_INFO", "").startswith("/api/")
        if is_bounded and length_of(environ) > limit:
            drop_body(environ)
        return self._application(environ, start_response)


def is_chunked(environ: Mapping[str, Any]) -> bool:
    return str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower() == "chunked"


def length_of(environ: Mapping[str, Any]) -> int:
    """Return the bytes of the body; `sys.maxsize` for a long chunked one."""
    text = str(environ.get("CONTENT_LENGTH") or "")
    return int(text) if text.isdecimal() else 0


def drop_body(environ: Mapping[str, Any]) -> None:
    """Read part of a refused body: most clients read the response only after sending everything."""
    from django.conf import settings

    with suppress(Exception):
        for _ in _parts(environ["wsgi.input"], 4 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE):
            pass


class _Continued(io.RawIOBase):
    """A partly read body; malformed chunks raise `OSError` on reading, like a broken connection (400).

    Raised earlier, the server would answer and log it with the key in the query.
    """

    def __init__(self, beginning: bytes, rest: Any = None) -> None:
        self._beginning, self._rest = io.BytesIO(beginning), rest

    def read(self, size: int = -1) -> bytes:
        if data := self._beginning.read(size):
            return data
        try:
            rest: bytes = self._rest.read(size)
        except OSError:
            raise
        except Exception as error:  # each server has its own exceptions for this
            raise OSError("The chunks of the body are malformed.") from error
        return rest


def _beginning(stream: Any, limit: int) -> tuple[io.IOBase, int]:
    try:
        body = b"".join(_parts(stream, limit + 1))
    except Exception:  # noqa: BLE001 - each server has its own exceptions for this
        return _Continued(b""), 1
    return (io.BytesIO(body), len(body)) if len(body) <= limit else (_Continued(body, stream), sys.maxsize)


def _parts(stream: Any, most: int) -> Iterator[bytes]:
    while most > 0 and (part := stream.read(min(64 * 1024, most))):
        most -= len(part)
        yield part
