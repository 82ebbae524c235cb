"""The page of the dead links of a site."""

from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from channels_app.record_links import CONTENT, Named
from contents import dead_links
from contents.dead_links import DeadLink, Kind, Reason
from contents.external_links.following import is_complete
from contents.models import Content, ExternalLinkUse
from core.admin.views import render_page
from core.lib.statement_limit import TooSlow
from media_library.admin.used import seen_uses, shown_uses
from media_library.filling import is_filling
from media_library.models import MediaUse
from sites.models import Site


def dead_links_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the dead links in records that the administrator may see, for those who may change contents of the site."""
    places = page.places(request.user, "change")
    site = Site.objects.filter(pk=site_id).first() if places.touches_site(site_id) else None
    if site is None:
        raise Http404
    request.menu_site = site.pk  # type: ignore[attr-defined]
    kind = request.GET.get("kind", "")
    is_slow, found = False, list[DeadLink]()
    try:
        found = dead_links.find(
            site,
            seen_uses(request, MediaUse.objects.filter(site_id=site.pk)),
            _seen_in_contents(page, request, site),
            [kind] if kind in Kind else Kind,
        )
    except TooSlow:
        is_slow = True
    links = _as_seen(page, request, site_id, found)
    uses = shown_uses(request, [link.use for link in found])
    context = {
        "title": _("Dead links"),
        "subtitle": site.site_name,
        "site_record": site,
        "links": [(link, use) for link, use in zip(links, uses, strict=True) if use.url],
        "kind": kind,
        "kinds": Kind.choices,
        "are_more": len(found) == dead_links.MOST,
        "is_filling": is_filling(),
        "is_slow": is_slow,
        "is_checking": settings.CMS_CHECK_LINKS,
        "has_unchecked": settings.CMS_CHECK_LINKS and not is_complete(),
    }
    return render_page(page, request, "contents/dead_links.html", context)


def _seen_in_contents(page: Any, request: HttpRequest, site: Site) -> QuerySet[ExternalLinkUse]:
    """Return the links to other websites; none while they are not checked, when the last results may be wrong."""
    if not settings.CMS_CHECK_LINKS:
        return ExternalLinkUse.objects.none()
    content = page.get_queryset(request).filter(pk=OuterRef("content_id"))
    return ExternalLinkUse.objects.filter(Exists(content), site_id=site.pk)


def _as_seen(page: Any, request: HttpRequest, site_id: int, links: list[DeadLink]) -> list[DeadLink]:
    """Return the links without titles and states of records that the lists of the administrator do not show."""
    if page.seen_places(request.user).covers_site(site_id):
        return links
    records = [(link, None if link.is_external else dead_links.record_in(link)) for link in links]
    ids = {record[1] for _link, record in records if record and record[0] == CONTENT}
    seen = set(page.in_seen_places(request, Content.objects.filter(pk__in=ids)).values_list("pk", flat=True))
    return [
        link if _is_seen(record, seen) else link._replace(title="", reason=Reason.UNSEEN) for link, record in records
    ]


def _is_seen(record: Named | None, content_ids: set[int]) -> bool:
    return record is None or (record[0] == CONTENT and record[1] in content_ids)
