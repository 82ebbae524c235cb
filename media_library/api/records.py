from typing import Any

from core.rest.conditional import tag_of
from media_library.models import MediaFile
from sites.addresses import resolve
from sites.models import Site, site_not_found

Record = dict[str, Any]


def find_site(site_id: int) -> Site:
    """Raises NotFound."""
    if (site := Site.objects.filter(pk=site_id).first()) is None:
        raise site_not_found(site_id)
    return site


def record_of(file: MediaFile, web_url: str) -> Record:
    return {
        "id": file.pk,
        "siteId": file.site_id,
        "url": resolve(file.address, web_url),
        "address": file.address,
        "name": file.name,
        "path": file.path,
        "kind": file.kind,
        "contentType": file.content_type,
        "size": file.bytes,
        "sha256": file.sha256,
        "width": file.width,
        "height": file.height,
        "duration": file.duration,
        "title": file.title,
        "alternativeText": file.alternative_text,
        "credit": file.credit,
        "focalPoint": None if file.focal_x is None else {"x": file.focal_x, "y": file.focal_y},
        "tags": file.tags,
        "folderId": file.folder_id or 0,
        "uploader": file.uploader,
        "createdDate": file.created_at.isoformat(" ", "seconds"),
        "lastModifiedDate": file.changed_at.isoformat(" ", "seconds"),
    }


def represent(web_url: str, file: MediaFile) -> tuple[str, Record]:
    record = record_of(file, web_url)
    return tag_of("media", record), record
