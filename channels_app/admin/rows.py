"""The rows of the tree page: the home channel and whatever is open, in few statements whatever the size of the site."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from channels_app.models import Channel
from channels_app.tree import contents
from cms_api.admin.numbers import read_number

PORTION = 100  # channels of one parent, until more are asked for
FOUND = 100  # channels that a search shows
_MOST_OPEN = 200
_MOST_ROWS = 3000
_COLUMNS = ("pk", "channel_name", "index_name", "link_type", "parent_id", "parents_count", "parents_path")


@dataclass
class Row:
    """A channel as the page shows it."""

    channel: Channel
    place: int = 1  # among its siblings
    siblings: int = 1  # itself included
    is_open: bool = False
    contents: int = 0  # with those of the channels below it
    way: str = ""  # names of the channels above, of one that was searched for
    is_moving: bool = False  # or is below one that is

    @property
    def parent_id(self) -> int:
        """The parent's number; 0 at the top."""
        return self.channel.parent_id or 0

    @property
    def level(self) -> int:
        """How deep it stands; the home channel is 1."""
        return self.channel.parents_count + 1


@dataclass(frozen=True)
class More:
    """Stands for channels that are not shown yet, below the shown ones of the same parent."""

    parent_id: int
    level: int
    number: int
    shown: int  # how many are to be shown next

    @property
    def entry(self) -> str:
        """What asks for them, as `read_open` reads it."""
        return f"{self.parent_id}.{self.shown}"


def read_open(text: str) -> dict[int, int]:
    """Which channels are open, and how many of those below each are shown: `7,9.300`."""
    found: dict[int, int] = {}
    for each in text.split(",")[:_MOST_OPEN]:
        number, _point, shown = each.partition(".")
        if (pk := read_number(number)) is not None:
            found[pk] = min(max(read_number(shown) or PORTION, PORTION), _MOST_ROWS)
    return found


def write_open(opened: Mapping[int, int]) -> str:
    """The text that `read_open` reads."""
    return ",".join(str(pk) if shown == PORTION else f"{pk}.{shown}" for pk, shown in opened.items())


def all_open(site_id: int) -> dict[int, int]:
    """Every channel with others below it where all of the site's channels go into one portion; else the top."""
    rows = list(Channel.objects.in_site(site_id).values_list("pk", "children_count")[: PORTION + 1])
    if len(rows) > PORTION:
        return {site_id: PORTION}
    return {pk: PORTION for pk, children in rows if children}


def tree_rows(site_id: int, opened: Mapping[int, int], top_id: int = 0) -> list[Row | More]:
    """The home channel with what is open below it; with a `top_id` only what is open below that channel."""
    columns = _shown(Channel.objects.in_site(site_id))
    top = columns.filter(pk=top_id or site_id).first()
    if top is None:
        return []
    wanted = {**opened, top.pk: opened.get(top.pk, PORTION)} if top_id else opened
    rows = list(_walk(Row(top), wanted, _children(columns, wanted)))[: _MOST_ROWS + 1]
    _count([row for row in rows if isinstance(row, Row)])
    return rows[1:] if top_id else rows


def found_rows(site_id: int, words: str) -> list[Row]:
    """Channels by number, name or index name, in the order of the tree, with the names of those above them."""
    words = words.replace("\0", "").strip()
    by_name = Q(channel_name__icontains=words) | Q(index_name__icontains=words)
    if (number := read_number(words)) is not None:
        by_name |= Q(pk=number)
    rows = [Row(channel) for channel in _shown(Channel.objects.in_site(site_id)).filter(by_name)[:FOUND]]
    above = {int(pk) for row in rows for pk in row.channel.parents_path.split(",") if pk}
    names = dict(Channel.objects.filter(pk__in=above).values_list("pk", "channel_name"))
    for row in rows:
        row.way = " › ".join(names.get(int(pk), "") for pk in row.channel.parents_path.split(",") if pk)
    _count(rows)
    return rows


def above(site_id: int, numbers: list[int]) -> list[int]:
    """The channels that have to be open so that these are shown."""
    ways = Channel.objects.in_site(site_id).filter(pk__in=numbers).values_list("parents_path", flat=True)
    return sorted({int(pk) for way in ways for pk in way.split(",") if pk})


def mark_moving(rows: list[Row | More], moving: set[int]) -> None:
    """Mark the channels that are moved and those below them, where they cannot go."""
    for row in rows:
        if isinstance(row, Row):
            way = {int(pk) for pk in row.channel.parents_path.split(",") if pk}
            row.is_moving = bool(moving & (way | {row.channel.pk}))


def _shown(channels: QuerySet[Channel]) -> QuerySet[Channel]:
    return channels.only(*_COLUMNS, "children_count", "taxis", "site_id")


def _children(columns: QuerySet[Channel], opened: Mapping[int, int]) -> dict[int, list[Any]]:
    """The first channels below each that is open."""
    by_parent = Window(RowNumber(), partition_by=[F("parent_id")], order_by=[F("taxis").asc(), F("id").asc()])
    rows = columns.filter(parent_id__in=list(opened)).annotate(place=by_parent)
    found: dict[int, list[Any]] = {}
    for channel in rows.filter(place__lte=max(opened.values(), default=0)).order_by("taxis", "id"):
        found.setdefault(channel.parent_id or 0, []).append(channel)
    return {parent_id: channels[: opened[parent_id]] for parent_id, channels in found.items()}


def _walk(top: Row, opened: Mapping[int, int], children: Mapping[int, list[Any]]) -> Iterator[Row | More]:
    waiting: list[Row | More] = [top]
    while waiting:
        row = waiting.pop()
        yield row
        if isinstance(row, More):
            continue
        channel, below = row.channel, children.get(row.channel.pk, [])
        row.is_open = bool(below)
        number = max(channel.children_count, len(below))
        following: list[Row | More] = [Row(child, child.place, number) for child in below]
        if below and number > len(below):
            left = number - len(below)
            following.append(More(channel.pk, row.level + 1, left, len(below) + 5 * PORTION))
        waiting += following[::-1]


def _count(rows: list[Row]) -> None:
    numbers = contents().count_listed([row.channel.pk for row in rows])
    for row in rows:
        row.contents = numbers.get(row.channel.pk, 0)
