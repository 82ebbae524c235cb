from collections.abc import Iterator
from itertools import islice

from core.operation.doctor import Finding, doctor_check, risky
from media_library.kinds import in_library
from media_library.models import MediaFile
from media_library.syncing import is_stored, stored_folders
from sites.models import Site

# Looked at, so that the check also ends soon with an object store and many files.
_ROWS = 20
_SITES = 10
_FOLDERS = 20  # of each site
_REMEDY = "Run: manage.py sync_media"


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
