from typing import Any

from django.db.models import Q, QuerySet
from rest_framework.request import Request

from media_library.api.paging import Listing
from media_library.models import MediaFile, MediaUse, UseSource
from media_library.uses import rows_of
from sites.models import Site

Rows = QuerySet[MediaUse, tuple[str, int]]


def read_uses(request: Request, file: MediaFile) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the uses of the page, and the further members of the response. Raises InvalidInput.

    Without titles and texts, which the key may not be allowed to read.
    """
    listing = Listing(rows_of(file), lambda use: use, _after, ["uses", file.pk])
    uses, members = listing.read_page(request)
    contents = {source_id for source, source_id in uses if source.startswith("content.")}
    found = Site.objects.filter(pk=file.site_id, contents__in=contents)
    channels = dict(found.values_list("contents", "contents__channel"))
    return [_record(source, source_id, channels) for source, source_id in uses], members


def _record(source: str, source_id: int, channels: dict[int, int]) -> dict[str, Any]:
    channel_id = channels.get(source_id) if source.startswith("content.") else None
    return {"source": source, "id": source_id, "channelId": channel_id}


def _after(rows: Rows, text: str, number: int) -> Rows:
    source = UseSource(text)
    return rows.filter(Q(source__gt=source) | Q(source=source, source_id__gt=number), source__gte=source)
