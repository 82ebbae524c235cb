"""`robots.txt` and `sitemap.xml` of a site, unless it has its own."""

from collections.abc import Iterator
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.html import escape

from core.rest.errors import until_cut
from pages.content_resolver import count_contents, list_pages
from pages.resolver import Addresses
from pages.site_lookup import Place
from sites.addresses import split_host

MAX_URLS = 50_000  # URLs of a sitemap, as its protocol says
_FOR_AN_HOUR = "public, max-age=3600"
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def robots(request: HttpRequest, place: Place, addresses: Addresses) -> HttpResponseBase:
    _require_templates(addresses)
    text = f"User-agent: *\nAllow: /\nSitemap: {_base(request, place)}/sitemap.xml\n"
    return HttpResponse(text, "text/plain; charset=utf-8", headers={"Cache-Control": _FOR_AN_HOUR})


def sitemap(request: HttpRequest, place: Place, addresses: Addresses) -> HttpResponseBase:
    """Return the sitemap, or the list of its parts if it has more than 50,000 URLs."""
    _require_templates(addresses)
    channels = addresses.for_search_engines()
    if (parts := count_parts(place, channels)) <= 1:
        return _stream(request, "urlset", _part(request, place, addresses, channels, 1))
    base = _base(request, place)
    numbers = range(1, parts + 1)
    entries = (f"<sitemap><loc>{escape(base)}/sitemap-{number}.xml</loc></sitemap>\n" for number in numbers)
    return _stream(request, "sitemapindex", entries)


def sitemap_part(request: HttpRequest, place: Place, addresses: Addresses, number: int) -> HttpResponseBase:
    channels = addresses.for_search_engines()
    if not 1 <= number <= count_parts(place, channels):
        raise Http404
    return _stream(request, "urlset", _part(request, place, addresses, channels, number))


def _require_templates(addresses: Addresses) -> None:
    if not addresses.has_templates:  # on a host of the site's own
        raise Http404


def count_parts(place: Place, channels: list[str]) -> int:
    return -(-(len(channels) + count_contents(place.site.pk)) // MAX_URLS)


def _part(request: HttpRequest, place: Place, addresses: Addresses, channels: list[str], number: int) -> Iterator[str]:
    base, first = _base(request, place), (number - 1) * MAX_URLS
    host, _ = split_host(base)
    own = channels[first : first + MAX_URLS]
    for path in own:
        yield _entry(host + quote(path))
    if len(own) < MAX_URLS:
        listed = list_pages(addresses.tree, max(0, first - len(channels)), MAX_URLS - len(own))
        for channel_id, path, date in listed:
            channel = addresses.tree.channels.get(channel_id)
            if channel and addresses.has_contents_pages(channel):
                yield _entry(base + quote(path), date)


def _entry(address: str, date: str = "") -> str:
    changed = f"<lastmod>{date[:10]}</lastmod>" if date else ""
    return f"<url><loc>{escape(address)}</loc>{changed}</url>\n"


def _stream(request: HttpRequest, name: str, entries: Iterator[str]) -> HttpResponseBase:
    def lines() -> Iterator[str]:
        yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{name} xmlns="{_NAMESPACE}">\n'
        yield from entries
        yield f"</{name}>\n"

    body: Iterator[str] = until_cut(lines(), request) if request.method == "GET" else iter(())
    return StreamingHttpResponse(body, content_type="application/xml", headers={"Cache-Control": _FOR_AN_HOUR})


def _base(request: HttpRequest, place: Place) -> str:
    """Return the site's web address with its host, without a slash at the end."""
    host, path = split_host(place.site.web_url)
    host = f"{request.scheme}:{host}" if host.startswith("//") else host
    return f"{host or f'{request.scheme}://{request.get_host()}'}{quote(path.rstrip('/'))}"
