from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction

from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.media_storage import SHOWN, StorageBusy, StorageUnavailable, extension_of, new_letters
from core.rest.preconditions import Precondition
from media_library.kinds import SMALLER, STAGE, MediaKind, smaller_path
from media_library.models import MediaFile, MediaFolder
from media_library.renditions.stored import forget_renditions
from media_library.replaced import moment_after
from media_library.uploads import Upload, name_of
from sites.storing import asking

_OF_BYTES = ("bytes", "sha256", "width", "height", "duration")
_storage: Any = default_storage


def media_not_found(site_id: int, media_id: int) -> NotFound:
    return NotFound("media_not_found", f"Media file {media_id} was not found in site {site_id}.")


def find(site_id: int, media_id: int) -> MediaFile:
    """Return the listed file. Raises NotFound."""
    if (row := MediaFile.objects.listed().filter(site=site_id, pk=media_id).first()) is None:
        raise media_not_found(site_id, media_id)
    return row


def hold(site_id: int, media_id: int, precondition: Precondition | None = None) -> MediaFile:
    """Return the listed file, locked. Raises NotFound, and errors of the precondition."""
    row = MediaFile.objects.listed().filter(site=site_id, pk=media_id).select_for_update().first()
    if row is None:
        raise media_not_found(site_id, media_id)
    if precondition is not None:
        precondition(row)
    return row


def smaller_paths(row: MediaFile) -> list[str]:
    """Return the paths that smaller forms of the picture have, if it has any."""
    if row.kind != MediaKind.IMAGE:
        return []
    paths = [smaller_path(row.path, form) for form in SMALLER]
    # A picture of this name may have been there first.
    own = MediaFile.objects.filter(site=row.site_id, path__in=paths).values_list("path", flat=True)
    return [path for path in paths if path not in set(own)]


def require_folder(site_id: int, folder_id: int) -> None:
    """Raise InvalidInput (`media_folder_not_found`) unless the site has the folder; 0 means none."""
    if folder_id and not MediaFolder.objects.filter(site=site_id, pk=folder_id).exists():
        message = f"Folder {folder_id} was not found in site {site_id}."
        raise InvalidInput("media_folder_not_found", message, member="folderId")


def columns_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns for values as the API has them: a folder of 0 is none, a focal point is a pair or None."""
    columns = dict(values)
    if "folder_id" in columns:
        columns["folder_id"] = columns["folder_id"] or None
    if "focal_point" in columns:
        columns["focal_x"], columns["focal_y"] = columns.pop("focal_point") or (None, None)
    return columns


@transaction.atomic
def update_file(
    site_id: int, media_id: int, values: Mapping[str, Any], precondition: Precondition | None = None
) -> MediaFile:
    """Change only these values. Raises NotFound, InvalidInput, and errors of the precondition."""
    row = hold(site_id, media_id, precondition)
    changed = {name: value for name, value in columns_of(values).items() if getattr(row, name) != value}
    if not changed:
        return row
    if changed.get("folder_id"):
        require_folder(site_id, changed["folder_id"])
    for name, value in changed.items():
        setattr(row, name, value)
    _save(row, *changed)
    if "focal_x" in changed:
        transaction.on_commit(partial(forget_renditions, site_id, row.path))
    return row


def _save(row: MediaFile, *columns: str) -> None:
    row.changed_at = clock.now()
    row.version += 1
    row.save(update_fields=[*columns, "changed_at", "version"])


class Replacement:
    """New bytes for files at the same addresses: stored under hidden names first, so that no half file is shown."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._letters = new_letters(16)
        self._staged: dict[str, str] = {}  # path of the upload → name in the storage

    def __enter__(self) -> "Replacement":
        try:
            for number, (path, content) in enumerate(self._upload.files.items()):
                name = name_of(self._upload.site.pk, f"{STAGE}/{self._letters}{number}.{extension_of(path)}")
                self._staged[path] = name
                asking(partial(_store, name, content))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        for name in self._staged.values():
            with suppress(OSError, StorageBusy, StorageUnavailable):
                _storage.delete(name)

    @transaction.atomic
    def apply(self, media_id: int, precondition: Precondition | None = None, **columns: Any) -> MediaFile:
        """Put the files at the addresses of the row, which also gets these values.

        Raises NotFound, InvalidInput (`media_type_differs`), LimitReached, Unavailable, and errors of the precondition.
        """
        site_id, staged = self._upload.site.pk, dict(self._staged)
        row = hold(site_id, media_id, precondition)
        require_same_type(row, self._upload)
        path = next(iter(staged))
        smaller = {smaller_path(row.path, form): smaller_path(path, form) for form in SMALLER}
        targets = {row.path: path} | {each: smaller[each] for each in smaller_paths(row)}
        new = self._upload.row()
        for name in _OF_BYTES:
            setattr(row, name, getattr(new, name))
        for name, value in columns.items():
            setattr(row, name, value)
        row.replaced_at = moment_after(row.replaced_at)
        _save(row, *_OF_BYTES, *columns, "replaced_at")
        audit.record("media.replaced", row, site_id=site_id)
        transaction.on_commit(partial(forget_renditions, site_id, row.path))
        # Last: only a failing commit can now leave a row that does not fit its file.
        for target, source in reversed(targets.items()):
            if source in staged:
                asking(partial(_storage.move, staged[source], name_of(site_id, target)))
            else:
                asking(partial(_storage.delete, name_of(site_id, target)))
        return row


def require_same_type(row: MediaFile, upload: Upload) -> None:
    extensions = [extension_of(path) for path in (row.path, next(iter(upload.files)))]
    if len({SHOWN.get(each, each) for each in extensions}) > 1:
        message = f"The file must have the type {extensions[0]}, as the one that it replaces; it is {extensions[1]}."
        raise InvalidInput("media_type_differs", message, type=extensions[0])


def _store(name: str, content: File) -> None:  # type: ignore[type-arg]
    content.seek(0)
    _storage.save(name, content)
