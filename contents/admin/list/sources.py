"""Candidate sets for the filters of the admin's list of contents.

Most filters are an index range as well as a condition. Pages of small results are read from the smallest of these
sets; for large results the list's order is walked and rows are checked against the conditions.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, QuerySet

from channels_app.models import Channel, ChannelAncestor
from contents.admin.list.params import ListParams
from contents.flags import ListKind
from contents.lists.found import in_places, in_titles
from contents.lists.ranges import LISTED, counted, in_list, numbers_of, ranges_of
from contents.models import ContentGroup, ContentTag
from contents.sql_fragments import SqlFragment, among, concatenate, join
from core.admin.places import EVERYWHERE, Places
from search.query import Match, match

ROW = "contents_content"
_MAX_ONE_BY_ONE = 100  # lists read by an index range each; SQLite allows 500 terms of a compound SELECT


@dataclass(frozen=True)
class Source:
    """SQL for the `id` of contents that match the filters in `answers`, also with `last_edit_date` if free, and its
    count."""

    numbers: SqlFragment
    count: SqlFragment
    answers: frozenset[str]
    dated: SqlFragment | None = None


@dataclass(frozen=True)
class SearchedSites:
    """The sites that are searched; empty: all, too many to list."""

    sites: tuple[int, ...] = ()
    own: frozenset[int] | None = None  # the sites visible to the administrator; None: all
    places: Places = EVERYWHERE
    tops: tuple[int, ...] = ()  # of `top_ids`, if only branches of some sites are visible

    @property
    def is_named(self) -> bool:
        return bool(self.sites)

    @property
    def limits(self) -> Collection[int] | None:
        return self.sites or self.own


class Owners(NamedTuple):
    """Lists of ListedContent: channels with all below them, groups, or tags."""

    kind: ListKind
    numbers: Sequence[int]


def top_ids(places: Places) -> frozenset[int] | None:
    """The channels whose lists make up the places, home channels for whole sites, none below another; None: all."""
    if places.everywhere:
        return None
    if not places.branch_ids:
        return places.site_ids
    found = places.site_ids | places.branch_ids
    links = ChannelAncestor.objects.filter(channel__in=places.branch_ids, ancestor__in=found)
    return found.difference(links.exclude(channel=F("ancestor")).values_list("channel_id", flat=True))


def tops_in(places: Places, sites: Collection[int]) -> tuple[int, ...]:
    """`top_ids` of these sites, or nothing if they are covered as a whole."""
    if all(map(places.covers_site, sites)):
        return ()
    found = Channel.objects.filter(pk__in=top_ids(places) or (), site__in=sites)
    return tuple(found.order_by("pk").values_list("pk", flat=True)) or (0,)


def within(places: Places) -> list[SqlFragment]:
    """The condition on contents_content for `Places.covers`."""
    if places.everywhere:
        return []
    parts = [among(f"{ROW}.site_id", sorted(places.site_ids))]
    if places.branch_ids:
        above = among("ancestor_id", sorted(places.branch_ids))
        below = f"SELECT channel_id FROM channels_app_channelancestor WHERE {above.sql}"
        parts.append(SqlFragment(f"{ROW}.channel_id IN ({below})", above.params))
    return [join(parts, " OR ")]


def owners_of(asked: ListParams, place: SearchedSites) -> list[Owners]:
    """The lists that contain the matches, by kind; a match is in one list of each kind."""
    rows: dict[ListKind, QuerySet[Any]] = {}
    if asked.channel_id is not None:
        rows[ListKind.CHANNEL] = place.places.narrow(Channel.objects.filter(pk=asked.channel_id), "site", "")
    if asked.group:
        rows[ListKind.GROUP] = ContentGroup.objects.filter(group_name=asked.group)
    if asked.tag:
        rows[ListKind.TAG] = ContentTag.objects.filter(tag_name=asked.tag)
    if not rows and place.is_named and not place.tops:
        return [Owners(ListKind.CHANNEL, place.sites)]
    own = {} if place.limits is None else {"site__in": place.limits}
    tops = [Owners(ListKind.CHANNEL, place.tops)] if place.tops and ListKind.CHANNEL not in rows else []
    lists = [Owners(kind, list(found.filter(**own).values_list("pk", flat=True))) for kind, found in rows.items()]
    return tops + lists


def flags_of(asked: ListParams) -> dict[str, bool]:
    return dict(asked.flags) | ({} if asked.is_checked is None else {"is_checked": asked.is_checked})


def found_by_words(asked: ListParams, place: SearchedSites) -> Match | None:
    """Return the contents with the words of the search; None without words, and while the index is built."""
    return match("content", asked.words, place.limits) if asked.words.is_in_index else None


def conditions_of(
    asked: ListParams, place: SearchedSites, owners: Sequence[Owners], found: Match | None
) -> dict[str, SqlFragment]:
    """Conditions on contents_content by filter name, except the one on the trash."""
    flags = [SqlFragment(f"{ROW}.{flag} = {'TRUE' if on else 'FALSE'}") for flag, on in flags_of(asked).items()]
    parts = {"flags": flags, "added": between(f"{ROW}.add_date", asked.added)}
    parts["edited"] = between(f"{ROW}.last_edit_date", asked.edited)
    if asked.levels:
        parts["levels"] = [SqlFragment(f"{ROW}.checked_level IN ({', '.join(map(str, asked.levels))})")]
    for lists in owners:
        # Others are whole sites, which are the place.
        if lists.kind is not ListKind.CHANNEL or asked.channel_id is not None or place.tops:
            # A scalar sub-query: the planner would turn EXISTS into a scan of the whole list. It expects many matches
            # of `<>`, and few matches are found in another way.
            listed = in_any(lists)
            of_row = f"SELECT 1 FROM {LISTED} WHERE l.content_id = {ROW}.id AND {listed.sql} LIMIT 1"
            parts[lists.kind.name] = [SqlFragment(f"COALESCE(({of_row}), 0) <> 0", listed.params)]
    if asked.author:
        parts["author"] = [_by_author(asked.author)]
    if asked.words:
        in_index = [SqlFragment(*found.condition(f"{ROW}.id"))] if found else None
        parts["words"] = in_index or in_titles(asked.words, asked.query, f"{ROW}.title")
        parts["places"] = in_places(asked.words, ROW, place.limits)
    return {name: join(conditions) for name, conditions in parts.items() if conditions}


def _by_author(name: str) -> SqlFragment:
    # The second term makes the partial index usable.
    return SqlFragment(f"{ROW}.author = %s AND NOT ({ROW}.author = '')", (name,))


def place_condition(place: SearchedSites) -> list[SqlFragment]:
    return [] if place.limits is None else [among(f"{ROW}.site_id", sorted(place.limits))]


def owned(owners: Owners) -> list[SqlFragment]:
    """A condition per list, or a single one for many lists, on ListedContent and ListedCount."""
    if len(owners.numbers) > _MAX_ONE_BY_ONE:
        numbers = among("owner_id", owners.numbers)
        return [SqlFragment(f"kind = {owners.kind.value} AND {numbers.sql}", numbers.params)]
    return [in_list(owners.kind, number) for number in owners.numbers] or [SqlFragment("1 = 0")]


def in_any(owners: Owners) -> SqlFragment:
    lists = join(owned(owners), " OR ")
    return SqlFragment(f"({lists.sql})", lists.params)


def between(column: str, span: tuple[datetime | None, datetime | None]) -> list[SqlFragment]:
    found = []
    for comparison, when in zip((">=", "<"), span, strict=True):
        if when is not None:
            stored = connection.ops.adapt_datetimefield_value(when) if connection.vendor == "sqlite" else when
            found.append(SqlFragment(f"{column} {comparison} %s", (stored,)))
    return found


# ---- sets


def sources_of(
    asked: ListParams,
    place: SearchedSites,
    owners: Sequence[Owners],
    limit: int,
    found: Match | None = None,
    estimated: int | None = None,
) -> Iterator[Source]:
    """Yield the candidate sets that are index ranges; `estimated` replaces the count of the words."""
    for lists in owners:
        yield _listed(lists, asked)
    if found:
        numbers = SqlFragment(*found.ids())
        counted = _bounded(numbers, limit) if estimated is None else SqlFragment(f"SELECT {int(estimated)}")
        yield Source(numbers, counted, frozenset({"words"}))
    for name, ranges in _ranges(asked, place):
        numbers, dated = _union(ranges), _union(ranges, more=f", {ROW}.last_edit_date")
        yield Source(numbers, _bounded(numbers, limit), frozenset({name}), dated)
    if any(asked.added) and owners and place.is_named:
        fewest = min(owners, key=lambda lists: len(lists.numbers))
        listed = _listed(fewest, asked, between("l.add_date", asked.added))
        yield Source(listed.numbers, _bounded(listed.numbers, limit), listed.answers | {"added"})


def _ranges(asked: ListParams, place: SearchedSites) -> Iterator[tuple[str, list[SqlFragment]]]:
    # Each uses an index that ends with last_edit_date and id.
    if not place.is_named:
        return
    present = f"{ROW}.trashed_at IS NULL"
    per_site = [SqlFragment(f"{ROW}.site_id = {site_id} AND {present}") for site_id in place.sites]
    if asked.levels:
        levels = [f" AND {at_level(level)}" for level in asked.levels]
        yield "levels", [SqlFragment(site.sql + level) for site in per_site for level in levels]
    if asked.author:
        yield "author", [concatenate(" AND ", [site, _by_author(asked.author)]) for site in per_site]
    if any(asked.edited):
        span = between(f"{ROW}.last_edit_date", asked.edited)
        yield "edited", [concatenate(" AND ", [site, *span]) for site in per_site]


def at_level(level: int) -> str:
    """Match unapproved rows of the level, in the form that lets SQLite use its partial index."""
    return f"{ROW}.checked_level = {level} AND NOT {ROW}.is_checked"


def _union(ranges: list[SqlFragment], *, more: str = "") -> SqlFragment:
    return concatenate(
        " UNION ALL ", [SqlFragment(f"SELECT {ROW}.id{more} FROM {ROW} WHERE {r.sql}", r.params) for r in ranges]
    )


def _listed(owners: Owners, asked: ListParams, more: Sequence[SqlFragment] = ()) -> Source:
    further = concatenate("", [SqlFragment(f" AND {one.sql}", one.params) for one in more])
    flags = flags_of(asked)
    numbers = numbers_of(ranges_of(owned(owners), flags, more=further))
    return Source(numbers, counted(in_any(owners), flags), frozenset({"flags", owners.kind.name}))


def _bounded(numbers: SqlFragment, limit: int) -> SqlFragment:
    return SqlFragment(
        f"SELECT COUNT(*) FROM (SELECT 1 FROM ({numbers.sql}) found LIMIT {limit + 1}) counted", numbers.params
    )
