"""Serves uploads under the site's own web address, where `@/…` in contents leads; include it after all other URLs."""

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import re_path
from django.views.decorators.http import require_safe

from cms_api.uploads.media import serve_of_site
from sites.addresses import RESERVED
from sites.models import Site

MAX_PARTS = 20  # of a path; no site is nested so deeply
SITES = "sites.named"  # where the middleware of pages leaves what it has read, among the values of the request


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
    sites = request.META.get(SITES) or sites_named_in(folders).values_list("pk", "web_url")
    for site_id, web_url, *_ in sorted(sites, key=lambda each: -len(each[1])):
        beginning = f"{web_url}/".lstrip("/")
        if path.startswith(beginning) and len(path) > len(beginning):
            return serve_of_site(request, f"{site_id}/{path.removeprefix(beginning)}")
    raise Http404


# Only names with an extension, so that Django still appends missing slashes to other addresses.
_RESERVED = "|".join(sorted(RESERVED))
urlpatterns = [re_path(rf"^(?!(?i:{_RESERVED})(?:/|\Z))(?P<path>[^\n]*\.[A-Za-z0-9]{{1,10}})\Z", serve)]
