"""Folders of the library: a tree of each site, which no address of a file depends on.

The services take the places of the administrator who calls them; in others, they change nothing.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import count
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from core import audit
from core.admin.places import EVERYWHERE, Places
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.folding import is_blank
from core.rest.preconditions import Precondition
from media_library.branches import MAX_DEPTH, covers_channel, own_folders, seen_files
from media_library.models import MediaFile, MediaFolder
from sites.models import Site

MAX_FOLDERS = 500  # of a site, whose tree is shown whole
MAX_NAME = 255  # characters
_MOST_COUNTED = 5000  # files


def folder_tree(site_id: int, only: QuerySet[MediaFolder] | None = None) -> list[MediaFolder]:
    """Return the folders of the site, each before those in it, by name; `depth` is 0 at the top.

    With `only`, other folders are left out, and those in them move up.
    """
    chosen = None if only is None else set(only.filter(site=site_id).values_list("pk", flat=True))
    below: defaultdict[int | None, list[MediaFolder]] = defaultdict(list)
    for folder in MediaFolder.objects.filter(site=site_id).order_by("folded_name")[:MAX_FOLDERS]:
        below[folder.parent_id].append(folder)

    def walk(parent_id: int | None, depth: int) -> list[MediaFolder]:
        found = []
        for folder in below.pop(parent_id, ()):
            is_shown = chosen is None or folder.pk in chosen
            folder.depth = depth  # type: ignore[attr-defined]
            found += [folder] if is_shown else []
            found += walk(folder.pk, depth + is_shown)
        return found

    return walk(None, 0)


def count_files(site_id: int, places: Places) -> dict[int, int] | None:
    """Return the number of visible files by folder, 0 for none; None if there are too many to count at once."""
    files = seen_files(MediaFile.objects.listed().filter(site=site_id), places)
    folders = files.order_by().values_list("folder_id", flat=True)
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
def create_folder(
    site_id: int, name: str, parent_id: int = 0, channel_id: int = 0, *, places: Places = EVERYWHERE
) -> MediaFolder:
    """Create a folder in another one, or at the top (0), which belongs to the channel, or to none (0).

    Raises InvalidInput (`media_folder_name_unfit`, `media_folder_name_taken`, `media_folder_not_found`,
    `media_folder_place`, `media_folder_too_deep`, `media_folder_outside`, `too_many_media_folders`,
    `channel_not_found`).
    """
    folders = _hold(site_id)
    if len(folders) >= MAX_FOLDERS:
        message = f"A site has at most {MAX_FOLDERS} folders of media."
        raise InvalidInput("too_many_media_folders", message, count=MAX_FOLDERS)
    folder = MediaFolder(site_id=site_id, name=_fit(name), parent_id=parent_id or None, channel_id=channel_id or None)
    _require_channel(folder)
    _require_place(folder, folders)
    _require_own(places, folders, folder, folders.get(parent_id, folder))
    _store(folder)
    audit.record("media.folder_created", folder, site_id=site_id)
    return folder


@transaction.atomic
def change_folder(
    site_id: int,
    folder_id: int,
    values: Mapping[str, Any],
    precondition: Precondition | None = None,
    *,
    places: Places = EVERYWHERE,
) -> MediaFolder:
    """Change `name`, `parent_id` (0: the top) and `channel_id` (0: none), those that are given.

    Raises NotFound, errors of `create_folder`, and of the precondition.
    """
    folders = _hold(site_id)
    folder = _held(folders, site_id, folder_id, precondition)
    _require_own(places, folders, folder)
    before = _members(folder)
    folder.name = _fit(values.get("name", folder.name))
    folder.parent_id = values.get("parent_id", folder.parent_id or 0) or None
    folder.channel_id = values.get("channel_id", folder.channel_id or 0) or None
    after = _members(folder)
    changed = [name for name in after if after[name] != before[name]]
    if not changed:
        return folder
    if "channelId" in changed:
        _require_channel(folder)
    _require_place(folder, folders)
    is_moved = folder.parent_id is not None and "parentId" in changed
    _require_own(places, folders, folder, *([folders[folder.parent_id]] if is_moved else []))  # type: ignore[index]
    folder.version += 1
    _store(folder)
    audit.record("media.folder_changed", folder, site_id=site_id, changed=changed)
    return folder


@transaction.atomic
def delete_folder(
    site_id: int, folder_id: int, precondition: Precondition | None = None, *, places: Places = EVERYWHERE
) -> MediaFolder:
    """Delete the folder; its files go to the folder above, or to none.

    Raises NotFound, InvalidInput (`media_folder_not_empty`: it has folders; `media_folder_outside`;
    `media_files_leave`: its files would leave the places), and errors of the precondition.
    """
    folders = _hold(site_id)
    folder = _held(folders, site_id, folder_id, precondition)
    _require_own(places, folders, folder)
    if any(other.parent_id == folder_id for other in folders.values()):
        raise InvalidInput("media_folder_not_empty", f"Folder {folder_id} contains other folders.")
    files = MediaFile.objects.filter(folder=folder)
    above = folders.get(folder.parent_id or 0)
    if not _covers(places, folders, site_id, above) and files.exists():
        raise InvalidInput("media_files_leave", f"Files of folder {folder_id} would leave the branch.")
    files.update(folder=folder.parent_id, changed_at=clock.now(), version=F("version") + 1)
    audit.record("media.folder_deleted", folder, site_id=site_id)
    MediaFolder.objects.filter(pk=folder_id).delete()
    return folder


def upload_folder(site_id: int, places: Places) -> MediaFolder:
    """Return the first folder that the places cover; without one, create one for their first channel.

    Raises InvalidInput (`channel_not_found`: all are deleted; `too_many_media_folders`).
    """
    for number in count(1):
        if own := folder_tree(site_id, own_folders(places)):
            break
        # The name may be that of a folder of others, or have just been stored by a concurrent upload.
        channel = channels_of(site_id, places).first()
        if channel is None:
            raise InvalidInput("channel_not_found", "The channels of the branch no longer exist.", member="folderId")
        name = channel.channel_name if number == 1 else f"{channel.channel_name[: MAX_NAME - 5]} {number}"
        try:
            return create_folder(site_id, name, channel_id=channel.pk, places=places)
        except InvalidInput as refusal:
            if refusal.code != "media_folder_name_taken":
                raise
    return own[0]


def channels_of(site_id: int, places: Places) -> QuerySet[Any]:
    """Return the channels of the site that the places cover, in the order of the tree."""
    channels: Any = Site(pk=site_id).channels
    return places.narrow(channels.in_site(site_id), "site", "")


def _members(folder: MediaFolder) -> dict[str, Any]:
    return {"name": folder.name, "parentId": folder.parent_id, "channelId": folder.channel_id}


def _require_channel(folder: MediaFolder) -> None:
    channel_id = folder.channel_id
    if channel_id and not channels_of(folder.site_id, EVERYWHERE).filter(pk=channel_id).exists():
        message = f"Channel {channel_id} was not found in site {folder.site_id}."
        raise InvalidInput("channel_not_found", message, member="channelId")


def _require_own(places: Places, folders: Mapping[int, MediaFolder], *chosen: MediaFolder) -> None:
    for folder in chosen:
        if not _covers(places, folders, folder.site_id, folder):
            message = "The folder is outside of the branches of the administrator."
            raise InvalidInput("media_folder_outside", message, member="parentId")


def _covers(places: Places, folders: Mapping[int, MediaFolder], site_id: int, folder: MediaFolder | None) -> bool:
    """Return true if the places cover files of the folder, with None files in no folder."""
    while folder is not None and folder.channel_id is None:
        folder = folders.get(folder.parent_id or 0)
    return covers_channel(places, site_id, folder.channel_id if folder else None)


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
