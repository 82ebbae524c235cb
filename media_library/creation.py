from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import call
from typing import Any, NamedTuple

from django.db import connection, transaction

from core.admin.places import EVERYWHERE, Places
from core.archive import media
from core.lib.errors import ServiceError, attempt
from core.lib.media_storage import StorageBusy, StorageUnavailable
from media_library.branches import seen_files
from media_library.changes import columns_of, require_folder
from media_library.models import MediaFile, MediaFileQuerySet
from media_library.uploads import Upload, insert

_LOCK = 7347  # key of an advisory lock, different from all others of the service
_Files = MediaFileQuerySet | None  # those that are not stored again; None: all are


class Created(NamedTuple):
    file: MediaFile
    is_existing: bool  # the site had a file of the same bytes, which is returned unchanged


Result = Created | ServiceError


def create_files(
    uploads: Sequence[Upload | ServiceError],
    values: Mapping[str, Any],
    *,
    is_copy: bool,
    store: Callable[[Callable[[], list[Result]]], Any] = call,
    places: Places = EVERYWHERE,
) -> Any:
    """Store the files and rows with these values; `store` runs the change of the database and may add to it.

    Unless `is_copy`, a file whose bytes the site has, as sent or as stored, is not stored again if the administrator
    with these places sees it. Of several files, some may fail; an only one raises its error. A failure of the change
    leaves no file.
    """
    among = None if is_copy else seen_files(MediaFile.objects.listed(), places)
    with media.stored_for_rows() as stored:
        ready = [_put(each, stored, among) for each in uploads]
        if len(ready) == 1 and isinstance(ready[0], ServiceError):
            raise ready[0]
        unused: list[str] = []
        answer = store(lambda: _insert(ready, values, stored, unused, among))
        stored.clear()
    for name in unused:
        with suppress(OSError, StorageBusy, StorageUnavailable):
            media.remove(name)
    return answer


def _put(upload: Upload | ServiceError, stored: list[str], among: _Files) -> Upload | ServiceError:
    """Store the files, unless they are there."""
    if isinstance(upload, ServiceError) or _same(upload, among):
        return upload
    if isinstance(refusal := attempt(upload.put), ServiceError):
        return refusal
    stored += upload.names
    return upload


@transaction.atomic
def _insert(
    ready: Sequence[Upload | ServiceError],
    values: Mapping[str, Any],
    stored: list[str],
    unused: list[str],
    among: _Files,
) -> list[Result]:
    uploads = [each for each in ready if isinstance(each, Upload)]
    if uploads and values.get("folder_id"):
        require_folder(uploads[0].site.pk, values["folder_id"])
    if among is not None:
        _serialize(uploads)
    return [
        each if isinstance(each, ServiceError) else _insert_one(each, values, stored, unused, among) for each in ready
    ]


def _insert_one(
    upload: Upload, values: Mapping[str, Any], stored: list[str], unused: list[str], among: _Files
) -> Created:
    same = _same(upload, among)
    is_put = upload.names[0] in stored
    if same is not None:
        unused += upload.names if is_put else []
        return Created(same, True)
    if not is_put:  # the other file has just been deleted
        upload.put()
        stored += upload.names
    row = upload.row()
    for name, value in columns_of(values).items():
        setattr(row, name, value)
    insert(row)
    return Created(row, False)


def _same(upload: Upload, among: _Files) -> MediaFile | None:
    if among is None:
        return None
    digests = {upload.sent_sha256, upload.known["sha256"]}
    return among.filter(site=upload.site, sha256__in=digests).order_by("pk").first()


def _serialize(uploads: Sequence[Upload]) -> None:
    """Make concurrent uploads of the same bytes wait for each other; SQLite has one writer at a time."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for number in sorted({int(each.known["sha256"][:7], 16) for each in uploads}):
                cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, number])
