import logging
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost, SuspiciousOperation
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
)
from django.urls import ResolverMatch, resolve
from django.utils.cache import get_conditional_response

from channels_app.record_links import current_addresses
from core.lib.errors import NotFound
from core.lib.media_storage import ASSETS, REVALIDATED, SHOWN, extension_of
from core.lib.statement_limit import TooSlow
from core.rest.errors import database_refusal
from core.uploads.media import ALL_ORIGINS, serve_asset, spelling_of
from pages import former_addresses, page_cache, pictures, rendering, suggestions, visits
from pages.page_cache import KeptPage, Key
from pages.resolver import INDEX, Addresses, Page, Redirect, addresses_of, local_path
from pages.site_lookup import Place, find_place, place_of_path
from sites.attributes import has_responsive_pictures, site_attributes
from sites.file_urls import redirect_to_spelling
from sites.page_rules import squeeze

# Scripts of pages run in an origin of their own, where they reach neither cookies nor responses of the service.
SANDBOX = "sandbox allow-scripts allow-forms allow-popups"
_HTML = "text/html; charset=utf-8"
_PAGE_TYPES = ASSETS | {"txt": SHOWN["txt"]}
_DOCUMENTS = frozenset({"", "htm", "html"})
_WITHOUT_PAGE = frozenset({visits.count, suggestions.suggest})  # at whose paths no page is looked for
_MAX_STEPS = 8  # redirects from one record to the next
logger = logging.getLogger(__name__)


def respond(request: HttpRequest) -> HttpResponseBase:
    """Return the page or file of the site at the request's host and path; a page of the service for errors."""
    place = None
    try:
        request.get_host()
        if (place := find_place(request)) is None:
            raise Http404
        response = _answer(request, place)
    except (Http404, NotFound):
        response = _plain(HTTPStatus.NOT_FOUND)
    except DisallowedHost as error:
        logger.warning("%s", error)
        response = _plain(HTTPStatus.BAD_REQUEST)
    except SuspiciousOperation:
        response = _plain(HTTPStatus.BAD_REQUEST)
    except TooSlow:
        logger.warning("The page at %r took too long to find.", request.path)
        response = _plain(HTTPStatus.SERVICE_UNAVAILABLE)
    except Exception as error:
        is_fault = database_refusal(error, request) is not None
        if not is_fault:
            logger.exception("The page at %r cannot be made.", request.path)
        response = _plain(HTTPStatus.SERVICE_UNAVAILABLE if is_fault else HTTPStatus.INTERNAL_SERVER_ERROR)
    if place and not place.has_own_host:
        response.headers.setdefault("Content-Security-Policy", SANDBOX)
        response.headers["Access-Control-Allow-Origin"] = ALL_ORIGINS
    return _complete(request, response)


def _complete(request: HttpRequest, response: Any) -> HttpResponseBase:
    defaults = {
        "Cache-Control": "no-store",
        # As browsers do by default: players and maps of other hosts refuse requests without a referrer.
        "Referrer-Policy": "strict-origin-when-cross-origin",
        # Browsers refuse to show a page with another value in the window of a page in a sandbox.
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    for name, value in defaults.items():
        response.headers.setdefault(name, value)
    if not response.streaming and response.status_code != HTTPStatus.NOT_MODIFIED:
        response.headers.setdefault("Content-Length", str(len(response.content)))
        if request.method == "HEAD":  # the server would complain about a body
            response.content = b""
    response._has_been_logged = True  # refusals are in the server's access log, faults in ours
    return response  # type: ignore[no-any-return]


def _plain(status: HTTPStatus) -> HttpResponse:
    text = f"<!DOCTYPE html>\n<html lang=en><title>{status.phrase}</title><h1>{status.phrase}</h1>\n"
    response = HttpResponse(text, _HTML, status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "1"
    return response


def _answer(request: HttpRequest, place: Place) -> HttpResponseBase:
    if request.method not in {"GET", "HEAD"}:
        return _answer_sent(request, place)
    if "%00" in request.META.get("QUERY_STRING", ""):  # no database accepts the character
        return _plain(HTTPStatus.BAD_REQUEST)
    path = request.path_info
    if "//" in path[: len(place.folder) + 1]:
        return redirect_to_spelling(request, squeeze(path))
    inside = inside_of(path, place)
    return _answer_inside(request, place, inside) if inside else _redirect(f"{place.folder}/")


def _answer_sent(request: HttpRequest, place: Place) -> HttpResponseBase:
    """Pass what a visitor sends to the view of its path, if that takes any."""
    match = resolve(inside_of(request.path_info, place) or "/", "pages.urls")
    if not getattr(match.func, "takes_posts", False) or request.method not in {"POST", "OPTIONS"}:
        response = _plain(HTTPStatus.METHOD_NOT_ALLOWED)
        response.headers["Allow"] = "GET, HEAD"
        return response
    request.resolver_match = match
    answer: HttpResponseBase = match.func(request, place, addresses_of(place), **match.kwargs)
    return answer


def inside_of(path: str, place: Place) -> str:
    """Return the path below the site's folder, with a slash in front; empty for the folder itself. Raises Http404."""
    length = len(place.folder)
    if path[:length].casefold() == place.folder.casefold() and path[length : length + 1] in {"", "/"}:
        return path[length:]
    if path in {"/", "/robots.txt"}:  # on the site's own host, above its folder
        return path.rstrip("/")
    raise Http404


def _answer_inside(request: HttpRequest, place: Place, inside: str) -> HttpResponseBase:
    """Return a page, a file or a redirect; most files are looked up first, since pages cost more."""
    is_first, key = is_document(inside), _key(request, place, inside)
    if is_first and (kept := page_cache.find(key, place.site.version)):
        request.resolver_match = of_page()
        return show(request, kept)
    match = request.resolver_match = resolve(inside, "pages.urls")
    if match.func in _WITHOUT_PAGE:
        return match.func(request, place, **match.kwargs)  # type: ignore[no-any-return]
    if not is_first:
        with suppress(Http404):
            return _file(request, place, inside)
        if kept := page_cache.find(key, place.site.version):
            return show(request, kept)
    addresses = addresses_of(place)
    found = addresses.find(f"{place.folder}{inside}")
    if isinstance(found, Page):
        page = _page(request, place, addresses, found, key)
        return show(request, page) if page else missing(request, place, addresses, inside)
    if isinstance(found, Redirect):
        return follow(request, place, found.address)
    if is_first:
        with suppress(Http404):
            return _file(request, place, inside)
    if match.func is missing and (answer := _moved(request, place, addresses, inside)):
        return answer
    return match.func(request, place, addresses, **match.kwargs)  # type: ignore[no-any-return]


def is_document(path: str) -> bool:
    """Return true if a page at the path comes before a stored file."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return not dot or extension.lower() in _DOCUMENTS


def _file(request: HttpRequest, place: Place, inside: str) -> HttpResponseBase:
    return serve_asset(request, f"{place.site.pk}{inside}", "" if place.has_own_host else SANDBOX)


def _moved(request: HttpRequest, place: Place, addresses: Addresses, inside: str) -> HttpResponseBase | None:
    """Redirect from a former address, or from a path in another letter case or with slashes too many."""
    path = squeeze(inside)
    address = former_addresses.find(addresses, inside) if path == inside else None
    if address is None:
        if (spelling := find_spelling(addresses, path)) not in {None, inside}:
            return redirect_to_spelling(request, f"{place.folder}{spelling}")
        if path != inside:
            address = former_addresses.find(addresses, inside) or former_addresses.find(addresses, path)
    return HttpResponsePermanentRedirect(address, headers={"Cache-Control": REVALIDATED}) if address else None


def find_spelling(addresses: Addresses, path: str) -> str | None:
    """Return the path of the page or file that has it in this or another letter case, as on servers with Windows."""
    if is_document(path) and (page := addresses.spelling_of(path)):
        return page
    if file := spelling_of(f"{addresses.tree.site.pk}{path}"):
        return f"/{file.partition('/')[2]}"
    return None if is_document(path) else addresses.spelling_of(path)


@cache
def of_page() -> ResolverMatch:
    return resolve(INDEX, "pages.urls")


def _key(request: HttpRequest, place: Place, inside: str) -> Key:
    return Key(place.site.pk, inside, place.has_own_host, request.META.get("QUERY_STRING", ""))


def show(request: HttpRequest, page: KeptPage) -> HttpResponseBase:
    request.kept_page = page  # type: ignore[attr-defined]
    kind = _PAGE_TYPES.get(extension_of(request.path_info), _HTML)
    response = HttpResponse(page.content, kind, headers={"ETag": page.etag})
    answer = get_conditional_response(request, etag=page.etag, response=response) or response
    answer.headers["Cache-Control"] = REVALIDATED
    return answer


def by_id(request: HttpRequest, place: Place, addresses: Addresses, kind: str, record_id: str) -> HttpResponseBase:
    """Redirect to the current address of the record that a text links to by its id."""
    named = (kind, int(record_id))
    if address := current_addresses(addresses.tree, {named}).get(named):
        return follow(request, place, address)
    return missing(request, place, addresses, f"/{kind}/{record_id}")


def missing(request: HttpRequest, place: Place, addresses: Addresses, path: str) -> HttpResponseBase:
    """Return the site's page for unknown addresses, 404.html; files that are missing get a short one."""
    found = None if extension_of(path) in (ASSETS | SHOWN).keys() - _DOCUMENTS else addresses.not_found()
    page = found and _page(request, place, addresses, found, _key(request, place, found.path[len(place.folder) :]))
    if not page:
        raise Http404
    return HttpResponse(page.content, _HTML, HTTPStatus.NOT_FOUND)


def _page(request: HttpRequest, place: Place, addresses: Addresses, page: Page, key: Key) -> KeptPage | None:
    """Return the page, cached or rendered; None if it has fewer than `page.number` pages."""
    version = place.site.version
    if kept := page_cache.find(key, version) or page_cache.find_elsewhere(key, version):
        return kept
    wanted = rendering.request_of(addresses, page, request.GET.dict())
    try:
        rendered = rendering.render(wanted)
    except rendering.NoSuchContent:  # withdrawn in between
        return None
    if page.number > max(1, rendered.page_count):
        return None
    html, site = rendered.html, addresses.tree.site
    if has_responsive_pictures(site) and is_document(page.path):
        html = pictures.with_sizes(html, site.pk, site.web_url)
    if page.content_id and site_attributes(site)["isCountHits"]:
        html = visits.with_picture(html, place.folder, page.content_id)
    content = html.encode(errors="replace")
    made = page_cache.make_page(content, version, rendered.seconds, is_by_query=rendered.reads_query)
    if rendered.seconds:
        page_cache.keep(key, made)
    return made


def follow(request: HttpRequest, place: Place, address: str) -> HttpResponseBase:
    """Redirect to the address of a record. Raises Http404 if following it would never end."""
    path, step, seen = request.path_info, address, {request.path_info}
    own_host = f"{request.scheme}://{request.get_host()}"
    for _ in range(_MAX_STEPS):
        onward = local_path(path, step.removeprefix(own_host))
        if onward is None:
            break
        if onward in seen:
            raise Http404
        seen.add(onward)
        target = place if place.has_own_host else place_of_path(onward)
        found = addresses_of(target).find(onward) if target else None
        if not isinstance(found, Redirect):
            break
        path, step = onward, found.address
    else:
        raise Http404
    return _redirect(address)


def _redirect(address: str) -> HttpResponseBase:
    try:
        is_link = urlsplit(address).scheme in {"", "http", "https"}
    except ValueError:  # such as an incomplete IPv6 address
        is_link = False
    if not is_link:
        raise Http404
    return HttpResponseRedirect(address, headers={"Cache-Control": REVALIDATED})
