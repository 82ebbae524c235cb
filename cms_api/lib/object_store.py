"""Files in an S3-compatible object store, which may be slow or gone without keeping the service's threads.

Apart from `media_storage`, since its libraries cost 15 MB, which only those who use a store shall pay.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any

from botocore import exceptions  # type: ignore[import-untyped]
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage  # type: ignore[import-untyped]
from storages.utils import clean_name  # type: ignore[import-untyped]

from cms_api.lib.media_names import SHOWN
from cms_api.lib.media_storage import StorageBusy, StorageUnavailable

# Of the four threads that a worker has by default, the others are left for requests that need no store.
_READERS = 2
_WRITERS = 2
_PIECE = 2 * 1024 * 1024  # bytes of a large file that are asked for at a time
# Seconds that one waits for a place while the store answers: then places are free again within some milliseconds.
_QUEUE = 0.25
_SILENCE = (exceptions.ConnectionError, exceptions.HTTPClientError, exceptions.IncompleteReadError)
logger = logging.getLogger(__name__)


class ObjectStore(S3Storage):
    """The store. Few threads of a process wait for it at a time; reads and writes have places of their own.

    Besides what S3Storage raises: StorageBusy when all places are taken, StorageUnavailable when the store cannot be
    reached, does not answer in time, or answers that it has failed.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._reading, self._writing = _Places(_READERS), _Places(_WRITERS)

    def _open(self, name: str, mode: str = "rb") -> File:  # type: ignore[type-arg]
        """The whole file, in one request. Raises FileNotFoundError."""
        key = self._normalize_name(clean_name(name))
        try:
            with self._reading.one():
                return ContentFile(self.bucket.Object(key).get()["Body"].read(), name)
        except exceptions.ClientError as error:
            _tell_missing(name, error)
            raise

    def size_of(self, name: str) -> int:
        """How many bytes the file has. Raises FileNotFoundError."""
        key = self._normalize_name(clean_name(name))
        try:
            with self._reading.one():
                return int(self.bucket.Object(key).content_length)
        except exceptions.ClientError as error:
            _tell_missing(name, error)
            raise

    def parts(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes from `start` to before `stop`, in pieces, each asked for when the one before is sent.

        So a client that reads slowly keeps no place at the store.
        """
        key = self._normalize_name(clean_name(name))
        for first in range(start, stop, _PIECE):
            last = min(stop, first + _PIECE) - 1
            with self._reading.one():
                piece = self.bucket.Object(key).get(Range=f"bytes={first}-{last}")["Body"].read()
            yield piece

    def save(self, name: str, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        """The name under which the content is kept."""
        with self._writing.one():
            saved: str = super().save(name, content, max_length)
        return saved

    def get_object_parameters(self, name: str) -> dict[str, Any]:
        """What the store answers with the file by itself, without our sandbox: nothing that a browser could run."""
        extension = PurePosixPath(name).suffix.lstrip(".").lower()
        own = {"ContentType": SHOWN.get(extension, "application/octet-stream")}
        if extension not in SHOWN:
            own["ContentDisposition"] = "attachment"
        return dict(super().get_object_parameters(name)) | own

    def delete(self, name: str) -> None:
        """Remove the file; one that is gone is no error."""
        with self._writing.one():
            super().delete(name)


class _Places:
    """So many threads may wait for the store at a time."""

    def __init__(self, number: int) -> None:
        self._free = threading.BoundedSemaphore(number)
        self._answers = True

    @contextmanager
    def one(self) -> Iterator[None]:
        """A place. A store that did not answer the last time is not worth standing in a queue for."""
        if not self._free.acquire(timeout=_QUEUE if self._answers else 0):
            raise StorageBusy("All places at the store are taken.")
        try:
            yield
            self._answers = True
        except (*_SILENCE, exceptions.ClientError) as error:
            is_error = isinstance(error, exceptions.ClientError)
            self._answers = is_error and _status(error) < HTTPStatus.INTERNAL_SERVER_ERROR
            if self._answers:
                raise
            logger.error("The store of files does not answer: %s", error)
            raise StorageUnavailable(str(error)) from error
        finally:
            self._free.release()


def _tell_missing(name: str, error: Any) -> None:
    """Raise FileNotFoundError if that is what the error says."""
    if _status(error) == HTTPStatus.NOT_FOUND:
        raise FileNotFoundError(f"The store has no file {name}.") from error


def _status(error: Any) -> int:
    status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status
