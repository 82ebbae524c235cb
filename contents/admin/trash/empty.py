"""Empties the trash of a site: tells how much would leave for good, and deletes it step by step, a request each."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from channels_app.admin.channels import count_words
from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.registered import address_of
from cms_api.admin.shown import shown_number
from cms_api.admin.views import render_page
from cms_api.lib import clock
from contents.admin.trash.actions import deleted_before
from contents.models import Content
from contents.services.trash import OldTrash, Purged
from sites.admin.choosing import choose_site, seen_sites
from sites.models import Site

# Records that one request deletes: a second or two.
STEP = 2000
# Records that are counted to tell how many are left.
COUNTED = 10_000


def empty_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Empty the trash of the `site`, for who may delete contents and channels for good.

    A GET asks; a POST sends the site and the moment until which it was shown.
    """
    if not page.may_empty(request):
        raise Http404
    if request.method == "POST":
        number, until = read_number(request.POST.get("site")), _read_moment(request.POST.get("until", ""))
        site = seen_sites(request).filter(pk=number).first() if number else None
        return _empty(page, request, site, until) if site and until else HttpResponseRedirect(address_of(page))
    of_site = {"site": OuterRef("pk"), "trashed_at__isnull": False}
    held = Exists(Content.objects.filter(**of_site)) | Exists(Channel.objects.filter(**of_site))
    sites, number = seen_sites(request).filter(held).only("site_name"), read_number(request.GET.get("site"))
    some = list(sites[:2])
    if number is None and len(some) > 1:
        return choose_site(page, request, _("Empty the trash"), "site", sites)
    site = next(iter(some), None) if number is None else sites.filter(pk=number).first()
    until = clock.now() + timedelta(seconds=1)  # times are kept to the second
    context = {
        "title": _("Empty the trash"),
        "site": site,
        "told": _tell(_counted(site, until)) if site else "",
        "until": until.isoformat(),
        "has_others": len(some) > 1,
        "back": address_of(page),
    }
    return render_page(page, request, "contents/trash/empty.html", context)


def _empty(page: Any, request: HttpRequest, site: Site, until: datetime) -> HttpResponse:
    # What comes there after the page was shown nobody has been told of.
    purged = OldTrash(until, site.pk).purge(most=STEP)
    done = deleted_before(request) + purged
    if sum(purged) >= STEP:
        sent = {"site": str(site.pk), "until": until.isoformat()}
        left = sum(_counted(site, until))
        return go_on(page, request, _("Empty the trash"), address_of(page), sent, done, left)
    if any(done):
        told = _("Permanently deleted: %(what)s.") % {"what": count_words(done.channels, done.contents)}
        messages.success(request, told)
    else:
        messages.warning(request, _("There was nothing to delete."))
    return HttpResponseRedirect(address_of(page))


def go_on(
    page: Any, request: HttpRequest, title: str | Promise, back: str, sent: Mapping[str, str], done: Purged, left: int
) -> HttpResponse:
    """The page between two steps: what was deleted so far, how many records are left, and what the next step sends.

    `back` is where the page leads that is to stop.
    """
    context = {
        "title": title,
        "back": back,
        "told": _("Permanently deleted so far: %(what)s.") % {"what": count_words(done.channels, done.contents)},
        "sent": {**sent, **{name: str(number) for name, number in done._asdict().items()}},
        "done": sum(done),
        "all": sum(done) + left if left <= COUNTED else 0,
    }
    return render_page(page, request, "contents/trash/step.html", context)


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
