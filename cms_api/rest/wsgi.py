"""What has to happen before Django sees a request."""

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

_CHUNK = 64 * 1024
_PATIENCE = 4  # times CMS_MAX_BODY_BYTES that are read of a body that is refused
_API = "/api/"


class ReadableBodies:
    """Gives a body that came in chunks, without a Content-Length, the length that Django asks for.

    Clients that stream their JSON (.NET's HttpClient by default) would otherwise be read as having
    sent nothing. At most one byte over CMS_MAX_BODY_BYTES is kept in memory: the API refuses a longer body,
    and `cms_api.admin.large_forms` decides what happens to a longer form.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # Imported here because settings are not ready while this module is loaded by the server.
        from django.conf import settings

        if not _can_be_read(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = ""  # over which Django would stumble, outside of everything that answers
        stream, limit = environ["wsgi.input"], settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if is_chunked(environ):
            environ["wsgi.input"], length = _beginning(stream, limit)
            environ["CONTENT_LENGTH"] = str(length)
        if environ.get("PATH_INFO", "").startswith(_API) and length_of(environ) > limit:
            drop_body(environ)
        return self._application(environ, start_response)


def is_chunked(environ: Mapping[str, Any]) -> bool:
    """Whether the request has a body whose length was not told beforehand."""
    return str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower() == "chunked"


def length_of(environ: Mapping[str, Any]) -> int:
    """Bytes of the body; `sys.maxsize` for a long one that comes in chunks."""
    text = str(environ.get("CONTENT_LENGTH") or "")
    return int(text) if text.isdecimal() else 0


def drop_body(environ: Mapping[str, Any]) -> None:
    """Read some of a body that is refused, and keep none of it.

    Most clients look for the answer only when they have sent everything, and a connection that is closed before would
    take it with it.
    """
    from django.conf import settings

    # Whether the rest can be read does not matter any more.
    with suppress(Exception):
        for _ in _parts(environ["wsgi.input"], _PATIENCE * settings.DATA_UPLOAD_MAX_MEMORY_SIZE):
            pass


class _Broken(io.RawIOBase):
    """A body whose chunks are malformed: whoever reads it learns that, and answers 400.

    An error raised here instead would be answered and logged by the server, with the key of the query.
    """

    def read(self, size: int = -1) -> bytes:
        """Raises OSError, as a connection that broke off does."""
        raise OSError("The chunks of the body are malformed.")


class _Continued(io.RawIOBase):
    """A body of which the beginning has been read."""

    def __init__(self, beginning: bytes, rest: Any) -> None:
        self._beginning, self._rest = io.BytesIO(beginning), rest

    def read(self, size: int = -1) -> bytes:
        """As a stream does. Raises OSError where the chunks are malformed."""
        if data := self._beginning.read(size):
            return data
        try:
            rest: bytes = self._rest.read(size)
        except OSError:
            raise
        except Exception as error:  # each server has classes of its own for this
            raise OSError("The chunks of the body are malformed.") from error
        return rest


def _can_be_read(content_type: str) -> bool:
    from django.utils.http import parse_header_parameters

    try:
        parse_header_parameters(content_type)
    except (ValueError, LookupError):
        return False
    return True


def _beginning(stream: Any, limit: int) -> tuple[io.IOBase, int]:
    """The body, of which so many bytes are read, and its length."""
    try:
        body = b"".join(_parts(stream, limit + 1))
    except Exception:  # noqa: BLE001 - each server has classes of its own for this
        return _Broken(), 1
    return (io.BytesIO(body), len(body)) if len(body) <= limit else (_Continued(body, stream), sys.maxsize)


def _parts(stream: Any, most: int) -> Iterator[bytes]:
    while most > 0 and (part := stream.read(min(_CHUNK, most))):
        most -= len(part)
        yield part
