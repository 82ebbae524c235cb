"""The page that empties the trash of a site: it tells how much would leave for good, and does it on a POST."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from channels_app.admin import count_words
from channels_app.models import Channel
from cms_api.back_end.numbers import read_number
from cms_api.back_end.ranks import sites_of
from cms_api.back_end.shown import shown_number
from cms_api.lib import clock
from contents.models import Content
from contents.trash import OldTrash, Purged
from sites.models import Site

# Records that one click deletes: what is left goes by the next one, and nobody waits for minutes.
MOST = 5000
_MOST_SITES = 200  # to choose from
_COUNTED = 10_000


class EmptyTrashPage:
    """The page; `address` is its own, `back` leads to the list."""

    def __init__(self, address: str, back: str) -> None:
        self._address, self._back = address, back

    def answer(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        """What the address asks for: `site`; a POST sends the site and the moment until which it was shown."""
        sites = _sites_with_trash(request)
        if request.method == "POST":
            site, until = _of_number(sites, request.POST.get("site")), _read_moment(request.POST.get("until", ""))
            return self._empty(request, site, until) if site and until else HttpResponseRedirect(self._back)
        # Where there is but one nobody has to choose.
        site = sites[0] if len(sites) == 1 and "site" not in request.GET else _of_number(sites, request.GET.get("site"))
        until = clock.now() + timedelta(seconds=1)  # times are kept to the second
        found = _bounded(site, until) if site else Purged()
        context |= {
            "title": _("Empty the trash"),
            "sites": sites,
            "site": site,
            "told": _tell(found),
            "most": MOST,
            "is_more": sum(found) > MOST,
            "until": until.isoformat(),
            "address": self._address,
            "back": self._back,
        }
        return TemplateResponse(request, "back_end/trash/empty.html", context)

    def _empty(self, request: HttpRequest, site: Site, until: datetime) -> HttpResponse:
        purged = _trash_of(site, until).purge(most=MOST)
        if not any(purged):
            messages.warning(request, _("There was nothing to delete."))
            return HttpResponseRedirect(self._back)
        told = _("Deleted for good: %(what)s.") % {"what": count_words(purged.channels, purged.contents)}
        messages.success(request, told)
        if sum(purged) < MOST:
            return HttpResponseRedirect(self._back)
        messages.info(request, _("There may be more. Go on until nothing is left."))
        return HttpResponseRedirect(f"{self._address}?{urlencode({'site': site.pk})}")


def _trash_of(site: Site, until: datetime) -> OldTrash:
    """What has been in the trash of the site at that moment; what comes later nobody has been told of."""
    return OldTrash(until, site.pk)


def _bounded(site: Site, until: datetime) -> Purged:
    chosen = {"site": site, "trashed_at__lt": until}
    contents, channels = (rows.objects.filter(**chosen)[: _COUNTED + 1].count() for rows in (Content, Channel))
    return Purged(contents, channels)


def _tell(found: Purged) -> str:
    if not any(found):
        return ""
    told = count_words(found.channels, found.contents)
    if max(found) > _COUNTED:
        return _("To be deleted for good: more than %(count)s records.") % {"count": shown_number(_COUNTED)}
    return _("To be deleted for good: %(what)s.") % {"what": told}


def _sites_with_trash(request: HttpRequest) -> list[Site]:
    own = sites_of(request.user)
    rows = Site.objects.all() if own is None else Site.objects.filter(pk__in=own)
    of_site = {"site": OuterRef("pk"), "trashed_at__isnull": False}
    held = Exists(Content.objects.filter(**of_site)) | Exists(Channel.objects.filter(**of_site))
    return list(rows.filter(held).only("site_name").order_by("site_name", "pk")[:_MOST_SITES])


def _of_number(sites: Iterable[Site], text: str | None) -> Site | None:
    number = read_number(text)
    return next((site for site in sites if site.pk == number), None)


def _read_moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Stored times know no zones; a page that was shown knows no later moment than the present second's end.
    return None if found.tzinfo else min(found, clock.now() + timedelta(seconds=1))
