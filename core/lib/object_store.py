"""Files in an S3-compatible store. Apart from `media_storage`, since its libraries cost 15 MB of memory."""

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

from cms_api.lib.media_storage import SHOWN, StorageBusy, StorageUnavailable

# A worker has four threads by default: readers alone, or writers alone, leave two for other requests.
_READERS = 2
_WRITERS = 2
_PIECE = 2 * 1024 * 1024  # bytes of a large file requested at a time
# Seconds to wait for a place while the store responds: places then become free within milliseconds.
_QUEUE = 0.25
_SILENCE = (exceptions.ConnectionError, exceptions.HTTPClientError, exceptions.IncompleteReadError)
logger = logging.getLogger(__name__)


class ObjectStore(S3Storage):
    """Few threads wait for the store at a time. Also raises StorageBusy and StorageUnavailable."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._reading, self._writing = _Places(_READERS), _Places(_WRITERS)

    def _open(self, name: str, mode: str = "rb") -> File:  # type: ignore[type-arg]
        with _missing_files(name), self._reading.one():
            return ContentFile(self._object(name).get()["Body"].read(), name)

    def size_of(self, name: str) -> int:
        with _missing_files(name), self._reading.one():
            return int(self._object(name).content_length)

    def parts(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes from `start` to before `stop`, in pieces. A slow client holds no place at the store."""
        for first in range(start, stop, _PIECE):
            last = min(stop, first + _PIECE) - 1
            with self._reading.one():
                piece = self._object(name).get(Range=f"bytes={first}-{last}")["Body"].read()
            yield piece

    def entries(self, folder: str) -> tuple[list[str], dict[str, float]]:
        prefix = self._normalize_name(clean_name(folder)) + "/"
        pages = self.connection.meta.client.get_paginator("list_objects_v2")
        folders: list[str] = []
        files: dict[str, float] = {}
        with self._reading.one():
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=prefix, Delimiter="/"):
                folders += [each["Prefix"][len(prefix) : -1] for each in page.get("CommonPrefixes", ())]
                for each in page.get("Contents", ()):
                    files[each["Key"][len(prefix) :]] = each["LastModified"].timestamp()
        return folders, files

    def _object(self, name: str) -> Any:
        return self.bucket.Object(self._normalize_name(clean_name(name)))

    def save(self, name: str, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        with self._writing.one():
            return str(super().save(name, content, max_length))

    def get_object_parameters(self, name: str) -> dict[str, Any]:
        """Return the headers of files that the store serves without our sandbox: nothing that a browser could run."""
        extension = PurePosixPath(name).suffix.lstrip(".").lower()
        own = {"ContentType": SHOWN.get(extension, "application/octet-stream")}
        if extension not in SHOWN:
            own["ContentDisposition"] = "attachment"
        return dict(super().get_object_parameters(name)) | own

    def delete(self, name: str) -> None:
        with self._writing.one():
            super().delete(name)


class _Places:
    def __init__(self, number: int) -> None:
        self._free = threading.BoundedSemaphore(number)
        self._answers = True

    @contextmanager
    def one(self) -> Iterator[None]:
        """Take a place, without queueing if the store did not respond the last time."""
        if not self._free.acquire(timeout=_QUEUE if self._answers else 0):
            raise StorageBusy("All connections to the file storage are in use.")
        try:
            yield
            self._answers = True
        except (*_SILENCE, exceptions.ClientError) as error:
            is_error = isinstance(error, exceptions.ClientError)
            self._answers = is_error and _status(error) < HTTPStatus.INTERNAL_SERVER_ERROR
            if self._answers:
                raise
            logger.error("The file storage does not respond: %s", error)
            raise StorageUnavailable(str(error)) from error
        finally:
            self._free.release()


@contextmanager
def _missing_files(name: str) -> Iterator[None]:
    try:
        yield
    except exceptions.ClientError as error:
        if _status(error) == HTTPStatus.NOT_FOUND:
            raise FileNotFoundError(f"The file storage has no file {name}.") from error
        raise


def _status(error: Any) -> int:
    status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status
