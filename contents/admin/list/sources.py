"""Where the contents of a filter stand: sets of which the smallest is read when it is small.

Each filter of the list is one condition on contents, and most are a range of an index besides. A page of a large
result is found by walking the order of the list and looking at the conditions; one of a small result by reading the
smallest of these sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from channels_app.models import Channel
from contents.admin.list.params import Asked
from contents.conditions import Condition, among, concatenate, join
from contents.flags import ListKind
from contents.lists.ranges import LISTED, counted, in_list, numbers_of, ranges_of
from contents.models import ContentGroup, ContentTag
from contents.search import query

ROW = "contents_content"
_MOST_ONE_BY_ONE = 100  # lists that are read each by its own range of an index; SQLite takes 500 ranges at most


@dataclass(frozen=True)
class Source:
    """Numbers of present contents of the place as rows `id`, and the statement that counts them, perhaps up to a limit.

    What it `answers` are the filters that all of them match, by their names in `conditions_of`. `dated` are the same
    rows with `last_edit_date`, where that is read at no cost.
    """

    numbers: Condition
    count: Condition
    answers: frozenset[str]
    dated: Condition | None = None


@dataclass(frozen=True)
class Place:
    """The sites in whose contents is sought; none: in those of every site, which are too many to name."""

    sites: tuple[int, ...] = ()
    own: frozenset[int] | None = None  # the only ones that the administrator sees
    is_everything: bool = False  # no content stands elsewhere

    @property
    def is_named(self) -> bool:
        """Whether the sites are few enough to be read one by one."""
        return bool(self.sites)


@dataclass(frozen=True)
class Owner:
    """A list of ListedContent: of a channel with all below it, of a group or of a tag."""

    kind: ListKind
    owner_id: int


def owners_of(asked: Asked, place: Place) -> list[list[Owner]]:
    """The lists that hold what is asked for: in each inner list in one of them, in every inner list at once."""
    found: list[list[Owner]] = []
    if asked.channel_id is not None:
        channels = Channel.objects.filter(pk=asked.channel_id)
        found.append([Owner(ListKind.CHANNEL, pk) for pk in _in_place(channels, place)])
    if asked.group:
        rows = ContentGroup.objects.filter(group_name=asked.group)
        found.append([Owner(ListKind.GROUP, pk) for pk in _in_place(rows, place)])
    if asked.tag:
        tags = ContentTag.objects.filter(tag_name=asked.tag)
        found.append([Owner(ListKind.TAG, pk) for pk in _in_place(tags, place)])
    if not found and place.is_named:
        found.append([Owner(ListKind.CHANNEL, site_id) for site_id in place.sites])
    return found


def _in_place(rows: object, place: Place) -> list[int]:
    if place.is_named:
        rows = rows.filter(site__in=place.sites)  # type: ignore[attr-defined]
    elif place.own is not None:
        rows = rows.filter(site__in=place.own)  # type: ignore[attr-defined]
    return list(rows.values_list("pk", flat=True))  # type: ignore[attr-defined]


def flags_of(asked: Asked) -> dict[str, bool]:
    """The flags that lists know, approval among them."""
    return dict(asked.flags) | ({} if asked.is_checked is None else {"is_checked": asked.is_checked})


def conditions_of(asked: Asked, place: Place, owners: Sequence[Sequence[Owner]]) -> dict[str, Condition]:
    """What a row of contents_content must be, besides being present, by the names of filters."""
    flags = [Condition(f"{ROW}.{flag} = {'TRUE' if on else 'FALSE'}") for flag, on in flags_of(asked).items()]
    found = {"flags": flags, "added": between(f"{ROW}.add_date", asked.added)}
    found["edited"] = between(f"{ROW}.last_edit_date", asked.edited)
    if asked.levels:
        found["levels"] = [Condition(f"{ROW}.checked_level IN ({', '.join(map(str, asked.levels))})")]
    for any_of in owners:
        if not _is_place(any_of, asked):
            found[_name_of(any_of)] = [_listed_in(any_of)]
    if asked.author:
        found["author"] = [Condition(f"{ROW}.author = %s AND NOT ({ROW}.author = '')", (asked.author,))]
    if asked.words:
        found["words"] = [query.condition_of(asked.words)]
    return {name: join(conditions) for name, conditions in found.items() if conditions}


def _name_of(owners: Sequence[Owner]) -> str:
    return owners[0].kind.name if owners else "nothing"


def _is_place(owners: Sequence[Owner], asked: Asked) -> bool:
    return asked.channel_id is None and bool(owners) and owners[0].kind is ListKind.CHANNEL


def place_condition(place: Place) -> list[Condition]:
    """That a row belongs to the sites."""
    if place.is_named:
        return [among(f"{ROW}.site_id", place.sites)]
    return [] if place.own is None else [among(f"{ROW}.site_id", sorted(place.own))]


def _listed_in(owners: Sequence[Owner]) -> Condition:
    # A sub-query for one value: as EXISTS it would be turned round, and the whole list read.
    listed = in_any(owners)
    return Condition(
        f"COALESCE((SELECT 1 FROM {LISTED} WHERE l.content_id = {ROW}.id AND {listed.sql} LIMIT 1), 0) = 1",
        listed.params,
    )


def owned(owners: Sequence[Owner]) -> list[Condition]:
    """That a row of a list, or of its count, is one of these lists': one condition each, or one for many of a kind."""
    if len(owners) <= _MOST_ONE_BY_ONE:
        return [in_list(owner.kind, owner.owner_id) for owner in owners] or [Condition("1 = 0")]
    kinds = {kind: [owner.owner_id for owner in owners if owner.kind is kind] for kind in ListKind}
    found = [(kind, among("owner_id", numbers)) for kind, numbers in kinds.items() if numbers]
    return [Condition(f"kind = {kind.value} AND {numbers.sql}", numbers.params) for kind, numbers in found]


def in_any(owners: Sequence[Owner]) -> Condition:
    """The same as one condition."""
    lists = join(owned(owners), " OR ")
    return Condition(f"({lists.sql})", lists.params)


def between(column: str, span: tuple[datetime | None, datetime | None]) -> list[Condition]:
    """That the column lies in the span."""
    first, end = span
    found = [Condition(f"{column} >= %s", (moment(first),))] if first else []
    return [*found, *([Condition(f"{column} < %s", (moment(end),))] if end else [])]


def moment(when: datetime) -> object:
    """As the engine stores it."""
    return connection.ops.adapt_datetimefield_value(when) if connection.vendor == "sqlite" else when


# ---- sets


def sources_of(
    asked: Asked, place: Place, owners: Sequence[Sequence[Owner]], limit: int, estimated: int | None = None
) -> Iterator[Source]:
    """The sets that are ranges of an index, each holding all that is asked for; counted up to the limit.

    `estimated` is how many contents have the words, where counting them would read them all.
    """
    for any_of in owners:
        yield _listed(any_of, asked)
    if asked.words:
        others = [] if place.is_everything else place_condition(place)
        numbers = query.numbers_of(asked.words, others)
        counted = _bounded(numbers, limit) if estimated is None else Condition(f"SELECT {int(estimated)}")
        is_of_rows = connection.vendor == "postgresql"
        dated = query.numbers_of(asked.words, others, more=f", {ROW}.last_edit_date") if is_of_rows else None
        yield Source(numbers, counted, frozenset({"words"}), dated)
    for name, ranges in _ranges(asked, place):
        numbers, dated = _union(ranges), _union(ranges, more=f", {ROW}.last_edit_date")
        yield Source(numbers, _bounded(numbers, limit), frozenset({name}), dated)
    if any(asked.added) and owners and place.is_named:
        listed = _listed(min(owners, key=len), asked, between("l.add_date", asked.added))
        yield Source(listed.numbers, _bounded(listed.numbers, limit), listed.answers | {"added"})


def _ranges(asked: Asked, place: Place) -> Iterator[tuple[str, list[Condition]]]:
    # Each of an index that ends with last_edit_date and id.
    if not place.is_named:
        return
    present = f"{ROW}.trashed_at IS NULL"
    per_site = [Condition(f"{ROW}.site_id = {site_id} AND {present}") for site_id in place.sites]
    if asked.levels:
        levels = [f" AND {at_level(level)}" for level in asked.levels]
        yield "levels", [Condition(site.sql + level) for site in per_site for level in levels]
    if asked.author:
        author = Condition(f" AND {ROW}.author = %s AND NOT ({ROW}.author = '')", (asked.author,))
        yield "author", [concatenate("", [site, author]) for site in per_site]
    if any(asked.edited):
        span = between(f"{ROW}.last_edit_date", asked.edited)
        yield "edited", [concatenate(" AND ", [site, *span]) for site in per_site]


def at_level(level: int) -> str:
    """That a row is not approved and stands at the level, so written that SQLite finds it in the index of those."""
    return f"{ROW}.checked_level = {level} AND NOT {ROW}.is_checked"


def _union(ranges: list[Condition], *, more: str = "") -> Condition:
    return concatenate(
        " UNION ALL ", [Condition(f"SELECT {ROW}.id{more} FROM {ROW} WHERE {r.sql}", r.params) for r in ranges]
    )


def _listed(owners: Sequence[Owner], asked: Asked, more: Sequence[Condition] = ()) -> Source:
    """The contents of lists, narrowed by flags, of which there are indexes and exact counts."""
    further = concatenate("", [Condition(f" AND {one.sql}", one.params) for one in more])
    flags = flags_of(asked)
    numbers = numbers_of(ranges_of(owned(owners), flags, more=further))
    return Source(numbers, counted(in_any(owners), flags), frozenset({"flags", _name_of(owners)}))


def _bounded(numbers: Condition, limit: int) -> Condition:
    return Condition(
        f"SELECT COUNT(*) FROM (SELECT 1 FROM ({numbers.sql}) found LIMIT {limit + 1}) counted", numbers.params
    )
