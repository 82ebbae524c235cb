from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F

from core.lib import clock
from core.lib.media_storage import SITE_FILES, StoredFile
from media_library.kinds import in_library, kind_of
from media_library.models import MediaFile, MediaFolder, MediaUpload, Rendition, title_of
from media_library.replaced import moment_after
from sites.models import Site

_AT_A_TIME = 500  # rows in a statement
_storage: Any = default_storage
_UNREAD = {"sha256": "", "width": None, "height": None, "duration": None}


def record_files(site: Site, paths: Iterable[str], *, only_missing: bool = False) -> None:
    """Store the rows of files that have just been stored at the paths, new or instead of others.

    With `only_missing`, rows that exist do not change.

    Reads lists of the storage, no files: `sync_media` adds SHA-256 and dimensions. Ignores files that the library does
    not list. Raises StorageBusy and StorageUnavailable.
    """
    by_folder: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        by_folder[path.rpartition("/")[0]].add(path)
    for folder, wanted in by_folder.items():
        files = stored_in(site, folder)[1]
        chosen = [path for path in in_library(site, files) if path in wanted]
        for start in range(0, len(chosen), _AT_A_TIME):
            some = {path: files[path] for path in chosen[start : start + _AT_A_TIME]}
            store_rows(site, some, only_missing=only_missing)


def stored_in(site: Site, folder: str) -> tuple[list[str], dict[str, StoredFile]]:
    """Return the folders below a folder of the site, and its files, by their paths below the folder of the site."""
    below = f"{folder}/" if folder else ""
    folders, files = _storage.entries(f"{SITE_FILES.folder}/{site.pk}/{folder}".rstrip("/"))
    return [below + name for name in folders], {below + name: file for name, file in files.items()}


@transaction.atomic
def store_rows(site: Site, files: dict[str, StoredFile], *, only_missing: bool = False) -> int:
    """Add rows for the files and return their number. Others lose what was read from former bytes."""
    now = clock.now()
    rows = MediaFile.objects.select_for_update().filter(site=site, path__in=files).order_by("pk")
    present = {path: (pk, replaced_at) for path, pk, replaced_at in rows.values_list("path", "pk", "replaced_at")}
    MediaFile.objects.bulk_create(
        [new_row(site, path, file) for path, file in files.items() if path not in present], ignore_conflicts=True
    )
    for path, (pk, replaced_at) in present.items() if not only_missing else ():
        values: dict[str, Any] = _UNREAD | {"bytes": files[path].size, "trashed_at": None, "missing_since": None}
        values |= {"changed_at": now, "replaced_at": moment_after(replaced_at)}
        MediaFile.objects.filter(pk=pk).update(**values, version=F("version") + 1)
    return len(files) - len(present)


def new_row(site: Site, path: str, file: StoredFile) -> MediaFile:
    stored_at = min(datetime.fromtimestamp(file.stored_at).replace(microsecond=0), clock.now())
    return MediaFile(
        site=site,
        path=path,
        kind=kind_of(path),
        bytes=file.size,
        title=title_of(path),
        created_at=stored_at,
        changed_at=stored_at,
    )


@transaction.atomic
def forget_files(site_id: int) -> int:
    """Delete some of the site's rows, then its folders; return the number, which is 0 in the end."""
    for model in (Rendition, MediaUpload, MediaFile):
        rows = model.objects.filter(site=site_id)
        if some := list(rows.order_by("pk").values_list("pk", flat=True)[:_AT_A_TIME]):
            return int(rows.filter(pk__in=some).delete()[0])
    return MediaFolder.objects.filter(site=site_id).delete()[0]
