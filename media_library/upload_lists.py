"""The uploaded files of a site, newest first."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage

from core.lib.media_storage import SHOWN, SITE_FILES, extension_of
from media_library.kinds import is_smaller
from sites.models import Site
from sites.storing import asking
from sites.upload_kinds import NEVER_TAKEN, UploadKind, rules_for

ON_A_PAGE = 24
MAX_PAGES = 100
_MAX_DEPTH = 4  # of folders by date
_PICTURES = frozenset(extension for extension, kind in SHOWN.items() if kind.startswith("image/"))
_NUMBERS = re.compile(r"\d+")
_storage: Any = default_storage


class UploadedFile(NamedTuple):
    path: str  # below the folder of the site
    smaller: str  # the path of a smaller picture; the same as `path` if there is none


def newest_uploads(site: Site, kind: UploadKind, page: int) -> tuple[list[UploadedFile], bool]:
    """Return a page of the files of the kind, and true if there are more. Folders by date come newest first.

    Raises LimitReached and Unavailable if the storage does not respond.
    """
    rules = rules_for(site, kind)
    types = _PICTURES if kind is UploadKind.IMAGE else frozenset(rules.extensions) - NEVER_TAKEN
    start = (page - 1) * ON_A_PAGE
    found = list(islice(_files(f"{SITE_FILES.folder}/{site.pk}/", rules.folder, types), start, start + ON_A_PAGE + 1))
    return found[:ON_A_PAGE], len(found) > ON_A_PAGE and page < MAX_PAGES


def _files(root: str, folder: str, types: frozenset[str], depth: int = 0) -> Iterator[UploadedFile]:
    folders, files = asking(partial(_storage.entries, f"{root}{folder}"))
    for name in sorted(files, key=lambda name: (-files[name].stored_at, name)):
        path = f"{folder}/{name}"
        if extension_of(name) in types and not is_smaller(name, files) and SITE_FILES.names.fullmatch(f"1/{path}"):
            small = _small(name)
            yield UploadedFile(path, f"{folder}/{small}" if small in files else path)
    if depth < _MAX_DEPTH:
        for name in sorted(folders, key=_by_date, reverse=True):
            yield from _files(root, f"{folder}/{name}", types, depth + 1)


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


def _by_date(folder: str) -> tuple[list[int], str]:
    return [int(number) for number in _NUMBERS.findall(folder)], folder
