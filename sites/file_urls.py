"""Uploads of a site under its own web address, where `@/…` in contents leads; to be included after everything else."""

from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import re_path
from django.views.decorators.http import require_safe

from cms_api.uploads.site_files import answer
from sites.addresses import RESERVED
from sites.models import Site

_MOST_PARTS = 20  # of a path; no site stands so deep


@require_safe
def serve(request: HttpRequest, path: str) -> HttpResponseBase:
    """The file of the site whose web address the path begins with; one statement, 404 for anything else."""
    *folders, _ = path.split("/")
    if len(folders) > _MOST_PARTS:
        raise Http404
    for site_id, web_url in _sites(folders):
        beginning = f"{web_url}/".lstrip("/")
        if path.startswith(beginning) and len(path) > len(beginning):
            return answer(request, f"{site_id}/{path.removeprefix(beginning)}")
    raise Http404


def _sites(folders: list[str]) -> list[tuple[int, str]]:
    """The sites that have one of the folders, and the root site; those with the longest web address first."""
    # The way in which the index of folders is made; folders are unique, so these are few.
    named = Site.objects.alias(folded=Lower("site_dir")).filter(
        Q(folded__in=[Lower(Value(folder)) for folder in folders]) | Q(is_root=True)
    )
    return sorted(named.values_list("pk", "web_url"), key=lambda each: -len(each[1]))


# Only what looks like the name of a file, so that addresses without a slash at their end still get one.
_RESERVED = "|".join(sorted(RESERVED))
urlpatterns = [re_path(rf"^(?!(?i:{_RESERVED})(?:/|\Z))(?P<path>[^\n]*\.[A-Za-z0-9]{{1,10}})\Z", serve)]
