"""Records of a site for the dialog of links: those with the words that are typed, and those that a text links to."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from channels_app.record_links import CHANNEL, CONTENT, Named, address_by_id, named_in
from channels_app.tree import Record, Tree, read_tree
from contents.admin.list.finding import Search
from contents.admin.list.params import ListParams
from contents.admin.list.sources import SearchedSites, tops_in
from contents.models import Content
from contents.services.approval import state_of
from core.lib.errors import NotFound
from core.lib.statement_limit import TooSlow
from media_library.admin import chooser
from search.words import MAX_QUERY, Words, missing_in, read_words

_SHOWN = 8  # of a kind
_READ = 24  # contents, of which those with the words in their titles come first
_MOST_LINKS = 200  # of a text
_NEWEST = ("-last_edit_date", "-id")
_COLUMNS = ("title", "site", "channel", "is_checked", "checked_level", "trashed_at")
Target = dict[str, Any]


def links_view(page: Any, request: HttpRequest, site_id: int) -> JsonResponse:
    """Return targets with all words of `q`, or those that the links `address` (several) name.

    The administrator finds public records of the site, and others that their lists show.
    """
    if not page.may_write_in(request, site_id):
        raise Http404
    try:
        tree = read_tree(site_id)
    except NotFound as error:
        raise Http404 from error
    if addresses := request.GET.getlist("address")[:_MOST_LINKS]:
        return JsonResponse({"targets": list(_named(page, request.user, tree, addresses))})
    text = request.GET.get("q", "").strip()[:MAX_QUERY]
    words = read_words(text)
    return JsonResponse({"targets": _found(page, request.user, tree, text, words) if words else []})


def _found(page: Any, user: Any, tree: Tree, text: str, words: Words) -> list[Target]:
    site_id = tree.site.pk
    # Names of channels have words alone.
    named = (
        one for one in tree.channels.values() if words == words.texts and not missing_in([one["channelName"]], words)
    )
    channels = list(islice(named, _SHOWN))
    files = chooser.found_by_words(page.writing_places, user, site_id, text, _SHOWN)
    return [
        *(_of_content(tree, content) for content in _contents(page, user, site_id, text, words)),
        *(_of_channel(tree, channel) for channel in channels),
        *(_target(file["address"], file["name"], _("File"), file["address"][1:]) for file in files),
    ]


def _contents(page: Any, user: Any, site_id: int, text: str, words: Words) -> list[Content]:
    asked = ListParams(site_id=site_id, words=words, query=text)
    places, sites = page.seen_places(user), (site_id,)
    whole = SearchedSites(sites, frozenset(sites))
    if places.covers_site(site_id):
        searches = [Search(asked, whole, _NEWEST)]
    else:
        own = SearchedSites(sites, frozenset(sites), places, tops_in(places, sites))
        searches = [Search(replace(asked, is_checked=True), whole, _NEWEST)]
        searches += [Search(asked, own, _NEWEST)] if places.touches_site(site_id) else []
    try:
        numbers = {number for search in searches for number in search.page(0, _READ).numbers}
    except TooSlow:
        return []
    rows = Content.objects.live().filter(pk__in=numbers, site=site_id).only(*_COLUMNS).order_by(*_NEWEST)
    return sorted(rows, key=lambda content: bool(missing_in([content.title], words)))[:_SHOWN]


def _named(page: Any, user: Any, tree: Tree, addresses: Iterable[str]) -> Iterator[Target]:
    """Yield the record of each link; of those that the administrator may not see, only that visitors do not, either."""
    names = {address: named for address in addresses if (named := _name_in(address))}
    ids = {pk for kind, pk in names.values() if kind == CONTENT}
    rows = Content.objects.filter(site=tree.site.pk, pk__in=ids).only(*_COLUMNS) if ids else []
    places = page.seen_places(user)
    contents = {content.pk: content for content in rows if _is_public(content) or page.is_in(places, content)}
    for address, (kind, pk) in names.items():
        if kind == CHANNEL and pk in tree.channels:
            yield _of_channel(tree, tree.channels[pk]) | {"address": address}
        elif kind == CONTENT and pk in contents:
            yield _of_content(tree, contents[pk]) | {"address": address}
        else:
            yield _target(address, "", _("Visitors cannot see it")) | {"isHidden": True}


def _name_in(address: str) -> Named | None:
    return named_in(address[2:]) if address.startswith("@/") else None


def _is_public(content: Content) -> bool:
    return content.is_checked and content.trashed_at is None


def _of_content(tree: Tree, content: Content) -> Target:
    state = _("In the trash") if content.trashed_at else "" if content.is_checked else str(state_of(content))
    channel = tree.channels.get(content.channel_id)
    path = _path(tree, channel) if channel else ""
    found = _target(address_by_id(CONTENT, content.pk), content.title, _("Content item"), path, state)
    return found | {"isHidden": not _is_public(content)}


def _of_channel(tree: Tree, channel: Record) -> Target:
    above = tree.channels.get(channel["parentId"])
    path = _path(tree, above) if above else ""
    return _target(address_by_id(CHANNEL, channel["id"]), channel["channelName"], _("Channel"), path)


def _path(tree: Tree, channel: Record) -> str:
    names = [each["channelName"] for each in (*tree.above(channel), channel)]
    return " / ".join(names[1:] or names)  # the home channel stands for the site


def _target(address: str, title: str, *facts: str) -> Target:
    return {"address": address, "title": title, "note": " · ".join(filter(None, facts)), "isHidden": False}
