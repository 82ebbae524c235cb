"""Files at addresses that clients name: of the public Internet only, within limits of time and bytes."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from core.lib.errors import InvalidInput, LimitReached
from core.lib.media_storage import SHOWN, extension_of
from core.lib.pinned_connection import ERRORS, PinnedConnection, connecting
from core.lib.public_addresses import AddressRefused, read_url, resolve
from media_library.uploads import file_too_large

MAX_URL = 2000  # characters
SECONDS = 20.0  # for all requests of a fetch
_MAX_REDIRECTS = 3
_PIECE = 64 * 1024  # bytes
_MEMBER = "sourceUrl"
_NAMES = {content_type: extension for extension, content_type in reversed(SHOWN.items())} | {"image/jpeg": "jpg"}
_places = BoundedSemaphore(2)  # of a process, whose other threads stay free


def fetch(url: str, max_bytes: int, name: str = "") -> "UploadedFile[Any]":
    """Return the file at the address, named `name` or as in the address.

    Raises InvalidInput (`url_invalid`, `address_refused`, `source_unreadable`), TooLarge and LimitReached.
    """
    if not _places.acquire(blocking=False):
        raise LimitReached("busy", "Too many addresses are being read; send the request again in a second.", wait=1)
    try:
        return _fetch(url, max_bytes, name)
    except AddressRefused as refusal:
        raise InvalidInput("address_refused", str(refusal), member=_MEMBER) from refusal
    except TimeoutError as error:
        raise _unreadable(f"did not respond within {SECONDS:g} seconds") from error
    except socket.gaierror as error:
        raise _unreadable("has a host name that cannot be resolved") from error
    finally:
        _places.release()


def _fetch(url: str, max_bytes: int, name: str) -> "UploadedFile[Any]":
    end = time.monotonic() + SECONDS
    for _ in range(1 + _MAX_REDIRECTS):
        target = read_url(url, _MEMBER, max_length=MAX_URL)
        addresses = resolve(target)
        if (left := end - time.monotonic()) <= 0:
            raise TimeoutError
        with connecting(target, addresses, left) as connection:
            headers = {"Host": target.authority, "Accept": "*/*", "Accept-Encoding": "identity"}
            with _network_errors(connection):
                connection.request("GET", target.path, headers=headers)
                response = connection.getresponse()
            location = response.getheader("Location")
            if 300 <= response.status < 400 and location:
                url = urljoin(url, location).partition("#")[0]
                continue
            if response.status != 200 or response.getheader("Content-Encoding", "identity") != "identity":
                raise _unreadable(f"responds with the status {response.status} or in an encoding")
            content_type = response.getheader("Content-Type", "").partition(";")[0].strip().lower()
            return _read(connection, response, max_bytes, name or _name_of(url, content_type))
    raise _unreadable(f"redirects more than {_MAX_REDIRECTS} times")


def _read(connection: PinnedConnection, response: Any, max_bytes: int, name: str) -> "UploadedFile[Any]":
    file = TemporaryUploadedFile(name, "", 0, None)
    try:
        while piece := _piece_of(connection, response):
            file.write(piece)
            if file.tell() > max_bytes:
                raise file_too_large(max_bytes)
        connection.raise_if_over()  # the deadline ends the response like its end
        if response.length:
            raise _unreadable("ends too early")
        file.flush()
        file.size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _piece_of(connection: PinnedConnection, response: Any) -> bytes:
    with _network_errors(connection):
        piece: bytes = response.read(_PIECE)
        return piece


@contextmanager
def _network_errors(connection: PinnedConnection) -> Iterator[None]:
    """Unlike errors of our disk, those of the network are faults of the address."""
    try:
        yield
    except ERRORS as error:
        connection.raise_if_over()
        if isinstance(error, TimeoutError):
            raise
        raise _unreadable(f"cannot be read ({type(error).__name__})") from error


def _name_of(url: str, content_type: str) -> str:
    """Return the last part of the path, with the type that the response names if it has none."""
    name = unquote(urlsplit(url).path).replace("\\", "/").rpartition("/")[2].strip(".") or "file"
    extension = "" if extension_of(name) else _NAMES.get(content_type, "")
    return f"{name}.{extension}" if extension else name


def _unreadable(problem: str) -> InvalidInput:
    return InvalidInput("source_unreadable", f"The address in sourceUrl {problem}.", member=_MEMBER)
