"""The files of a site for the dialogs of file fields and of the editor."""

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any
from urllib.parse import unquote

from django.db.models import Q
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from core.admin.formatting import format_day
from core.admin.numbers import read_number
from core.admin.places import Places
from core.lib.errors import InvalidInput
from media_library.branches import library_places, seen_files
from media_library.covers import picture_url
from media_library.kinds import UNSHOWN_PICTURES, MediaKind
from media_library.models import MediaFile, MediaFileQuerySet
from media_library.replaced import mark_of
from media_library.searching import with_words
from sites.models import Site
from sites.upload_kinds import UploadKind

ON_A_PAGE = 24
MAX_PAGES = 100
_PREVIEW = (320, 200)  # pixels, twice as many as are shown
_KINDS = {
    UploadKind.IMAGE: [MediaKind.IMAGE],
    UploadKind.VIDEO: [MediaKind.VIDEO, MediaKind.AUDIO],
    UploadKind.FILE: [MediaKind.DOCUMENT, MediaKind.OTHER, MediaKind.VIDEO, MediaKind.AUDIO],
}
# Characters that would end the path in an address; imported files may have them in their names.
_RESERVED = str.maketrans({"%": "%25", "#": "%23", "?": "%3F"})
_UNSHOWN = reduce(or_, (Q(path__iendswith=f".{extension}") for extension in sorted(UNSHOWN_PICTURES)))


def listed(writing: Callable[[Any], Places], request: HttpRequest, site: Site) -> dict[str, Any]:
    """Return a page of the files for a purpose (`kind`, `page`), newest first, that have all words of `q`.

    With `address` (`@/upload/…`): only the file there, if the library has it. `writing` returns the places of people
    without rights to files. Raises InvalidInput.
    """
    files = _seen(writing, request.user, site.pk)
    if address := request.GET.get("address"):
        return {"files": [_told(each) for each in files.filter(path=unquote(address.removeprefix("@/")))]}
    start = (min(read_number(request.GET.get("page")) or 1, MAX_PAGES) - 1) * ON_A_PAGE
    kind = read_kind(request.GET.get("kind"))
    found = with_words(files.filter(kind__in=_KINDS[kind]), request.GET.get("q", ""), [site.pk])
    if kind is UploadKind.IMAGE:
        found = found.exclude(_UNSHOWN)
    rows = list(found.order_by("-created_at", "-pk")[start : start + ON_A_PAGE + 1])
    has_more = len(rows) > ON_A_PAGE and start + ON_A_PAGE < MAX_PAGES * ON_A_PAGE
    return {"files": [_told(each) for each in rows[:ON_A_PAGE]], "hasMore": has_more}


def found_by_words(
    writing: Callable[[Any], Places], user: Any, site_id: int, text: str, most: int
) -> list[dict[str, Any]]:
    """Return the newest files of any kind that have all words of the text."""
    rows = with_words(_seen(writing, user, site_id), text, [site_id]).order_by("-created_at", "-pk")
    return [_told(row) for row in rows[:most]]


def _seen(writing: Callable[[Any], Places], user: Any, site_id: int) -> MediaFileQuerySet:
    places = library_places(user, site_id, writing(user), "view", "add", "change", "delete")
    return seen_files(MediaFile.objects.listed().filter(site=site_id), places)


def read_kind(name: str | None) -> UploadKind:
    if name not in set(UploadKind):
        raise InvalidInput("invalid_value", _("The purpose of the file is unknown."))
    return UploadKind(name)


def _told(row: MediaFile) -> dict[str, Any]:
    size = f"{row.width} × {row.height}" if row.width else str(filesizeformat(row.bytes))
    return {
        "address": f"@/{row.path.translate(_RESERVED)}",
        "name": row.title or row.name,
        "facts": f"{size} · {format_day(row.created_at)}",
        "shown": picture_url(row.site_id, row.path, mark_of(row.replaced_at), _PREVIEW, "contain"),
        "alternative": row.alternative_text,
        **({"width": row.width, "height": row.height} if row.width else {}),
    }
