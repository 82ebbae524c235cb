"""The contents that a search finds, in pages, best first."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Max, QuerySet
from django.utils import timezone

from channels_app.models import Channel
from contents.lists.cursor import read_values, write_values
from contents.lists.page import conditions_of, limited
from contents.lists.request import ListRequest
from contents.models import Content
from contents.rules.sql import TABLES, Rules
from contents.sql_fragments import SqlFragment, among, fetch, join, negate
from contents.wire.name_list import split_names
from core.lib.errors import InvalidInput
from core.rest.fields import INT64_MAX
from search.query import Match, match
from search.ranking import MOST_COUNTED, Candidate, Scale, Search, facts_in, facts_of
from search.spelling import correct
from search.words import Words, name_of, read_words, texts_of
from sites.models import Site

SUGGESTIONS = 8
_MOST_COMPARED = 50  # contents, of which these are the best
_SHORT = 3  # characters of a beginning that many titles have
_SLOW, _FEWER = "The search takes longer than {} seconds", "words or filters"


@dataclass(frozen=True)
class FoundPage:
    total: int  # if not exact, there are more
    ids: list[int]  # best first
    next_cursor: str | None = None
    is_exact: bool = True


@dataclass(frozen=True)
class _Place:
    """Where a page begins: after the last content of the page before."""

    at: datetime  # of the first page; contents grow old only from one search to the next
    last_number: int | None  # contents with higher ids came later
    score: float | None = None  # of that content; None if it was not ranked
    number: int = 0  # its id, or that of its entry if it was not ranked


def find(words: Words, request: ListRequest, rules: Rules) -> Search | None:
    """Return the search with the filters of a list; None while the index is built."""
    is_public = request.checked is True
    if (found := match("content", words, [request.site_id], is_public=is_public)) is None:
        return None
    places = in_places(words, "c", [request.site_id])
    is_whole = request.is_whole_site and not (request.has_names or places)
    if is_whole and is_public and len(request.flags) == 1:
        return Search(found)
    condition = join([conditions_of(request, rules), *places])
    return Search(found, f" JOIN ({TABLES}) ON c.id = e.subject_id", condition.sql, condition.params)


def in_places(words: Words, row: str, site_ids: Collection[int] | None) -> list[SqlFragment]:
    """Return the conditions on contents for `site:…`, the name or folder of a site, and `in:…`, that of a channel with
    all below it."""
    conditions = []
    for asked, is_wanted in ((words, True), (words.without or Words(), False)):
        if asked.sites:
            named = among(f"{row}.site_id", _named(Site.objects.all(), asked.sites, "site_name", "site_dir"))
            conditions.append(named if is_wanted else negate(named))
        if asked.channels:
            channels = Channel.objects.filter(trashed_at=None)
            channels = channels if site_ids is None else channels.filter(site__in=site_ids)
            above = among("ancestor_id", _named(channels, asked.channels, "channel_name", "index_name"))
            below = f"SELECT channel_id FROM channels_app_channelancestor WHERE {above.sql}"
            conditions.append(
                SqlFragment(f"{row}.channel_id {'IN' if is_wanted else 'NOT IN'} ({below})", above.params)
            )
    return conditions


def _named(rows: QuerySet[Any], names: Iterable[str], *columns: str) -> list[int]:
    wanted = {name_of(name) for name in names} - {""}
    return [number for number, *found in rows.values_list("pk", *columns) if wanted.intersection(map(name_of, found))]


def read_found(search: Search, request: ListRequest) -> FoundPage:
    """Return the page of the request. Raises InvalidInput, also after CMS_STATEMENT_SECONDS."""
    if request.cursor is None:
        return read_ranked(search, request.offset, request.limit)
    with limited(_SLOW, _FEWER):
        return _by_cursor(search, request)


def read_ranked(search: Search, skip: int, top: int, seconds: float | None = None) -> FoundPage:
    """Return some of the matches. Raises InvalidInput, also after CMS_STATEMENT_SECONDS or `seconds`."""
    with limited(_SLOW, _FEWER, seconds):
        return _by_number(search, skip, top)


def read_titled(words: Words, request: ListRequest, rules: Rules) -> FoundPage:
    """Return the page while the index is built: contents with the words in the title, newest first."""
    if request.cursor is not None:
        message = "The index of words is being built: use skip instead of a cursor, or try again later."
        raise InvalidInput("invalid_cursor", message, member="cursor")
    places = in_places(words, "c", [request.site_id])
    found = join([conditions_of(request, rules), *places, *in_titles(words, request.query, "c.title")])
    sql = f"SELECT c.id FROM {TABLES} WHERE {found.sql} ORDER BY c.id DESC LIMIT {request.limit} OFFSET %s"
    with limited(_SLOW, _FEWER):
        ((total,),) = fetch(f"SELECT COUNT(*) FROM {TABLES} WHERE {found.sql}", found.params)
        return FoundPage(total, [number for (number,) in fetch(sql, (*found.params, request.offset))])


def in_titles(words: Words, query: str, column: str) -> list[SqlFragment]:
    """Return the conditions for a query until the index is built; only its places and wanted words are known."""
    if words.is_in_index and not words.texts:
        return [SqlFragment("1 = 0")]
    position = "strpos" if connection.vendor == "postgresql" else "instr"
    return [SqlFragment(f"{position}(lower({column}), lower(%s)) > 0", (text,)) for text in texts_of(query)]


def did_you_mean(search: Search, request: ListRequest, rules: Rules) -> str | None:
    """Return the query of a search that finds nothing with corrected words; None if that finds nothing either."""

    def first_of(query: str) -> int | None:
        corrected = find(read_words(query, has_places=True), request, rules)
        if corrected is None:
            return None
        with limited(_SLOW, _FEWER):
            return next(iter([*corrected.newer(), *(number for _, number in corrected.newest(1))]), None)

    try:
        return correct(search.match, request.query, first_of, has_places=True)
    except InvalidInput:  # takes too long
        return None


def read_suggestions(
    words: Words, site_id: int, seconds: float | None = None, channel_ids: Collection[int] | None = None
) -> list[Content]:
    """Return approved contents with the words in their titles, best first, each title once.

    Raises InvalidInput after CMS_STATEMENT_SECONDS or `seconds`.
    """
    if not words.texts or (found := match("content", words, [site_id], is_public=True)) is None:
        return []
    search = Search(found)
    if channel_ids is not None:
        chosen = among("c.channel_id", channel_ids)
        search = Search(found, " JOIN contents_content c ON c.id = e.subject_id", chosen.sql, chosen.params)
    with limited(_SLOW, _FEWER, seconds):
        newest = search.titled(_MOST_COMPARED, is_common=all(len(text) <= _SHORT for text in words.together))
        newest += sorted(search.newer())[-_MOST_COMPARED:]
    titled = Content.objects.live().filter(site=site_id, is_checked=True, pk__in=newest)
    best: dict[str, tuple[float, int, Content]] = {}
    scale = Scale(words, timezone.now())
    for content in titled.only("title", "channel", "add_date"):
        candidate = Candidate(content.pk, content.title, (), content.add_date, 0, has_phrase=False)
        if scale.has_all_in_title(candidate):
            ranked = (scale.score(candidate), content.pk, content)
            best[content.title] = max(best.get(content.title, ranked), ranked)
    return [content for *_, content in sorted(best.values(), reverse=True)[:SUGGESTIONS]]


def _by_number(search: Search, skip: int, top: int) -> FoundPage:
    total, ranked = _ranked(search, timezone.now())
    ids = [number for _, number in ranked]
    page = ids[skip : skip + top]
    if len(page) < top and len(ids) < total:
        rest = search.newest(top - len(page), without=ids, skip=max(skip - len(ids), 0))
        page += [number for _, number in rest]
    return _page_of(total, page)


def _by_cursor(search: Search, request: ListRequest) -> FoundPage:
    place = _read_place(request)
    search = replace(search, last_number=place.last_number)
    total, ranked = _ranked(search, place.at)
    ids = [number for _, number in ranked]
    page: list[tuple[float | None, int, int]] = []  # score, number of the place, id
    if place.score is not None or not request.cursor:
        after = (place.score, place.number) if request.cursor else (float("inf"), 0)
        page = [(points, number, number) for points, number in ranked if (points, number) < after]
    if len(page) <= request.limit and len(ids) < total:
        last = None if page or place.score is not None or not request.cursor else place.number - 1
        rest = search.newest(request.limit + 1 - len(page), without=ids, last_entry=last)
        page += [(None, entry, number) for entry, number in rest]
    next_cursor = None
    if len(page) > request.limit:
        points, number, _ = page[request.limit - 1]
        values = [place.at.isoformat(), place.last_number, points, number]
        next_cursor = write_values(request, values)
    return _page_of(total, [number for _, _, number in page[: request.limit]], next_cursor)


def _page_of(total: int, ids: list[int], next_cursor: str | None = None) -> FoundPage:
    return FoundPage(min(total, MOST_COUNTED), ids, next_cursor, total <= MOST_COUNTED)


def _read_place(request: ListRequest) -> _Place:
    place = read_values(request, _place_of)
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return place or _Place(today, Content.objects.aggregate(last=Max("pk"))["last"])


def _place_of(values: list[Any]) -> _Place:
    at, last_number, points, number = values
    if (at := datetime.fromisoformat(at)).tzinfo is not None:
        raise ValueError(at)
    if not (_is_id(number) and (last_number is None or _is_id(last_number))):
        raise ValueError(values)
    return _Place(at, last_number, points if points is None else float(points), number)


def _ranked(search: Search, now: datetime) -> tuple[int, list[tuple[float, int]]]:
    """Return the number of matches, exactly up to MOST_COUNTED, and (score, id) of the ranked ones, best first."""
    total, newest = search.first()
    newer = search.newer()
    numbers = {*newest, *newer}
    if len(newest) < total:
        numbers.update(search.titled(is_common=total > MOST_COUNTED))
    scale = Scale(search.match.words, now)
    found = [(scale.score(each), each.id) for each in _candidates(search.match, numbers)]
    return total + len(newer), sorted(found, reverse=True)


def _candidates(match: Match, numbers: Iterable[int]) -> Iterable[Candidate]:
    facts, values = facts_of(match.words)
    chosen = among("c.id", sorted(numbers))
    rows = fetch(
        f"SELECT c.id, c.title, c.tags, c.add_date, {facts} FROM contents_content c LEFT JOIN search_searchentry e "
        f"ON e.kind = %s AND e.subject_id = c.id WHERE {chosen.sql}",
        (*values, match.kind, *chosen.params),
    )
    for number, title, tags, date, hits, has_phrase in rows:
        if number in match.found:  # its entry is missing or out of date
            hits, has_phrase = facts_in(match.found[number], match.words)
        added = date if isinstance(date, datetime) else datetime.fromisoformat(date)
        yield Candidate(number, title, split_names(tags), added, float(hits), bool(has_phrase))


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and 0 < value <= INT64_MAX
