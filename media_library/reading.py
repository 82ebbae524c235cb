"""Facts that only a file itself has: its SHA-256, the size of a picture as browsers show it, the length of a sound."""

from functools import partial
from typing import Any

from django.conf import settings
from PIL import TiffImagePlugin

from core.archive import media
from core.lib.errors import InvalidInput
from core.lib.media_storage import SITE_FILES
from core.uploads.heif import is_heif, size_of_heif
from core.uploads.pictures import FORMATS, LANE, open_picture, suspicious, upright_size
from media_library.durations import duration_of
from media_library.kinds import MediaKind
from media_library.models import MediaFile

MAX_IN_MEMORY = 64 * 1024 * 1024  # bytes of a picture, which is read as a whole, regardless of the limit of the site
_SIZED = (*FORMATS, TiffImagePlugin.TiffImageFile.format)


def read(row: MediaFile) -> dict[str, Any]:
    """Return the row's values that follow from the bytes. Reads the whole file but decodes no picture.

    Raises FileNotFoundError, StorageBusy and StorageUnavailable.
    """
    name = f"{SITE_FILES.folder}/{row.site_id}/{row.path}"
    size = media.size_of(name)
    if row.kind != MediaKind.IMAGE or size > MAX_IN_MEMORY:
        duration = duration_of(row.path, size, partial(media.part_of, name))
        return {"bytes": size, "sha256": media.digest(media.pieces_of(name, size)), "duration": duration}
    data = b"".join(media.pieces_of(name, size))
    width, height = LANE.run(partial(size_of_picture, data))
    return {"bytes": size, "sha256": media.digest([data]), "width": width, "height": height}


def size_of_picture(data: bytes) -> tuple[int, int] | tuple[None, None]:
    """Return width and height as browsers show the picture. For one thread at a time."""
    try:
        if is_heif(data):
            return size_of_heif(data, settings.CMS_PICTURE_MAX_PIXELS)
        with suspicious(settings.CMS_PICTURE_MAX_PIXELS):
            return upright_size(open_picture(data, settings.CMS_PICTURE_MAX_PIXELS, _SIZED))
    except InvalidInput:
        return None, None
