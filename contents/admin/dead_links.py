"""The page of the dead links of a site."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from contents import dead_links
from core.admin.views import render_page
from media_library.admin.used import shown_uses
from media_library.filling import is_filling
from sites.models import Site


def dead_links_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the dead links in records that the administrator may see, for those who may change contents of the site."""
    places = page.places(request.user, "change")
    site = Site.objects.filter(pk=site_id).first() if places.touches_site(site_id) else None
    if site is None:
        raise Http404
    request.menu_site = site.pk  # type: ignore[attr-defined]
    found = dead_links.find(site)
    uses = shown_uses(request, [link.use for link in found])
    context = {
        "title": _("Dead links"),
        "subtitle": site.site_name,
        "site_record": site,
        "links": [(link, use) for link, use in zip(found, uses, strict=True) if use.url],
        "are_more": len(found) == dead_links.MOST,
        "is_filling": is_filling(),
    }
    return render_page(page, request, "contents/dead_links.html", context)
