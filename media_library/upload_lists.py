"""The small pictures that uploads make."""

from typing import Any
from urllib.parse import quote, unquote

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage

from core.lib.media_storage import SITE_FILES

_storage: Any = default_storage


def small_picture_url(site_id: int, address: str) -> str:
    """Return the URL of the small picture that an upload made beside the one at `@/…`; empty if there is none."""
    path = f"{site_id}/{_small(unquote(address.removeprefix('@/')))}"
    if not address.startswith("@/") or not SITE_FILES.names.fullmatch(path):
        return ""
    # To ask a bucket for each row of a list would take seconds.
    if isinstance(_storage, FileSystemStorage) and not _storage.exists(f"{SITE_FILES.folder}/{path}"):
        return ""
    return f"{settings.MEDIA_URL}{SITE_FILES.folder}/{quote(path)}"


def _small(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    return f"{stem}_small{dot}{extension}"
