"""Renditions of pictures as files, since a folder cannot answer the queries that name them on pages.

`upload/photo.jpg?w=640&format=auto` becomes `_cms/renditions/upload/photo.jpg/w640.webp`.
"""

import re
from collections.abc import Collection
from html import unescape
from typing import NamedTuple
from urllib.parse import quote

from django.conf import settings

from core.archive import media
from core.lib.errors import InvalidInput
from core.lib.media_storage import SITE_FILES
from media_library.models import MediaFile
from media_library.renditions.drawing import Focus, draw
from media_library.renditions.requested import FITS, OWN_FORMATS, QUALITY, Requested, requested
from pages.export.links import Links
from pages.export.uses import without_escapes

FOLDER = "/_cms/renditions"
_ACCEPTED = "image/webp"  # for `format=auto`; all browsers since 2020 show it
_EXTENSIONS = {"jpeg": "jpg"}
_LONGEST = 2000  # characters of an address before its query
_QUOTED = r"&(?:quot|apos|lt|gt|\#0*3[49]|\#x0*2[27]);"
# Scripts and JSON have `\u0026` for `&`, and `\u003c` and others for what ends an address.
_BEFORE = re.compile(rf"[\s\"'<>(),=]|\\(?!/|u[0-9a-f]{{4}})|\\u00(?:2[27]|3[ce])|{_QUOTED}", re.IGNORECASE)
_AND = r"\\u0026(?!(?:quot|apos|lt|gt|\#\w+);)"
_QUERY = re.compile(rf"\.(?:{'|'.join(OWN_FORMATS)})\?((?:{_AND}|(?!{_QUOTED})[^\s\"'<>(),#\\])+)", re.IGNORECASE)
_MARK = re.compile(r"(?:\A|&)(v=\d{12})(?=&|\Z)")  # of a replaced file
_NAME = re.compile(r"(?:full|(?:w(\d+))?(?:h(\d+))?)(-cover)?(?:-q(\d+))?\.(avif|jpg|png|webp)")


class Original(NamedTuple):
    path: str  # below the site's web address
    wanted: Requested


def is_rendition(path: str) -> bool:
    return path.startswith(f"{FOLDER}/")


def with_files(html: str, path: str, site_id: int, web_url: str, links: Links) -> tuple[str, set[str]]:
    """Return the page with addresses of files instead of queries that name renditions, and the paths of these files."""
    found: set[str] = set()
    parts, done = [], 0
    for match in _QUERY.finditer(html) if "?" in html else ():
        first = max(done, match.start() - _LONGEST)
        before = _BEFORE.split(html[first : match.start()])[-1]
        address, query = (
            without_escapes(before + html[match.start() : match.start(1) - 1]),
            unescape(without_escapes(match[1])),
        )
        target = links.target_of(address.replace("\\/", "/"), path)
        wanted = _wanted(f"{site_id}{target}", query)
        if wanted is None:
            continue
        file = _path_of(Original(target, wanted))
        found.add(file)
        mark = _MARK.search(query)
        parts += [html[done : match.start() - len(before)], web_url, quote(file), f"?{mark[1]}" if mark else ""]
        done = match.end()
    return "".join([*parts, html[done:]]), found


def original_of(path: str) -> Original:
    original, _, name = path.removeprefix(FOLDER).rpartition("/")
    if (match := _NAME.fullmatch(name)) is None:
        raise ValueError(f"{path} is not the path of a rendition.")
    width, height, cover, quality, extension = match.groups()
    form = next((form for form, other in _EXTENSIONS.items() if other == extension), extension)
    sides = [int(side) if side else None for side in (width, height)]
    fit = FITS[1] if cover else FITS[0]
    return Original(original, Requested(sides[0], sides[1], fit, form, int(quality or QUALITY), by_accept=False))


def focuses(site_id: int, originals: Collection[str]) -> dict[str, Focus]:
    """Return the focal points of the pictures that the library has, by path below the site's web address."""
    rows = MediaFile.objects.listed().filter(site=site_id, path__in=[path[1:] for path in originals])
    found = rows.values_list("path", "focal_x", "focal_y")
    return {f"/{path}": Focus() if x is None or y is None else Focus(x, y) for path, x, y in found}


def require_stored(site_id: int, original: str) -> None:
    """Raise FileNotFoundError if the picture does not exist."""
    media.size_of(_name_of(site_id, original))


def drawn(site_id: int, original: Original, focus: Focus) -> bytes:
    """Return the bytes of the rendition; those of the original if it has none. Raises FileNotFoundError."""
    name = _name_of(site_id, original.path)
    data = b"".join(media.pieces_of(name, media.size_of(name)))
    try:
        return draw(data, original.wanted, focus, max_pixels=settings.CMS_PICTURE_MAX_PIXELS) or data
    except InvalidInput:
        return data


def _name_of(site_id: int, path: str) -> str:
    return f"{SITE_FILES.folder}/{site_id}{path}"


def _wanted(path: str, query: str) -> Requested | None:
    try:
        return requested(path, query, _ACCEPTED) if SITE_FILES.names.fullmatch(path) else None
    except InvalidInput:  # the service refuses the address
        return None


def _path_of(original: Original) -> str:
    wanted = original.wanted
    sides = "".join(f"{name}{side}" for name, side in (("w", wanted.width), ("h", wanted.height)) if side)
    cover = "-cover" if wanted.fit == FITS[1] else ""
    quality = f"-q{wanted.quality}" if wanted.quality != QUALITY else ""
    extension = _EXTENSIONS.get(wanted.format, wanted.format)
    return f"{FOLDER}{original.path}/{sides or 'full'}{cover}{quality}.{extension}"
