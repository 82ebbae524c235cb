"""Sites in the trash: the home channel goes there with all channels and contents, so that whatever hides those hides
the site, too.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import transaction
from django.db.models import F, Q

from channels_app.models import Channel
from channels_app.services import hold_contents
from contents.flags import ListKind
from contents.models import Content, ContentGroup, ContentTag, ListedCount
from contents.services.trash import Purged, delete_tree, purge_batch
from core import audit
from core.archive import media
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.lib.media_storage import SITE_FILES
from media_library.kinds import HIDDEN
from media_library.services import forget_files
from sites.models import Site, TrashedSite, find_folder_owner, hold_site_and_below, site_not_found

# Step, records done in it.
Advance = Callable[[str, int], object]


class Moved(NamedTuple):
    """Numbers of records that went to the trash, or came back, with their site."""

    channels: int
    contents: int


def why_not_trashed(site: Site) -> InvalidInput | None:
    """Return the reason why the site cannot go to the trash."""
    if site.is_root:
        return InvalidInput("site_is_root", "The root site cannot be deleted.")
    if Site.objects.filter(parent=site.pk).exists():
        return InvalidInput("site_has_sites", f"Sites are below site {site.pk}; delete or move them first.")
    if not Site.objects.exclude(pk=site.pk).exists():
        return InvalidInput("last_site", "The only site cannot be deleted.")
    return None


@transaction.atomic
def trash_site(site_id: int) -> Moved:
    """Trash the site with all channels and contents. Raises NotFound, InvalidInput for the root site and others."""
    hold_site_and_below(site_id)
    site = Site.objects.filter(pk=site_id).first()
    if site is None:
        raise site_not_found(site_id)
    if refusal := why_not_trashed(site):
        raise refusal
    # As for a channel: new contents wait, and then find no channel.
    hold_contents(site_id, exclusive=True)
    trashed = {"trashed_at": clock.now(), "trashed_with_id": site_id, "version": F("version") + 1}
    contents = Content.objects.filter(site_id=site_id, trashed_at=None).update(**trashed)
    channels = Channel.objects.live().filter(site_id=site_id).update(**trashed)
    Site.objects.filter(pk=site_id).update(trashed_at=trashed["trashed_at"])
    audit.record("site.trashed", site, site_id=site_id, channels=channels, contents=contents)
    return Moved(channels, contents)


@transaction.atomic
def restore_site(site_id: int, site_dir: str | None = None) -> Moved:
    """Restore the site and all that was trashed with it, by default to its folder.

    Raises NotFound if it is not in the trash, InvalidInput if another site has the folder, its parent is in the trash,
    or its permanent deletion has begun.
    """
    site = _hold_trashed(site_id)
    if site is None:
        raise NotFound("site_not_found", f"Site {site_id} is not in the trash.")
    if site.purge_began_at is not None:
        raise InvalidInput("site_being_deleted", f"Site {site_id} is being deleted permanently.")
    if site.parent is not None and site.parent.trashed_at is not None:
        message = f"Site {site.parent_id}, which site {site_id} is below, is in the trash."
        raise InvalidInput("parent_site_in_trash", message, name=site.parent.site_name)
    site.site_dir = site_dir or site.site_dir
    if owner := find_folder_owner(site.site_dir, but=site_id):
        message = f'The folder "{site.site_dir}" belongs to site {owner}.'
        raise InvalidInput("site_folder_taken", message, member="siteDir", folder=site.site_dir)
    hold_contents(site_id, exclusive=True)
    site.trashed_at = None
    site.save(update_fields=["trashed_at", "site_dir"])
    with_it = Q(site_id=site_id, trashed_with_id=site_id, trashed_at__isnull=False)
    back = {"trashed_at": None, "trashed_with_id": None, "version": F("version") + 1}
    channels = Channel.objects.filter(with_it).update(**back)
    contents = Content.objects.filter(with_it).update(**back)
    audit.record("site.restored", site, site_id=site_id, channels=channels, contents=contents)
    return Moved(channels, contents)


def purge_site(site_id: int, advance: Advance = lambda step, number: None) -> Purged | None:
    """Delete the records and files of a trashed site for good, in many transactions; a later call continues.

    `finish_purge` deletes the site itself. Return None if it is not in the trash. From the first transaction on, it
    cannot be restored.
    """
    if not _begin_purge(site_id):
        return None
    contents = 0
    while (number := purge_batch(site_id, Content.objects.filter(site_id=site_id).order_by("pk"))) is not None:
        contents += number
        advance("contents", number)
    channels = _purge_channels(site_id)
    advance("channels", channels)
    _remove_files(site_id, advance)
    while forget_files(site_id):
        pass
    return Purged(contents, channels)


@transaction.atomic
def finish_purge(site_id: int, purged: Purged) -> bool:
    """Delete the site that `purge_site` has emptied; False if that has been done."""
    site = _hold_trashed(site_id)
    if site is None or site.purge_began_at is None:
        return False
    for kind, model in ((ListKind.GROUP, ContentGroup), (ListKind.TAG, ContentTag)):
        owners: Any = model._default_manager.filter(site=site_id).values("pk")
        ListedCount.objects.filter(kind=kind, owner_id__in=owners).delete()
    TrashedSite.objects.filter(parent=site_id).update(parent=None)
    audit.record("site.purged", site, site_id=site_id, contents=purged.contents, channels=purged.channels)
    site.delete()
    return True


class OldSites:
    """The sites trashed before a moment, or one of them, and those whose permanent deletion was interrupted."""

    def __init__(self, before: datetime, site_id: int | None = None) -> None:
        old = TrashedSite.objects.filter(Q(trashed_at__lt=before) | Q(purge_began_at__isnull=False))
        chosen = old if site_id is None else old.filter(pk=site_id)
        self._ids = list(chosen.order_by("pk").values_list("pk", flat=True))

    def __len__(self) -> int:
        return len(self._ids)

    def count(self) -> Purged:
        return Purged(*(rows.objects.filter(site__in=self._ids).count() for rows in (Content, Channel)))

    def purge(self, advance: Callable[[int], object]) -> tuple[Purged, int]:
        """Delete them for good in many transactions; return the numbers of their records and of sites."""
        purged, sites = Purged(), 0
        for site_id in self._ids:
            found = purge_site(site_id, lambda step, number: advance(number) if step != "files" else None)
            if found is not None:
                sites += finish_purge(site_id, found)
                purged += found
        return purged, sites


def _hold_trashed(site_id: int) -> Site | None:
    hold_site_and_below(site_id)
    return Site.with_trash.filter(pk=site_id, trashed_at__isnull=False).first()


@transaction.atomic
def _begin_purge(site_id: int) -> bool:
    if _hold_trashed(site_id) is None:
        return False
    TrashedSite.objects.filter(pk=site_id, purge_began_at=None).update(purge_began_at=clock.now())
    return True


@transaction.atomic
def _purge_channels(site_id: int) -> int:
    hold_site_and_below(site_id)
    hold_contents(site_id, exclusive=True)
    home = Channel.objects.filter(pk=site_id).first()
    return delete_tree(home) if home is not None else 0


def _remove_files(site_id: int, advance: Advance) -> None:
    folder = f"{SITE_FILES.folder}/{site_id}"
    for name in chain(media.names(folder), *(media.names(f"{folder}/{hidden}") for hidden in HIDDEN)):
        media.remove(name)
        advance("files", 1)
    # Only file systems have folders without files, and partial files.
    if isinstance(default_storage, FileSystemStorage):
        with suppress(FileNotFoundError):
            shutil.rmtree(default_storage.path(folder))
