"""Serves uploads under the site's own web address, the target of `@/…` in contents; include it after all other URLs."""

from contextlib import suppress
from urllib.parse import quote

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.urls import re_path
from django.views.decorators.http import require_safe

from core.lib.media_storage import REVALIDATED
from core.uploads.media import serve_of_site, spelling_of
from sites.addresses import RESERVED
from sites.models import Site
from sites.page_rules import squeeze

MAX_PARTS = 20  # of a path; no site is nested so deeply
SITES = "sites.named"  # where the middleware of pages stores its result, among the values of the request


def sites_named_in(path: str) -> QuerySet[Site]:
    """Select the sites whose folder is a part of the path, and the root site; few, since folders are unique."""
    folders = path.strip("/").split("/")[:MAX_PARTS]
    # Lower() matches the index.
    named = Q(folded__in=[Lower(Value(folder)) for folder in folders])
    return Site.objects.alias(folded=Lower("site_dir")).filter(named | Q(is_root=True))


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve the file of the site with the longest web address that begins the path; one statement, 404 for all else."""
    folders, _, _ = path.rpartition("/")
    if folders.count("/") >= MAX_PARTS:
        raise Http404
    wanted = squeeze(path).lstrip("/")
    sites = request.META.get(SITES) or sites_named_in(folders).values_list("pk", "web_url")
    for site_id, web_url, *_ in sorted(sites, key=lambda each: -len(each[1])):
        beginning = f"{web_url}/".lstrip("/")
        length = len(beginning)
        if wanted[:length].casefold() == beginning.casefold() and len(wanted) > length:
            return _serve(request, path, site_id, beginning, wanted[length:])
    raise Http404


def _serve(request: HttpRequest, path: str, site_id: int, beginning: str, inside: str) -> HttpResponseBase:
    """Return the file of the site, or a redirect to it if its path is spelled in another way."""
    if path == f"{beginning}{inside}":
        with suppress(Http404):
            return serve_of_site(request, f"{site_id}/{inside}")
    found = spelling_of(f"{site_id}/{inside}")
    address = found and f"{beginning}{found.partition('/')[2]}"
    if not address or address == path:
        raise Http404
    return redirect_to_spelling(request, address)


def redirect_to_spelling(request: HttpRequest, path: str) -> HttpResponsePermanentRedirect:
    """Redirect to a path of the same host, and keep the query."""
    query = request.META.get("QUERY_STRING", "")
    address = quote(f"/{path.lstrip('/')}") + (f"?{query}" if query else "")
    return HttpResponsePermanentRedirect(address, headers={"Cache-Control": REVALIDATED})


# Only names with an extension, so that Django still appends missing slashes to other addresses.
_RESERVED = "|".join(sorted(RESERVED))
urlpatterns = [re_path(rf"^(?!(?i:{_RESERVED})(?:/|\Z))(?P<path>[^\n]*\.[A-Za-z0-9]{{1,10}})\Z", serve)]
