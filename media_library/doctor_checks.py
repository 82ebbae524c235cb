from collections.abc import Iterator
from itertools import islice

from core.operation.doctor import Finding, doctor_check, note, risky, wrong
from media_library import filling
from media_library.kinds import in_library
from media_library.models import MediaFile
from media_library.syncing import is_stored, stored_folders
from sites.models import Site

# Looked at, so that the check also ends soon with an object store and many files.
_ROWS = 20
_SITES = 10
_FOLDERS = 20  # of each site
_NEWEST = 20  # records of each kind
_REMEDY = "Run: manage.py sync_media"
_REPAIR = "Run: manage.py check_media_uses --repair"


@doctor_check("Media library")
def _media_library() -> Iterator[Finding]:
    lost = [row.path for row in MediaFile.objects.listed().order_by("-pk")[:_ROWS] if not is_stored(row)]
    if lost:
        yield risky(f"The media library shows files that the storage does not have, such as {lost[0]}.", _REMEDY)
    for site in Site.objects.order_by("pk")[:_SITES]:
        if path := next(_unknown(site), None):
            yield risky(f"The media library of site {site.pk} does not show all stored files, such as {path}.", _REMEDY)


def _unknown(site: Site) -> Iterator[str]:
    for files in islice(stored_folders(site), _FOLDERS):
        some = in_library(site, files)[:_ROWS]
        known = set(MediaFile.objects.filter(site=site, path__in=some).values_list("path", flat=True))
        yield from (path for path in some if path not in known)


@doctor_check("Uses of media")
def _newest_uses() -> Iterator[Finding]:
    if filling.is_filling():
        yield note("The uses of media are still being found; until then, files in use may be shown as unused.", _REPAIR)
    elif told := next(filling.differences(newest=_NEWEST), ""):
        yield wrong(f"The uses of media differ from the texts: {told}", _REPAIR)


@doctor_check("All uses of media", is_thorough=True)
def _uses() -> Iterator[Finding]:
    if not filling.is_filling() and (found := sum(1 for _ in filling.differences())):
        yield wrong(f"The uses of media differ from the texts in {found} places.", _REPAIR)
