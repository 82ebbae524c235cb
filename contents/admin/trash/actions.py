"""Acts on the trash: restoring and permanent deletion, in steps if there is much."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app.admin.channels import count_words, tell
from channels_app.models import Channel
from channels_app.services import restore_channel
from contents.admin.actions.base import changed, describe_some, of_any_version, take_back_arrivals
from contents.models import Content
from contents.services import trash
from contents.services.trash import Purged
from core.admin.admin_actions import MAX, AdminAction, Changed, OtherOutcome, Text
from core.admin.formatting import format_number
from core.admin.numbers import read_chosen, read_number
from core.admin.views import address_of, render_page
from core.lib import clock
from sites.admin.choosing import choose_site, seen_sites
from sites.models import Site

STEP = 2000  # records deleted per request, in one or two seconds
COUNTED = 10_000  # records counted for the remaining number


def _describe_what_stays(contents: list[Content]) -> str:
    stay = sum(content.channel.trashed_at is not None for content in contents)
    told = ngettext(
        "%(count)d of them cannot be restored because its channel is in the trash. Restore the channel first.",
        "%(count)d of them cannot be restored because their channels are in the trash. Restore the channels first.",
        stay,
    )
    return describe_some(told, stay)


def _restore_channel(request: HttpRequest, channel: Channel) -> OtherOutcome:
    restored = restore_channel(channel.site_id, channel.pk)
    return OtherOutcome(Changed(channel.pk, channel.version), _describe("restored"), restored)


def _purge_channel(request: HttpRequest, channel: Channel) -> OtherOutcome:
    purged = Purged()
    if Channel.objects.filter(pk=channel.pk).exists():  # otherwise deleted with an ancestor
        purged = trash.purge_channel(channel.site_id, channel.pk)
    words = _describe("purged", _deleted_before(request).contents)
    return OtherOutcome(Changed(channel.pk, channel.version), words, (purged.channels, purged.contents))


@lru_cache  # cached, so that all channels share one message
def _describe(what: str, before: int = 0) -> Callable[..., str]:
    action = {"restored": RESTORE_CHANNEL, "purged": PURGE_CHANNEL}[what]
    return lambda count, channels, contents: f"{action.done % {'count': count}} {tell(channels, contents + before)}"


def _describe_what_comes_back(channels: list[Channel]) -> str:
    chosen = [channel.pk for channel in channels]
    contents = Content.objects.filter(trashed_at__isnull=False, trashed_with_id__in=chosen)
    return tell(Channel.objects.filter(trashed_with_id__in=chosen).count(), contents.count())


def _describe_what_leaves(channels: list[Channel]) -> str:
    below = Channel.objects.filter(ancestor_links__ancestor__in=channels).order_by().values("pk").distinct()
    return tell(below.count(), Content.objects.filter(channel__in=below).count())


RESTORE_CONTENT = AdminAction(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d content item?", "Restore %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was restored.", "%(count)d content items were restored.", "count"),
    lambda request, contents: changed(trash.restore_contents(of_any_version(contents))),
    consequence=_describe_what_stays,
    take_back=take_back_arrivals,
    at_once=True,
)
PURGE_CONTENT = AdminAction(
    "purge",
    _("Delete permanently"),
    ngettext_lazy("Permanently delete %(count)d content item?", "Permanently delete %(count)d content items?", "count"),
    ngettext_lazy(
        "%(count)d content item was permanently deleted.", "%(count)d content items were permanently deleted.", "count"
    ),
    lambda request, contents: trash.purge_contents(of_any_version(contents)),
    at_once=True,
    is_grave=True,
)
RESTORE_CHANNEL = AdminAction(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d channel?", "Restore %(count)d channels?", "count"),
    ngettext_lazy("%(count)d channel was restored.", "%(count)d channels were restored.", "count"),
    _restore_channel,
    consequence=_describe_what_comes_back,
)
PURGE_CHANNEL = AdminAction(
    "purge",
    _("Delete permanently"),
    ngettext_lazy("Permanently delete %(count)d channel?", "Permanently delete %(count)d channels?", "count"),
    ngettext_lazy(
        "%(count)d channel was permanently deleted.", "%(count)d channels were permanently deleted.", "count"
    ),
    _purge_channel,
    consequence=_describe_what_leaves,
    is_grave=True,
)


# ---- emptying the trash of a site


def _deleted_before(request: HttpRequest) -> Purged:
    # By earlier steps.
    return Purged(*(read_number(request.POST.get(name)) or 0 for name in Purged._fields))


def empty_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Empty the trash of a `site` in steps; a GET shows the confirmation, a POST sends the site and the time of
    display."""
    if not (places := page.emptied_places(request)):
        raise Http404
    if request.method == "POST":
        number, until = read_number(request.POST.get("site")), _read_moment(request.POST.get("until", ""))
        site = seen_sites(request, places).filter(pk=number).first() if number else None
        return _empty(page, request, site, until) if site and until else HttpResponseRedirect(address_of(page))
    of_site = {"site": OuterRef("pk"), "trashed_at__isnull": False}
    held = Exists(Content.objects.filter(**of_site)) | Exists(Channel.objects.filter(**of_site))
    sites, number = seen_sites(request, places).filter(held).only("site_name"), read_number(request.GET.get("site"))
    some = list(sites[:2])
    if number is None and len(some) > 1:
        return choose_site(page, request, _now("Empty the trash"), "site", list(sites.values_list("pk", "site_name")))
    site = next(iter(some), None) if number is None else sites.filter(pk=number).first()
    until = clock.now() + timedelta(seconds=1)  # times are stored to the second
    context = {
        "title": _now("Empty the trash"),
        "site": site,
        "told": _tell(_counted(site, until)) if site else "",
        "until": until.isoformat(),
        "has_others": len(some) > 1,
        "back": address_of(page),
    }
    return render_page(page, request, "contents/trash/empty.html", context)


def _empty(page: Any, request: HttpRequest, site: Site, until: datetime) -> HttpResponse:
    # Delete only records that were there when the page was shown.
    purged = trash.OldTrash(until, site.pk).purge(most=STEP)
    done = _deleted_before(request) + purged
    if sum(purged) >= STEP:
        sent = {"site": str(site.pk), "until": until.isoformat()}
        left = sum(_counted(site, until))
        return _go_on(page, request, _now("Empty the trash"), address_of(page), sent, done, left)
    if any(done):
        told = _now("Permanently deleted: %(what)s.") % {"what": count_words(done.channels, done.contents)}
        messages.success(request, told)
    else:
        messages.warning(request, _now("There was nothing to delete."))
    return HttpResponseRedirect(address_of(page))


def purge_some(page: Any, request: HttpRequest) -> HttpResponse | None:
    """Delete a portion of the chosen channels' contents; None if there are few."""
    chosen = list(read_chosen(",".join(request.POST.getlist("ids"))))[:MAX]
    found = page.in_places(request, page.get_queryset(request).filter(pk__in=chosen), PURGE_CHANNEL.permission)
    numbers = list(found.values_list("pk", flat=True))
    if trash.count_below(numbers, STEP + 1) <= STEP:
        return None
    done = _deleted_before(request) + Purged(contents=trash.purge_below(numbers, STEP))
    left = trash.count_below(numbers, COUNTED + 1)
    sent = {name: request.POST.get(name, "") for name in ("list", "from")} | {"ids": ",".join(map(str, numbers))}
    return _go_on(page, request, PURGE_CHANNEL.label, page._back_address(request.POST, []), sent, done, left)


def _go_on(
    page: Any, request: HttpRequest, title: Text, back: str, sent: Mapping[str, str], done: Purged, left: int
) -> HttpResponse:
    """The page between two steps, with progress and the data of the next step; `back` is for the stop button."""
    context = {
        "title": title,
        "back": back,
        "told": _now("Permanently deleted so far: %(what)s.") % {"what": count_words(done.channels, done.contents)},
        "sent": {**sent, **{name: str(number) for name, number in done._asdict().items()}},
        "done": sum(done),
        "all": sum(done) + left if left <= COUNTED else 0,
    }
    return render_page(page, request, "contents/trash/step.html", context)


def _counted(site: Site, until: datetime) -> Purged:
    """Count deletable records, up to COUNTED + 1 contents and channels each."""
    chosen = {"site": site, "trashed_at__lt": until}
    contents, channels = (rows.objects.filter(**chosen)[: COUNTED + 1].count() for rows in (Content, Channel))
    return Purged(contents, channels)


def _tell(found: Purged) -> str:
    if not any(found):
        return ""
    if max(found) > COUNTED:
        return _now("To be permanently deleted: more than %(count)s records.") % {"count": format_number(COUNTED)}
    return _now("To be permanently deleted: %(what)s.") % {"what": count_words(found.channels, found.contents)}


def _read_moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Stored times are naive; a later time than now cannot have been displayed.
    return None if found.tzinfo else min(found, clock.now() + timedelta(seconds=1))
