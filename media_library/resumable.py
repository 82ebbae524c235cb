"""Files that arrive in several requests: each portion is stored in parts in a hidden folder of the site.

No lock is held while bytes arrive. A row changes only if it still has as many bytes as before; so of two requests that
continue an upload at once, one gets a conflict, and its bytes are dropped. The last bytes count as received only when
the file is in the library: in the same transaction.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.db.models import Count, Min, Sum
from django.http import UnreadablePostError

from core.lib import clock
from core.lib.errors import InvalidInput, LimitReached, NotFound, ServiceError
from core.lib.media_storage import StorageBusy, StorageUnavailable, new_letters
from core.rest.errors import HttpError, TooLarge
from media_library.creation import Result, create_files
from media_library.kinds import STAGE
from media_library.models import MediaUpload
from media_library.uploads import name_of, prepare_by_type
from sites.models import Site
from sites.storing import asking

LIFETIME = timedelta(hours=24)  # after the last bytes, or after the end
# Unfinished uploads of an API key, and bytes that they have in the end; one may be larger.
MAX_UNFINISHED = 100
MAX_UNFINISHED_BYTES = 64 * 1024**3
ALGORITHMS = ("sha1", "sha256")
_PART = 8 * 1024 * 1024  # bytes, in memory until they are stored
_SHORT = _PART // 2  # bytes of a last part that the next portion continues
_AT_A_TIME = 50
_SITES_AT_A_TIME = 20
_OLD = timedelta(days=1)  # since then, a file that is about to replace another is left over
_storage: Any = default_storage


class OffsetDiffers(HttpError):
    status_code = HTTPStatus.CONFLICT


class ChecksumDiffers(HttpError):
    status_code = 460  # of tus


class Checksum(NamedTuple):
    algorithm: str  # of ALGORITHMS
    digest: bytes


class NewFile(NamedTuple):
    name: str
    values: dict[str, Any]  # of the record, as `create_files` takes them


def begin(site: Site, key_id: int, length: int, metadata: str) -> MediaUpload:
    """Raises LimitReached (`too_many_uploads`)."""
    _require_room(key_id, length)
    return MediaUpload.objects.create(
        site=site,
        identifier=new_letters(32),
        key_id=key_id,
        metadata=metadata,
        length=length,
        expires_at=clock.steady(LIFETIME),
    )


def _require_room(key_id: int, length: int) -> None:
    rows = MediaUpload.objects.filter(key_id=key_id, media_id__isnull=True, expires_at__gt=clock.steady())
    found = rows.aggregate(number=Count("pk"), bytes=Sum("length"), first=Min("expires_at"))
    number = found["number"]
    if number >= MAX_UNFINISHED or (number and found["bytes"] + length > MAX_UNFINISHED_BYTES):
        message = (
            f"The API key may have {MAX_UNFINISHED} unfinished uploads of together {MAX_UNFINISHED_BYTES} bytes. "
            "Finish some, or end them with DELETE."
        )
        wait = max(1, math.ceil((found["first"] - clock.steady()).total_seconds()))
        raise LimitReached("too_many_uploads", message, wait=wait)


def find(site_id: int, identifier: str, key_id: int) -> MediaUpload:
    """Return the upload of the key. Raises NotFound."""
    rows = MediaUpload.objects.filter(site=site_id, identifier=identifier, key_id=key_id)
    if (upload := rows.filter(expires_at__gt=clock.steady()).first()) is None:
        raise _not_found(site_id, identifier)
    return upload


def _not_found(site_id: int, identifier: str) -> NotFound:
    message = f"Upload {identifier} was not found in site {site_id}; it may have expired, or belong to another key."
    return NotFound("upload_not_found", message)


def receive(
    site: Site, upload: MediaUpload, pieces: Iterable[bytes], new: NewFile, checksum: Checksum | None = None
) -> None:
    """Append the bytes; the last ones make the file, and set `media_id`.

    Of a body that breaks off, what has arrived is kept, unless there is a checksum. If the site refuses the file, the
    upload is over. Raises OffsetDiffers, ChecksumDiffers, and as `prepare_by_type` and `create_files`.
    """
    arriving = _Arriving(upload)
    digest = hashlib.new(checksum.algorithm) if checksum else None
    broken: UnreadablePostError | None = None
    try:
        try:
            for piece in pieces:
                if digest is not None:
                    digest.update(piece)
                arriving.add(piece)
                if checksum is None and arriving.stored:
                    arriving.keep()
        except UnreadablePostError as error:
            broken = error
        if checksum and digest and (broken or digest.digest() != checksum.digest):
            message = f"The bytes do not have the {checksum.algorithm} in Upload-Checksum; none of them were kept."
            raise ChecksumDiffers("upload_checksum_differs", message)
        if arriving.received == upload.length and upload.media_id is None:
            _finish(site, arriving, new)
        elif arriving.received > upload.received:
            arriving.store()
            arriving.keep()
    finally:
        arriving.drop()
    if broken is not None:
        raise broken


class _Arriving:
    """The parts of an upload, and bytes that are in none of them yet."""

    def __init__(self, upload: MediaUpload) -> None:
        self.upload, self.received = upload, upload.received
        self.parts: list[tuple[str, int]] = [(name, size) for name, size in upload.parts]
        self.rest = bytearray()
        self.stored: list[str] = []  # parts that the row does not have yet
        self._replaced: list[str] = []

    def add(self, piece: bytes) -> None:
        if self.received == self.upload.received and self.parts and self.parts[-1][1] < _SHORT:
            # Many short portions must not become as many files.
            name, size = self.parts.pop()
            self.rest += b"".join(_pieces_of(self.upload, name, size))
            self._replaced.append(name)
        self.rest += piece
        self.received += len(piece)
        # The rest of the last bytes is read from memory.
        if len(self.rest) >= _PART and self.received < self.upload.length:
            self.store()

    def store(self) -> None:
        name = new_letters(16)
        self.stored.append(name)
        asking(partial(_storage.save, _name_of(self.upload, name), ContentFile(self.rest)))
        self.parts.append((name, len(self.rest)))
        self.rest = bytearray()

    def keep(self) -> None:
        """Raises as `change`."""
        self.change(parts=self.parts)
        self.stored.clear()
        _delete_parts(self.upload, self._replaced)
        self._replaced.clear()

    def change(self, **columns: Any) -> None:
        """Store that the bytes have arrived. Raises OffsetDiffers if another request has continued the upload."""
        columns |= {"received": self.received, "expires_at": clock.steady(LIFETIME)}
        rows = MediaUpload.objects.filter(pk=self.upload.pk, received=self.upload.received, media_id__isnull=True)
        if not rows.filter(expires_at__gt=clock.steady()).update(**columns):
            raise offset_differs()
        for column, value in columns.items():
            setattr(self.upload, column, value)

    def drop(self) -> None:
        _delete_parts(self.upload, self.stored)


def offset_differs() -> OffsetDiffers:
    message = "Upload-Offset is not the number of bytes that have arrived; HEAD returns it."
    return OffsetDiffers("upload_offset_differs", message)


def _finish(site: Site, arriving: _Arriving, new: NewFile) -> None:
    upload = arriving.upload

    @transaction.atomic
    def store(change: Callable[[], list[Result]]) -> None:
        (created,) = change()
        if isinstance(created, ServiceError):
            raise created
        arriving.change(media_id=created.file.pk)

    try:
        with TemporaryUploadedFile(new.name, "", 0, None) as file:
            for name, size in arriving.parts:
                for piece in _pieces_of(upload, name, size):
                    file.write(piece)
            file.write(arriving.rest)
            file.flush()
            file.size = file.tell()
            create_files([prepare_by_type(site, file)], new.values, is_copy=False, store=store)
    except (InvalidInput, TooLarge):
        end(upload)
        raise
    with suppress(ServiceError, OSError):  # `purge` tries again
        _delete_folder(upload)


def _pieces_of(upload: MediaUpload, name: str, size: int) -> Iterator[bytes]:
    """Yield the bytes of a part. If the storage has lost it, the upload is over: raises NotFound."""
    parts = _storage.parts(_name_of(upload, name), 0, size)
    try:
        while piece := asking(partial(next, parts, b"")):
            yield piece
    except FileNotFoundError as error:
        end(upload)
        raise _not_found(upload.site_id, upload.identifier) from error


def end(upload: MediaUpload) -> None:
    """Delete the upload and its parts, but not the finished file."""
    # First for other requests: none of them adds a part from now on.
    MediaUpload.objects.filter(pk=upload.pk).update(expires_at=clock.steady(-LIFETIME))
    with suppress(ServiceError, OSError):  # `purge` tries again
        _delete(upload)


def purge() -> None:
    """Delete some of the uploads that have expired, and what is left in the folders of some of the sites."""
    for upload in MediaUpload.objects.filter(expires_at__lte=clock.steady()).order_by("expires_at")[:_AT_A_TIME]:
        _delete(upload)
    _purge_some_sites()


def _delete(upload: MediaUpload) -> None:
    _delete_folder(upload)
    MediaUpload.objects.filter(pk=upload.pk).delete()


def _delete_folder(upload: MediaUpload) -> None:
    """Delete all parts, also those of requests whose process was killed."""
    _delete_files(_folder_of(upload))


def _delete_files(folder: str, before: float = math.inf) -> None:
    """Delete the files stored before a moment, and the folder if it is empty then."""
    _, files = asking(partial(_storage.entries, folder))
    old = [name for name, file in files.items() if file.stored_at < before]
    for name in old:
        asking(partial(_storage.delete, f"{folder}/{name}"))
    with suppress(OSError):
        _storage.delete(folder)  # only file systems have folders


_last_site = 0


def _purge_some_sites() -> None:
    """Delete old files in the folders of the next sites that no upload has; processes that were killed left them."""
    global _last_site
    sites = list(Site.objects.filter(pk__gt=_last_site).order_by("pk").values_list("pk", flat=True)[:_SITES_AT_A_TIME])
    _last_site = sites[-1] if len(sites) == _SITES_AT_A_TIME else 0
    before = (clock.now() - _OLD).timestamp()
    for site_id in sites:
        stage = name_of(site_id, STAGE)
        folders = asking(partial(_storage.entries, stage))[0][:500]
        known = set(MediaUpload.objects.filter(identifier__in=folders).values_list("identifier", flat=True))
        for folder in folders:
            if folder not in known:
                _delete_files(f"{stage}/{folder}", before)
        _delete_files(stage, before)


def _folder_of(upload: MediaUpload) -> str:
    return name_of(upload.site_id, f"{STAGE}/{upload.identifier}")


def _name_of(upload: MediaUpload, name: str) -> str:
    return f"{_folder_of(upload)}/{name}"


def _delete_parts(upload: MediaUpload, names: Iterable[str]) -> None:
    for name in names:
        with suppress(OSError, StorageBusy, StorageUnavailable):
            _storage.delete(_name_of(upload, name))
