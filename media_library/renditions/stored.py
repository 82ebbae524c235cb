"""Renditions in the storage: one process of all nodes makes each, and a periodic task deletes unused ones."""

import hashlib
import logging
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError

from core.lib import clock
from core.lib.cache_counts import CacheCounts
from core.lib.errors import InvalidInput, LimitReached
from core.lib.media_storage import SITE_FILES, StorageBusy, StorageUnavailable
from core.uploads.media import Variant
from core.uploads.pictures import LANE
from media_library.kinds import RENDITIONS
from media_library.models import MediaFile, Rendition
from media_library.renditions import usage
from media_library.renditions.drawing import Focus, draw
from media_library.renditions.requested import Requested, requested

_NONE = "original"  # extension of an empty file: the picture has no renditions, as an animation
_STALE = timedelta(minutes=1)  # after which another process makes a rendition that its first one has left
_AT_A_TIME = 200  # renditions deleted in a call
_storage: Any = default_storage
_counts, _counting = CacheCounts("renditions"), Lock()
logger = logging.getLogger(__name__)


def variant(path: str, query: str, accept: str) -> Variant | None:
    """Return the rendition that the query names of the file at `<site>/<folders>/<name>`; None if it names none.

    The first request makes it. As long as it cannot be had, since another request is making it, too many pictures are
    being drawn or the database is away, the original takes its place and is not cached. Raises FileNotFoundError,
    StorageBusy, StorageUnavailable and InvalidInput (`rendition_refused`).
    """
    wanted = requested(path, query, accept)
    if wanted is None:
        return None
    headers = {"Vary": "Accept"} if wanted.by_accept else {}
    original = f"{SITE_FILES.folder}/{path}"
    site, _, inside = path.partition("/")
    # The stamp changes with the file, so that a rendition of former bytes is not found.
    stamp = hashlib.sha256(_storage.stamp_of(original).encode()).hexdigest()[:16]
    stem = f"{SITE_FILES.folder}/{site}/{RENDITIONS}/{inside}/{wanted.name}-{stamp}"
    name, none = f"{stem}.{wanted.format}", f"{stem}.{_NONE}"
    if not _storage.exists(name):
        if _storage.exists(none):
            return Variant(original, headers)
        name = _make(int(site), inside, name, none, wanted)
        if name != f"{stem}.{wanted.format}":
            return Variant(original, headers | {"Cache-Control": "no-store"})
        with _counting:
            _counts.misses += 1
    else:
        with _counting:
            _counts.hits += 1
    usage.note(name)
    return Variant(name, headers)


def _make(site_id: int, path: str, name: str, none: str, wanted: Requested) -> str:
    """Store the rendition, or that there is none, and return its name; empty if this process does not make it now."""
    try:
        claimed = _claim(site_id, path, name)
        if claimed is None:
            return ""
        try:
            stored = _draw_and_store(site_id, path, name, none, wanted)
        except BaseException:
            claimed.delete()
            raise
        if stored != name:
            claimed.delete()
        elif not Rendition.objects.filter(pk=claimed.pk).update(bytes=_storage.size_of(name)):
            _storage.delete(name)  # the picture changed in the meantime
            return ""
    except LimitReached:
        return ""
    except FileNotFoundError:
        raise
    except (DatabaseError, OSError, StorageBusy, StorageUnavailable) as error:
        logger.warning("A rendition could not be stored: %s", error)
        return ""
    return stored


def _claim(site_id: int, path: str, name: str) -> Rendition | None:
    now = clock.now()
    given = {"site_id": site_id, "path": path, "name": name, "used_on": now.date()}
    row, is_new = Rendition.objects.get_or_create(
        name_digest=hashlib.sha256(name.encode()).hexdigest(), defaults=given | {"claimed_at": now}
    )
    if is_new:
        return row
    # Its process has ended, or the file is lost.
    late = Rendition.objects.filter(pk=row.pk, claimed_at=row.claimed_at, claimed_at__lt=now - _STALE)
    return row if late.update(claimed_at=now, bytes=None) else None


def _draw_and_store(site_id: int, path: str, name: str, none: str, wanted: Requested) -> str:
    with _storage.open(f"{SITE_FILES.folder}/{site_id}/{path}") as file:
        data = file.read()
    row = MediaFile.objects.filter(site=site_id, path=path, focal_x__isnull=False).first()
    focus = Focus(row.focal_x or 0, row.focal_y or 0) if row else Focus()
    try:
        drawn = LANE.run(partial(draw, data, wanted, focus, max_pixels=settings.CMS_PICTURE_MAX_PIXELS))
    except InvalidInput:
        drawn = None
    target = none if drawn is None else name
    if not _storage.exists(target):
        _storage.save(target, ContentFile(drawn or b""))
    return target


def forget_renditions(site_id: int, path: str) -> None:
    """Delete the renditions of a file that is changed or gone."""
    _delete(list(Rendition.objects.filter(site=site_id, path=path)))


def purge_unused() -> None:
    """Delete some of the renditions not used for CMS_RENDITION_DAYS."""
    before = clock.now().date() - timedelta(days=settings.CMS_RENDITION_DAYS)
    _delete(list(Rendition.objects.filter(used_on__lt=before).order_by("used_on")[:_AT_A_TIME]))


def _delete(rows: list[Rendition]) -> None:
    for row in rows:
        with suppress(StorageBusy, StorageUnavailable):
            _storage.delete(row.name)
            row.delete()
