"""`/search`: the contents of a site that have the words of a query."""

from collections.abc import Iterable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.models import Channel, channel_not_found
from contents.api.query import read_query, window_of
from contents.lists.facets import FACETS, read_facets
from contents.lists.found import FoundPage, did_you_mean, find, read_found, read_suggestions, read_titled
from contents.lists.fragments import OF_LISTS, Fragment, read_fragments
from contents.lists.page import select
from contents.rules.sql import Rules
from contents.searching import MOST_MARKED, Highlight, highlights
from contents.sql_fragments import SqlFragment, among
from core.lib.errors import InvalidInput
from core.rest.conditional import compare
from core.rest.fields import invalid, read_integer
from core.rest.json import Body
from core.rest.names import raise_if_two_spellings
from core.rest.pagination import page_members
from core.rest.views import ApiView
from search.words import Words, read_words
from sites.models import require_site

_PARAMETERS = frozenset({"q", "siteid", "channelid", "cursor", "facets"})
_CACHED = "private, max-age=60"


class SearchView(ApiView):
    """`GET /search`"""

    required_scope = "Contents"

    def get(self, request: Request) -> Response:
        sent = _read_parameters(request)
        site_id, words = _read_site(self, sent), _read_words(sent)
        window, rules, facets = window_of(request), Rules(site_id), _facets_of(sent)
        asked = read_query(request, window, rules, site_id, _channel_of(sent, site_id), of_search=_PARAMETERS)
        asked.query, asked.cursor = sent["q"], _cursor_of(sent, request)
        selection = select(rules, asked.fields)
        search = find(words, asked, rules) if words else None
        if search is not None:
            page = read_found(search, asked)
        else:  # nothing is sought, or the index is built
            page = read_titled(words, asked, rules) if words else FoundPage(0, [])
        chosen = among("c.id", page.ids)
        if asked.checked:  # it may have changed since the search
            chosen = SqlFragment(f"{chosen.sql} AND c.is_checked", chosen.params)
        fragments = read_fragments(chosen.sql, chosen.params, OF_LISTS, selection) if page.ids else {}
        marked = highlights(list(fragments)[:MOST_MARKED], words.texts, is_public=asked.checked is True)
        shown = [number for number in page.ids if number in fragments]
        records = [_record(fragments[number], marked.get(number, ())) for number in shown]
        members: dict[str, Any] = {"count": page.total}
        if asked.cursor is None:
            members = page_members(request, window, page.total)
        else:
            members["nextCursor"] = page.next_cursor
        members["isCountExact"] = page.is_exact
        if facets and search is not None:
            members["facets"] = read_facets(search, facets)
        if search is not None and not (page.total or asked.cursor or asked.offset):
            members |= {"didYouMean": text} if (text := did_you_mean(search, asked, rules)) else {}
        pieces = [[(each.member, each.text, each.places) for each in marked.get(number, ())] for number in shown]
        compare(request, "search", [fragments[number].digest for number in shown], pieces, members)
        return Response(Body(value=records, **members))


class SuggestionsView(ApiView):
    """`GET /search/suggestions`"""

    required_scope = "Contents"

    def get(self, request: Request) -> Response:
        sent = _read_parameters(request)
        site_id, words = _read_site(self, sent), read_words(_required(sent, "q"))
        found = read_suggestions(words, site_id)
        records = [{"id": each.pk, "channelId": each.channel_id, "title": each.title} for each in found]
        compare(request, "suggestions", records)
        return Response(Body(value=records), headers={"Cache-Control": _CACHED})


def _read_parameters(request: Request) -> dict[str, str]:
    """Return the parameters of the search by folded name."""
    sent = [name for name in request.query_params if name.casefold() in _PARAMETERS]
    raise_if_two_spellings(sent)
    return {name.casefold(): str(request.query_params[name]) for name in sent}


def _read_site(view: ApiView, sent: dict[str, str]) -> int:
    site_id = read_integer(_required(sent, "siteId"), "siteId")
    view.grant.require_site(site_id)
    require_site(site_id, "siteId")
    return site_id


def _read_words(sent: dict[str, str]) -> Words:
    return read_words(_required(sent, "q"), has_places=True)


def _required(sent: dict[str, str], name: str) -> str:
    if not (text := sent.get(name.casefold(), "")):
        raise InvalidInput("missing_member", f"{name} is required.", member=name)
    return text


def _channel_of(sent: dict[str, str], site_id: int) -> int | None:
    channel_id = read_integer(sent["channelid"], "channelId") if sent.get("channelid") else 0
    if channel_id and not Channel.objects.in_site(site_id).filter(pk=channel_id).exists():
        raise channel_not_found(site_id, channel_id, "channelId")
    return channel_id or None


def _cursor_of(sent: dict[str, str], request: Request) -> str | None:
    cursor = sent.get("cursor")
    if cursor is not None and any(name.casefold() == "skip" for name in request.query_params):
        message = "The request has both skip and cursor; send one of them."
        raise InvalidInput("invalid_cursor", message, member="cursor")
    return cursor


def _facets_of(sent: dict[str, str]) -> list[str]:
    names = [name for name in map(str.strip, sent.get("facets", "").casefold().split(",")) if name]
    if not set(names) <= set(FACETS):
        raise invalid("facets", f"one or more of {', '.join(FACETS)}, separated by commas")
    return list(dict.fromkeys(names))


def _record(fragment: Fragment, marked: Iterable[Highlight]) -> dict[str, Any]:
    pieces = [
        {"member": each.member, "text": each.text, "marked": each.marked, "positions": each.places} for each in marked
    ]
    return {"content": fragment.json, "highlights": pieces}
