"""The branch of the channel tree that a folder belongs to, which decides who sees and changes its files.

It is that of the folder's channel or, without one, of the nearest folder above with a channel. Other folders, and files
in no folder, are shared: everyone with rights in any branch of the site sees them, and only those with rights in the
whole site change them. Folders of the home channel, or of a channel that no longer exists, are in no branch.
"""

from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from core.admin.places import Places, places_of
from core.lib.errors import InvalidInput
from media_library.models import MediaFile, MediaFileQuerySet, MediaFolder

MAX_DEPTH = 8  # of folders
_CHANNEL = Coalesce(*(f"{'parent__' * above}channel_id" for above in range(MAX_DEPTH)))


def channel_of(folder_id: int | None) -> int | None:
    """Return the channel whose branch the folder belongs to; None if it is shared, and of no folder."""
    return MediaFolder.objects.filter(pk=folder_id or 0).values_list(_CHANNEL, flat=True).first()


def own_folders(places: Places) -> QuerySet[MediaFolder]:
    """Return the folders whose files the places cover."""
    return places.narrow(MediaFolder.objects.alias(branch=_CHANNEL), "site", "branch")


def seen_folders(places: Places) -> QuerySet[MediaFolder]:
    """Return these folders and the shared ones of the sites."""
    if not places.branch_ids:
        return own_folders(places)
    shared = Q(branch__isnull=True, site__in=places.branch_site_ids)
    return MediaFolder.objects.alias(branch=_CHANNEL).filter(places.condition("site", "branch") | shared)


def own_files(files: MediaFileQuerySet, places: Places) -> MediaFileQuerySet:
    """Return those of the files that the places cover."""
    return _files(files, places, Q(folder__in=own_folders(places)))


def seen_files(files: MediaFileQuerySet, places: Places) -> MediaFileQuerySet:
    """Return these files and the shared ones of the sites."""
    return _files(files, places, Q(folder__isnull=True) | Q(folder__in=seen_folders(places)))


def _files(files: MediaFileQuerySet, places: Places, in_branches: Q) -> MediaFileQuerySet:
    if not places.branch_ids:
        return places.narrow(files, "site")
    # With the sites, so that their indexes are used.
    sites = Q(site__in=places.site_ids | places.branch_site_ids)
    return files.filter(sites & (Q(site__in=places.site_ids) | in_branches))


def is_seen(file: MediaFile, places: Places) -> bool:
    """Return true if the places cover the file, or it is shared; one statement if branches decide."""
    if places.covers_site(file.site_id) or not places.touches_site(file.site_id):
        return places.covers_site(file.site_id)
    return file.folder_id is None or seen_folders(places).filter(pk=file.folder_id).exists()


def covers_channel(places: Places, site_id: int, channel_id: int | None) -> bool:
    """Return true if the places cover files of the channel, with None shared ones."""
    if places.covers_site(site_id) or channel_id is None or not places.touches_site(site_id):
        return places.covers_site(site_id)
    return Places.ids_below(places.branch_ids).filter(channel=channel_id).exists()


def is_own_folder(site_id: int, folder_id: int, places: Places) -> bool:
    """Return true if the places cover files of the folder; 0 means none. One statement if branches decide."""
    if places.covers_site(site_id):
        return True
    return bool(folder_id) and own_folders(places).filter(site=site_id, pk=folder_id).exists()


def require_own_folder(site_id: int, folder_id: int, places: Places) -> None:
    """Raise InvalidInput (`media_folder_outside`) unless the places cover files of the folder; 0 means none."""
    if not is_own_folder(site_id, folder_id, places):
        message = f"Folder {folder_id} is outside of the branches of the administrator."
        raise InvalidInput("media_folder_outside", message, member="folderId")


def library_places(user: Any, site_id: int, writing: Places, *rights: str) -> Places:
    """Return where the user has one of the rights to files; without any in the site, `writing`.

    Authors without rights to files still choose and upload them for the contents that they write.
    """
    places = places_of(user, *(f"media_library.{right}_mediafile" for right in rights))
    return places if places.touches_site(site_id) else writing
