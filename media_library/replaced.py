"""Files whose addresses show other bytes than before.

Browsers and caches keep a file for a year without asking again (FOR_EVER). Pages and the admin therefore add the time
of the last replacement to the address, and ask for the new bytes: `photo.jpg?v=261130094500`.
"""

import re
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from html import escape
from urllib.parse import quote

from core.lib import clock
from media_library.kinds import SMALLER, smaller_path
from media_library.models import MediaFile

_KEPT = timedelta(days=366)  # then no cache has the former bytes
_MOST = 1000  # files of a site, those replaced last
# At the beginning of a value or below a folder; at the end of the value, or before its query.
_IN_TEXT = r"(?<![^\s/\"'(=,])(?:{})(?=[?#\"'\s),&]|\Z)(?P<query>\?)?"


def mark_of(replaced_at: datetime | None) -> str:
    """Return the query of the file's address; empty if it has not been replaced."""
    return f"v={replaced_at:%y%m%d%H%M%S}" if replaced_at else ""


def moment_after(replaced_at: datetime | None) -> datetime:
    """Return the time of a replacement, different from that of the one before."""
    now = clock.now()
    return max(now, replaced_at + timedelta(seconds=1)) if replaced_at else now


def marks_among(site_ids: Collection[int], paths: Collection[str]) -> dict[tuple[int, str], str]:
    """Return the queries of the replaced files among these, by site and path."""
    found = MediaFile.objects.filter(site__in=site_ids, path__in=paths, replaced_at__isnull=False)
    return {(site_id, path): mark_of(at) for site_id, path, at in found.values_list("site", "path", "replaced_at")}


def marks_of(site_id: int) -> dict[str, str]:
    """Return the queries of the files replaced within a year, and of their smaller forms, by path."""
    found = MediaFile.objects.filter(site=site_id, replaced_at__gt=clock.now() - _KEPT).order_by("-replaced_at")
    marks = {path: mark_of(at) for path, at in found.values_list("path", "replaced_at")[:_MOST]}
    return {smaller_path(path, form): mark for path, mark in marks.items() for form in SMALLER} | marks


def replaced_paths(site_id: int) -> set[str]:
    """Return the paths of all files that were ever replaced, and of their smaller forms."""
    found = MediaFile.objects.filter(site=site_id, replaced_at__isnull=False).values_list("path", flat=True)
    return {each for path in found for each in (path, *(smaller_path(path, form) for form in SMALLER))}


def marker_of(site_id: int) -> Callable[[str], str]:
    """Return the function that adds the queries of the site's replaced files to addresses anywhere in HTML."""
    found = marks_of(site_id)
    if not found:
        return str
    marks = {spelling: mark for path, mark in found.items() for spelling in (path, escape(path), quote(path))}
    pattern = re.compile(_IN_TEXT.format("|".join(map(re.escape, marks))))

    def mark(match: re.Match[str]) -> str:
        path = match[0].removesuffix("?")
        return f"{path}?{marks[path]}{'&amp;' if match['query'] else ''}"

    return lambda html: pattern.sub(mark, html)
