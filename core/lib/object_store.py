"""Files in an S3-compatible store. Apart from `media_storage`, since its libraries cost 15 MB of memory."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from time import monotonic
from typing import Any

from botocore import exceptions  # type: ignore[import-untyped]
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage  # type: ignore[import-untyped]
from storages.utils import clean_name  # type: ignore[import-untyped]

from core.lib.folded_names import FoldedNames
from core.lib.media_storage import SHOWN, StorageBusy, StorageUnavailable, StoredFile, extension_of

# A worker has four threads by default: only readers, or only writers, leave two for other requests.
_READERS = 2
_WRITERS = 2
_PIECE = 2 * 1024 * 1024  # bytes of a large file requested at a time
# Seconds to wait for a place while the store responds: places then become free within milliseconds.
_QUEUE = 0.25
_LISTED_EVERY = 60  # seconds
_MAX_LISTED = 10_000  # names: ten requests, for each of which a reader waits
_NO_BUCKET = "NoSuchBucket"
logger = logging.getLogger(__name__)


class ObjectStore(FoldedNames, S3Storage):
    """Few threads wait for the store at a time. Also raises StorageBusy and StorageUnavailable."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._reading, self._writing = _Places(_READERS), _Places(_WRITERS)

    def _open(self, name: str, mode: str = "rb") -> File:  # type: ignore[type-arg]
        with self._reading.one(), _missing_files(name):
            return ContentFile(self._object(name).get()["Body"].read(), name)

    def size_of(self, name: str) -> int:
        with self._reading.one(), _missing_files(name):
            return int(self._object(name).content_length)

    def stamp_of(self, name: str) -> str:
        with self._reading.one(), _missing_files(name):
            return str(self._object(name).e_tag)

    def parts(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes from `start` to before `stop`, in pieces. A slow client holds no place at the store."""
        for first in range(start, stop, _PIECE):
            last = min(stop, first + _PIECE) - 1
            with self._reading.one():
                piece = self._object(name).get(Range=f"bytes={first}-{last}")["Body"].read()
            yield piece

    def entries(self, folder: str, most: int | None = None) -> tuple[list[str], dict[str, StoredFile]]:
        prefix = self._normalize_name(clean_name(folder)) + "/"
        pages = self.connection.meta.client.get_paginator("list_objects_v2")
        folders: list[str] = []
        files: dict[str, StoredFile] = {}
        with self._reading.one():
            for page in pages.paginate(
                Bucket=self.bucket_name, Prefix=prefix, Delimiter="/", PaginationConfig={"MaxItems": most}
            ):
                folders += [each["Prefix"][len(prefix) : -1] for each in page.get("CommonPrefixes", ())]
                for each in page.get("Contents", ()):
                    files[each["Key"][len(prefix) :]] = StoredFile(each["Size"], each["LastModified"].timestamp())
        return folders, files

    def names_in(self, folder: str) -> list[str]:
        try:
            folders, files = self.entries(folder, _MAX_LISTED)
        except StorageUnavailable:  # the account may not list; it has been logged
            return []
        names = [*folders, *files]
        return names if len(names) < _MAX_LISTED else []

    def mark_of(self, folder: str) -> object:
        return monotonic() // _LISTED_EVERY

    def _object(self, name: str) -> Any:
        return self.bucket.Object(self._normalize_name(clean_name(name)))

    def save(self, name: str, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        with self._writing.one():
            return str(super().save(name, content, max_length))

    def get_object_parameters(self, name: str) -> dict[str, Any]:
        """Return the headers of files that the store serves without our sandbox: nothing that a browser could run."""
        extension = extension_of(name)
        own = {"ContentType": SHOWN.get(extension, "application/octet-stream")}
        if extension not in SHOWN:
            own["ContentDisposition"] = "attachment"
        return dict(super().get_object_parameters(name)) | own

    def move(self, name: str, target: str) -> None:
        """Copy the file to its new name, replacing any other, then delete it. Raises FileNotFoundError."""
        old = self._object(name)
        with self._writing.one(), _missing_files(name):
            self._object(target).copy_from(CopySource={"Bucket": old.bucket_name, "Key": old.key})
            old.delete()

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
        except FileNotFoundError:
            self._answers = True
            raise
        except (exceptions.BotoCoreError, exceptions.ClientError) as error:
            self._answers = 0 < _status(error) < HTTPStatus.INTERNAL_SERVER_ERROR
            told = "refuses a request" if self._answers else "does not respond"
            logger.error("The file storage %s: %s", told, error)
            raise StorageUnavailable(str(error)) from error
        finally:
            self._free.release()


@contextmanager
def _missing_files(name: str) -> Iterator[None]:
    try:
        yield
    except exceptions.ClientError as error:
        if _status(error) == HTTPStatus.NOT_FOUND and error.response.get("Error", {}).get("Code") != _NO_BUCKET:
            raise FileNotFoundError(f"The file storage has no file {name}.") from error
        raise


def _status(error: Any) -> int:
    """Return the status of the response; 0 if there was none."""
    if not isinstance(error, exceptions.ClientError):
        return 0
    status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status
