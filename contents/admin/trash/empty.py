"""The page that empties the trash of a site: it tells how much would leave for good, and does it step by step."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from channels_app.admin.channels import count_words
from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.shown import shown_number
from cms_api.lib import clock
from contents.admin.trash.actions import deleted_before
from contents.admin.trash.purge_steps import COUNTED, STEP, go_on
from contents.models import Content
from contents.services.trash import OldTrash, Purged
from sites.admin.choosing import choose_site, seen_sites
from sites.models import Site


class EmptyTrashPage:
    """The page, one of `pages`; `back` leads to the list."""

    def __init__(self, pages: Any, back: str) -> None:
        self._pages, self._back = pages, back

    def answer(self, request: HttpRequest) -> HttpResponse:
        """What the address asks for: `site`; a POST sends the site and the moment until which it was shown."""
        if request.method == "POST":
            number, until = read_number(request.POST.get("site")), _read_moment(request.POST.get("until", ""))
            site = seen_sites(request).filter(pk=number).first() if number else None
            return self._empty(request, site, until) if site and until else HttpResponseRedirect(self._back)
        sites, number = _with_trash(seen_sites(request)), read_number(request.GET.get("site"))
        some = list(sites[:2])
        if number is None and len(some) > 1:
            return choose_site(self._pages, request, _("Empty the trash"), "site", sites)
        site = next(iter(some), None) if number is None else sites.filter(pk=number).first()
        return self._ask(request, site, has_others=len(some) > 1)

    def _ask(self, request: HttpRequest, site: Site | None, *, has_others: bool) -> HttpResponse:
        until = clock.now() + timedelta(seconds=1)  # times are kept to the second
        context = {
            **self._pages.admin_site.each_context(request),
            "opts": self._pages.opts,
            "title": _("Empty the trash"),
            "site": site,
            "told": _tell(_counted(site, until)) if site else "",
            "until": until.isoformat(),
            "has_others": has_others,
            "back": self._back,
        }
        return TemplateResponse(request, "contents/trash/empty.html", context)

    def _empty(self, request: HttpRequest, site: Site, until: datetime) -> HttpResponse:
        # What comes there after the page was shown nobody has been told of.
        purged = OldTrash(until, site.pk).purge(most=STEP)
        done = deleted_before(request) + purged
        if sum(purged) >= STEP:
            sent = {"site": str(site.pk), "until": until.isoformat()}
            left = sum(_counted(site, until))
            return go_on(self._pages, request, _("Empty the trash"), self._back, sent, done, left)
        if any(done):
            told = _("Permanently deleted: %(what)s.") % {"what": count_words(done.channels, done.contents)}
            messages.success(request, told)
        else:
            messages.warning(request, _("There was nothing to delete."))
        return HttpResponseRedirect(self._back)


def _with_trash(sites: QuerySet[Site]) -> QuerySet[Site]:
    of_site = {"site": OuterRef("pk"), "trashed_at__isnull": False}
    held = Exists(Content.objects.filter(**of_site)) | Exists(Channel.objects.filter(**of_site))
    return sites.filter(held).only("site_name")


def _counted(site: Site, until: datetime) -> Purged:
    """How much there is to delete; of more than COUNTED contents or channels one more than that."""
    chosen = {"site": site, "trashed_at__lt": until}
    contents, channels = (rows.objects.filter(**chosen)[: COUNTED + 1].count() for rows in (Content, Channel))
    return Purged(contents, channels)


def _tell(found: Purged) -> str:
    if not any(found):
        return ""
    if max(found) > COUNTED:
        return _("To be permanently deleted: more than %(count)s records.") % {"count": shown_number(COUNTED)}
    return _("To be permanently deleted: %(what)s.") % {"what": count_words(found.channels, found.contents)}


def _read_moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Stored times know no zones; a page that was shown knows no later moment than the present second's end.
    return None if found.tzinfo else min(found, clock.now() + timedelta(seconds=1))
