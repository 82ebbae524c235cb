"""Files that the library of a site lists, and their kinds."""

import re
from collections.abc import Collection
from functools import cache

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.lib.media_storage import SHOWN, SITE_FILES, TRASH, extension_of
from sites.models import Site
from sites.upload_kinds import NEVER_TAKEN, UploadKind, rules_for

# Folders of a site whose files no address shows, like those of the trash: files that are about to replace others, and
# renditions. Backups leave these out.
STAGE, RENDITIONS = (".new", ".renditions")
HIDDEN = (TRASH, STAGE, RENDITIONS)
MAX_PATH = 2000  # bytes; an index entry of PostgreSQL has at most 2,700
SMALLER = ("small", "middle")  # forms of a picture, which lie beside it
_SMALLER = re.compile(rf"_(?:{'|'.join(SMALLER)})(?=\.[^.]+\Z)")


class MediaKind(models.TextChoices):
    IMAGE = "image", _("picture")
    VIDEO = "video", _("video")
    AUDIO = "audio", _("sound")
    DOCUMENT = "document", _("document")
    OTHER = "other", _("other file")


# Types that browsers do not show.
_FURTHER = {
    MediaKind.IMAGE: "heic heif pneg psd tif tiff",
    MediaKind.VIDEO: "3gp asf asx avi flv mkv rm rmb rmvb viv wmv",
    MediaKind.AUDIO: "aac amr ape flac m4r mid midi ra wma",
    MediaKind.DOCUMENT: "csv doc docm docx dps et key numbers odp ods odt ofd pages pps ppsx ppt pptx rtf wps xls xlsx",
}
UNSHOWN_PICTURES = frozenset(_FURTHER[MediaKind.IMAGE].split())
_KINDS = {extension: kind for kind, listed in _FURTHER.items() for extension in listed.split()}


def kind_of(path: str) -> MediaKind:
    extension = extension_of(path)
    if (kind := _KINDS.get(extension)) or (shown := SHOWN.get(extension)) is None:
        return kind or MediaKind.OTHER
    main = shown.partition("/")[0]
    return MediaKind(main) if main in set(MediaKind) else MediaKind.DOCUMENT


def in_library(site: Site, paths: Collection[str]) -> list[str]:
    """Return the paths of files that the library lists: types that browsers show, and types that the site accepts.

    Smaller forms of pictures are left out if the picture is among the paths.
    """
    types = _types(tuple(rules_for(site, kind).extensions for kind in UploadKind))
    return [
        path
        for path in paths
        if extension_of(path) in types
        and not is_smaller(path, paths)
        and SITE_FILES.names.fullmatch(f"1/{path}")
        and len(path.encode()) <= MAX_PATH
    ]


@cache
def _types(taken: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset(SHOWN).union(*taken) - NEVER_TAKEN


def is_smaller(path: str, paths: Collection[str]) -> bool:
    """Return true for the smaller form of a picture among the paths; an upload makes some beside each picture."""
    return bool(_SMALLER.search(path)) and _SMALLER.sub("", path) in paths


def smaller_path(path: str, form: str) -> str:
    """Return the path of a form of SMALLER: `photo_small.jpg` of `photo.jpg`."""
    stem, dot, extension = path.rpartition(".")
    return f"{stem}_{form}{dot}{extension}"
