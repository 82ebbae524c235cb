"""Titles for a search box, `_suggestions?q=…`: of contents that have a page on the site, best first."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from channels_app.record_links import CONTENT, current_addresses
from contents.lists.found import read_suggestions
from core.lib.errors import InvalidInput
from core.rest.conditional import tag_of_bytes
from core.rest.errors import JSON, body_of, status_of
from core.rest.json import dump
from core.uploads.media import ALL_ORIGINS
from pages.resolver import Addresses, addresses_of
from pages.site_lookup import Place
from pages.site_source import SEARCH_SECONDS
from search.words import read_words

PATH = "_suggestions"
_CACHED = "public, max-age=60"
# Pages on other hosts read it; it needs no cookie, and only has public text.
_HEADERS = {"Access-Control-Allow-Origin": ALL_ORIGINS, "X-Robots-Tag": "noindex"}


def suggest(request: HttpRequest, place: Place) -> HttpResponseBase:
    """Return titles with the current addresses of the contents, as JSON. Raises Http404."""
    if not place.site.has_templates:  # on a host of the site's own
        raise Http404
    try:
        found = _find(request.GET.get("q", ""), addresses_of(place))
    except InvalidInput as error:
        return HttpResponse(dump(body_of(error)), JSON, status_of(error), headers=_HEADERS)
    body = dump({"value": found})
    etag = tag_of_bytes(body)
    response = HttpResponse(body, JSON, headers=_HEADERS | {"ETag": etag, "Cache-Control": _CACHED})
    answer = get_conditional_response(request, etag=etag, response=response) or response
    answer.headers["Access-Control-Allow-Origin"] = ALL_ORIGINS
    return answer


def _find(query: str, addresses: Addresses) -> list[dict[str, str]]:
    if not query:
        raise InvalidInput("missing_member", "q is required.", member="q")
    tree = addresses.tree
    with_pages = [pk for pk, channel in tree.channels.items() if addresses.has_contents_pages(channel)]
    channel_ids = None if len(with_pages) == len(tree.channels) else with_pages
    found = read_suggestions(read_words(query, operators=()), tree.site.pk, SEARCH_SECONDS, channel_ids)
    shown = current_addresses(tree, [(CONTENT, content.pk) for content in found]) if found else {}
    named = [(content.title, shown.get((CONTENT, content.pk))) for content in found]
    return [{"title": title, "navigationUrl": address} for title, address in named if address]
