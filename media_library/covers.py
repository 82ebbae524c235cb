"""Small renditions of pictures, for lists of the admin."""

from collections.abc import Iterable
from urllib.parse import quote, unquote

from django.urls import get_script_prefix

from core.lib.media_storage import FOLDER, SITE_FILES, extension_of
from media_library.renditions.requested import OWN_FORMATS, signed_query
from media_library.replaced import marks_among

COVER = 64  # pixels, twice as many as are shown
Picture = tuple[int, str]  # site and address in contents: `@/…`


def covers_of(pictures: Iterable[Picture]) -> dict[Picture, str]:
    """Return the URLs of covers of those pictures that are files of their sites; one statement."""
    paths = {picture: path for picture in set(pictures) if (path := _path_of(*picture))}
    if not paths:
        return {}
    marks = marks_among({site_id for site_id, _ in paths}, set(paths.values()))
    return {
        picture: picture_url(picture[0], path, marks.get((picture[0], path), "")) for picture, path in paths.items()
    }


def _path_of(site_id: int, address: str) -> str:
    path = unquote(address.removeprefix("@/"))
    is_picture = address.startswith("@/") and extension_of(path) in OWN_FORMATS
    return path if is_picture and SITE_FILES.names.fullmatch(f"{site_id}/{path}") else ""


def picture_url(
    site_id: int, path: str, mark: str = "", size: tuple[int, int] = (COVER, COVER), fit: str = "cover"
) -> str:
    """Return the URL of the picture in this size; `mark` is the query of a replaced file.

    It is always the service's own, since a bucket at CMS_MEDIA_URL makes no renditions.
    """
    query = signed_query(f"{site_id}/{path}", w=size[0], h=size[1], fit=fit, format="auto")
    root = f"{get_script_prefix()}{FOLDER}{SITE_FILES.folder}/{site_id}/"
    return f"{root}{quote(path)}?{query}{'&' if mark else ''}{mark}"
