from typing import Any
from urllib.parse import quote

from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.conditional import tag_of, use
from core.rest.fields import read_integer
from core.rest.names import raise_if_two_spellings
from core.rest.views import ApiView
from media_library.api.records import find_site
from media_library.changes import find
from media_library.renditions.requested import checked_query
from media_library.replaced import mark_of
from sites.addresses import resolve

_NUMBERS, _WORDS = ("w", "h", "q"), ("fit", "format")


class MediaRenditionView(ApiView):
    """`/media/{siteId}/{id}/rendition`"""

    required_scope = "Media"

    def get(self, request: Request, site_id: int, media_id: int) -> Response:
        site = find_site(site_id)
        file = find(site_id, media_id)
        query = checked_query(f"{site_id}/{file.path}", **_chosen(request))
        mark = mark_of(file.replaced_at)
        address = f"@/{quote(file.path)}?{query}{'&' if mark else ''}{mark}"
        record: dict[str, Any] = {"address": address, "url": resolve(address, site.web_url)}
        use(request, tag_of("media_rendition", record))
        return Response(record)


def _chosen(request: Request) -> dict[str, str]:
    """Return the parameters of the rendition. Raises InvalidInput."""
    names = (*_NUMBERS, *_WORDS)
    sent = {name: str(text).strip() for name, text in request.query_params.items() if name.casefold() in names}
    raise_if_two_spellings(sent)
    return {
        name.casefold(): str(read_integer(text, name)) if name.casefold() in _NUMBERS else text.casefold()
        for name, text in sorted(sent.items())
        if text
    }
