"""Folders of the library: a tree of each site, which no address of a file depends on."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.folding import is_blank
from core.rest.preconditions import Precondition
from media_library.models import MediaFile, MediaFolder

MAX_FOLDERS = 500  # of a site, whose tree is shown whole
MAX_DEPTH = 8
MAX_NAME = 255  # characters
_MOST_COUNTED = 5000  # files


def folder_tree(site_id: int) -> list[MediaFolder]:
    """Return the folders of the site, each before those in it, by name; `depth` is 0 at the top."""
    below: defaultdict[int | None, list[MediaFolder]] = defaultdict(list)
    for folder in MediaFolder.objects.filter(site=site_id).order_by("folded_name")[:MAX_FOLDERS]:
        below[folder.parent_id].append(folder)

    def walk(parent_id: int | None, depth: int) -> list[MediaFolder]:
        found = []
        for folder in below.pop(parent_id, ()):
            folder.depth = depth  # type: ignore[attr-defined]
            found += [folder, *walk(folder.pk, depth + 1)]
        return found

    return walk(None, 0)


def count_files(site_id: int) -> dict[int, int] | None:
    """Return the number of listed files by folder, 0 for none; None if the site has too many to count at once."""
    folders = MediaFile.objects.listed().filter(site=site_id).order_by().values_list("folder_id", flat=True)
    found = list(folders[: _MOST_COUNTED + 1])
    if len(found) > _MOST_COUNTED:
        return None
    counts: defaultdict[int, int] = defaultdict(int)
    for folder_id in found:
        counts[folder_id or 0] += 1
    return counts


def find_folder(site_id: int, folder_id: int) -> MediaFolder:
    """Return the folder. Raises NotFound."""
    if (folder := MediaFolder.objects.filter(site=site_id, pk=folder_id).first()) is None:
        raise _not_found(site_id, folder_id)
    return folder


@transaction.atomic
def create_folder(site_id: int, name: str, parent_id: int = 0) -> MediaFolder:
    """Create a folder in another one, or at the top (0).

    Raises InvalidInput (`media_folder_name_unfit`, `media_folder_name_taken`, `media_folder_not_found`,
    `media_folder_place`, `media_folder_too_deep`, `too_many_media_folders`).
    """
    folders = _hold(site_id)
    if len(folders) >= MAX_FOLDERS:
        message = f"A site has at most {MAX_FOLDERS} folders of media."
        raise InvalidInput("too_many_media_folders", message, count=MAX_FOLDERS)
    folder = MediaFolder(site_id=site_id, name=_fit(name), parent_id=parent_id or None)
    _require_place(folder, folders)
    _store(folder)
    audit.record("media.folder_created", folder, site_id=site_id)
    return folder


@transaction.atomic
def change_folder(
    site_id: int, folder_id: int, values: Mapping[str, Any], precondition: Precondition | None = None
) -> MediaFolder:
    """Change `name` and `parent_id` (0: the top), those that are given.

    Raises NotFound, errors of `create_folder`, and of the precondition.
    """
    folders = _hold(site_id)
    folder = _held(folders, site_id, folder_id, precondition)
    before = {"name": folder.name, "parentId": folder.parent_id}
    folder.name = _fit(values.get("name", folder.name))
    folder.parent_id = values.get("parent_id", folder.parent_id or 0) or None
    after = {"name": folder.name, "parentId": folder.parent_id}
    changed = [name for name in after if after[name] != before[name]]
    if not changed:
        return folder
    _require_place(folder, folders)
    folder.version += 1
    _store(folder)
    audit.record("media.folder_changed", folder, site_id=site_id, changed=changed)
    return folder


@transaction.atomic
def delete_folder(site_id: int, folder_id: int, precondition: Precondition | None = None) -> MediaFolder:
    """Delete the folder; its files go to the folder above, or to none.

    Raises NotFound, InvalidInput (`media_folder_not_empty`: it has folders), and errors of the precondition.
    """
    folders = _hold(site_id)
    folder = _held(folders, site_id, folder_id, precondition)
    if any(other.parent_id == folder_id for other in folders.values()):
        raise InvalidInput("media_folder_not_empty", f"Folder {folder_id} contains other folders.")
    files = MediaFile.objects.filter(folder=folder)
    files.update(folder=folder.parent_id, changed_at=clock.now(), version=F("version") + 1)
    audit.record("media.folder_deleted", folder, site_id=site_id)
    MediaFolder.objects.filter(pk=folder_id).delete()
    return folder


def _hold(site_id: int) -> dict[int, MediaFolder]:
    """Return the folders of the site, locked, so that two moves together make no circle."""
    rows = MediaFolder.objects.filter(site=site_id).order_by("pk").select_for_update()
    return {folder.pk: folder for folder in rows}


def _held(
    folders: Mapping[int, MediaFolder], site_id: int, folder_id: int, precondition: Precondition | None
) -> MediaFolder:
    if (folder := folders.get(folder_id)) is None:
        raise _not_found(site_id, folder_id)
    if precondition is not None:
        precondition(folder)
    return folder


def _not_found(site_id: int, folder_id: int) -> NotFound:
    return NotFound("media_folder_not_found", f"Folder {folder_id} was not found in site {site_id}.")


def _fit(name: str) -> str:
    name = name.strip()
    if is_blank(name) or len(name) > MAX_NAME:
        message = f"The name of a folder must have 1 to {MAX_NAME} characters."
        raise InvalidInput("media_folder_name_unfit", message, member="name")
    return name


def _require_place(folder: MediaFolder, folders: Mapping[int, MediaFolder]) -> None:
    """Raise InvalidInput unless the folder may be where it says, with the folders in it."""
    above, parent_id = 0, folder.parent_id
    while parent_id is not None:
        if parent_id == folder.pk:
            message = f"Folder {folder.pk} cannot be moved into itself or a folder in it."
            raise InvalidInput("media_folder_place", message, member="parentId")
        if parent_id not in folders:
            message = f"Folder {parent_id} was not found in site {folder.site_id}."
            raise InvalidInput("media_folder_not_found", message, member="parentId")
        above, parent_id = above + 1, folders[parent_id].parent_id
    if above + _height(folder.pk, folders) > MAX_DEPTH:
        message = f"Folders can be nested to a depth of {MAX_DEPTH}."
        raise InvalidInput("media_folder_too_deep", message, member="parentId", count=MAX_DEPTH)


def _height(folder_id: int | None, folders: Mapping[int, MediaFolder]) -> int:
    """Return the number of levels that the folder and those in it take."""
    if folder_id is None:
        return 1
    below = (other.pk for other in folders.values() if other.parent_id == folder_id)
    return 1 + max((_height(pk, folders) for pk in below), default=0)


def _store(folder: MediaFolder) -> None:
    try:
        with transaction.atomic():
            folder.save()
    except IntegrityError as error:
        message = f"The folder above already has a folder {folder.name}, in any letter case."
        raise InvalidInput("media_folder_name_taken", message, member="name") from error
