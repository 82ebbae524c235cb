"""Contents for the search of the admin, and the channels that take new ones."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext as _

from channels_app.models import Channel
from contents.admin.list.change_list import searched_sites
from contents.admin.list.finding import Search
from contents.admin.list.params import QUERY, read_asked
from contents.models import Content
from contents.searching import SHOWN_TEXTS, excerpts
from contents.services.approval import DecisionKind, state_of
from core.admin.hits import MOST, READ, Hit, best, has_words, where
from core.admin.views import address_of, page_of
from sites.admin.menu import first_site, name_among_sites

_COLUMNS = ("is_checked", "checked_level", "site__site_name", "channel__channel_name", *SHOWN_TEXTS)
_ORDER = ("-last_edit_date", "-id")


def contents(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find contents as their list does: of the last edited ones with the words, those with the best titles."""
    page = page_of(admin.site, request, Content)
    if page is None or (search := _search(page, request, text)) is None:
        return
    numbers = search.page(0, READ).numbers
    found = Content.objects.filter(pk__in=numbers).select_related("site", "channel").only(*_COLUMNS).order_by(*_ORDER)
    rows = best(found, text, lambda content: content.title, first_site(request)[0])
    pieces = excerpts(rows, search.asked.words)
    for content in rows:
        state = state_of(content)
        badge = () if state.kind is DecisionKind.APPROVED else (state.kind.value, str(state))
        place = where(content.channel, name_among_sites(request, content.site.site_name))
        yield Hit(str(content), address_of(page, "change", content.pk), place, "", pieces.get(content.pk, ""), *badge)


def correction(request: HttpRequest, text: str) -> str | None:
    """Return the text, which finds nothing, with corrected words; None if it finds no contents either."""
    page = page_of(admin.site, request, Content)
    search = None if page is None else _search(page, request, text)
    return search.correction() if search else None


def _search(page: Any, request: HttpRequest, text: str) -> Search | None:
    asked = read_asked({QUERY: text})
    return None if asked.unread else Search(asked, searched_sites(page, request), _ORDER)


def commands(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find channels to which the administrator may add contents, by names and the words of the command."""
    page: Any = page_of(admin.site, request, Content)
    if page is None or not page.has_add_permission(request):
        return
    phrase = _("Add content in “%(channel)s”")
    rows = page.places(request.user, "add").narrow(Channel.objects.live(), "site", "").order_by("site", "taxis")
    for word in text.split():
        if not has_words(phrase, word):
            rows = rows.filter(channel_name__icontains=word)
    found = rows.select_related("site").only("channel_name", "site__site_name", "settings")[:READ]
    takers = [channel for channel in found if channel.settings.get("isContentAddable") is not False]
    for channel in best(takers, "", lambda channel: channel.channel_name, first_site(request)[0])[:MOST]:
        address = f"{address_of(page, 'add')}?channel={channel.pk}"
        yield Hit(phrase % {"channel": channel}, address, name_among_sites(request, channel.site.site_name))
