"""Rows of the tree page, in a few statements for any size of site."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.urls import reverse

from channels_app.models import Channel, ChannelAncestor
from channels_app.tree import contents
from core.admin.numbers import read_number
from core.admin.places import Places
from media_library.covers import Picture, covers_of

BATCH_SIZE = 100  # channels of one parent shown at first
FOUND = 100  # channels shown by a search
_MAX_OPEN = 200
_MAX_ROWS = 3000
_COLUMNS = ("pk", "channel_name", "index_name", "image_url", "link_type", "parent_id", "parents_count", "parents_path")


@dataclass
class Row:
    channel: Channel
    place: int = 1  # among its siblings
    siblings: int = 1  # including itself
    is_open: bool = False
    contents: int = 0  # with those of the channels below it
    way: str = ""  # names of the channels above, for search results
    cover: str = ""  # URL of a small rendition of its picture
    is_moving: bool = False  # or is below a moving channel
    is_above: bool = False  # shown only as the way to a branch of the administrator
    # The administrator may choose it, move channels below it, and move channels beside it.
    may_choose: bool = True
    may_hold: bool = True
    has_open_parent: bool = True

    @property
    def parent_id(self) -> int:
        return self.channel.parent_id or 0

    @property
    def level(self) -> int:
        return self.channel.parents_count + 1


@dataclass(frozen=True)
class More:
    """A row for the hidden channels below the shown ones of the same parent."""

    parent_id: int
    level: int
    number: int
    entry: str  # the `read_open` entry that shows them


def read_open(text: str) -> dict[int, int]:
    """Read the open channels, each with the number of its shown children: `7,9.300`."""
    found: dict[int, int] = {}
    for each in text.split(",")[:_MAX_OPEN]:
        number, _point, shown = each.partition(".")
        if (pk := read_number(number)) is not None:
            found[pk] = min(max(read_number(shown) or BATCH_SIZE, BATCH_SIZE), _MAX_ROWS)
    return found


def write_open(opened: Mapping[int, int]) -> str:
    return ",".join(str(pk) if shown == BATCH_SIZE else f"{pk}.{shown}" for pk, shown in opened.items())


def all_open(site_id: int, places: Places) -> dict[int, int]:
    """Return every parent channel if all visible ones fit into one portion, else only those above all others."""
    rows = list(_shown(site_id, places).values_list("pk", "children_count")[: BATCH_SIZE + 1])
    if len(rows) > BATCH_SIZE:
        ways = _above_branches(places) if not places.covers_site(site_id) else []
        return dict.fromkeys([site_id, *ways], BATCH_SIZE)
    return {pk: BATCH_SIZE for pk, children in rows if children}


def tree_rows(site_id: int, opened: Mapping[int, int], places: Places, top_id: int = 0) -> list[Row | More]:
    """Return the home channel and all open channels below it; with a `top_id` only those below that channel."""
    columns = _shown(site_id, places)
    top = columns.filter(pk=top_id or site_id).first()
    if top is None:
        return []
    if top_id:
        opened = {**opened, top.pk: opened.get(top.pk, BATCH_SIZE)}
    by_parent = Window(RowNumber(), partition_by=[F("parent_id")], order_by=[F("taxis").asc(), F("id").asc()])
    below = columns.filter(parent_id__in=list(opened)).annotate(place=by_parent)
    children: dict[int, list[Any]] = {}
    for channel in below.filter(place__lte=max(opened.values(), default=0)).order_by("taxis", "id"):
        children.setdefault(channel.parent_id or 0, []).append(channel)
    children = {parent_id: channels[: opened[parent_id]] for parent_id, channels in children.items()}
    rows = list(islice(_walk(Row(top), children, places), _MAX_ROWS + 1))
    _complete([row for row in rows if isinstance(row, Row) and not row.is_above])
    return rows[1:] if top_id else rows


def _walk(top: Row, children: Mapping[int, list[Any]], places: Places) -> Iterator[Row | More]:
    waiting: list[Row | More] = [top]
    while waiting:
        row = waiting.pop()
        yield row
        if isinstance(row, More):
            continue
        channel, below = row.channel, children.get(row.channel.pk, [])
        row.is_open = bool(below)
        row.is_above = not places.covers(channel.site_id, channel.path_ids)
        number = len(below) if row.is_above else max(channel.children_count, len(below))
        following: list[Row | More] = [Row(child, child.place, number) for child in below]
        if below and number > len(below):
            entry = f"{channel.pk}.{len(below) + 5 * BATCH_SIZE}"
            following.append(More(channel.pk, row.level + 1, number - len(below), entry))
        waiting += following[::-1]


def found_rows(site_id: int, words: str, places: Places) -> list[Row]:
    """Find channels by number, name or index name, in tree order, with the names of the channels above."""
    words = words.replace("\0", "").strip()
    by_name = Q(channel_name__icontains=words) | Q(index_name__icontains=words)
    if (number := read_number(words)) is not None:
        by_name |= Q(pk=number)
    found = places.narrow(_shown(site_id, places), "site", "").filter(by_name)
    rows = [Row(channel) for channel in found[:FOUND]]
    above = {pk for row in rows for pk in row.channel.above_ids}
    names = dict(Channel.objects.filter(pk__in=above).values_list("pk", "channel_name"))
    for row in rows:
        row.way = " › ".join(names.get(pk, "") for pk in row.channel.above_ids)
    _complete(rows)
    return rows


def _shown(site_id: int, places: Places) -> QuerySet[Channel]:
    """Return the channels of the places, and those above them."""
    rows = Channel.objects.in_site(site_id).only(*_COLUMNS, "children_count", "taxis", "site_id")
    if places.covers_site(site_id):
        return rows
    return rows.filter(places.condition("site", "") | Q(pk__in=_above_branches(places)))


def _above_branches(places: Places) -> list[int]:
    links = ChannelAncestor.objects.filter(channel__in=places.branch_ids)
    return list(links.exclude(ancestor__in=places.branch_ids).values_list("ancestor_id", flat=True).distinct())


def _complete(rows: list[Row]) -> None:
    """Add the numbers of contents, and the covers; two statements."""
    numbers = contents().count_listed([row.channel.pk for row in rows])
    covers = covers_of(map(picture_of, (row.channel for row in rows)))
    for row in rows:
        row.contents = numbers.get(row.channel.pk, 0)
        row.cover = covers.get(picture_of(row.channel), "")


def picture_of(channel: Channel) -> Picture:
    return channel.site_id, channel.image_url


def above(site_id: int, numbers: list[int]) -> list[int]:
    channels = Channel.objects.in_site(site_id).filter(pk__in=numbers).only("parents_path")
    return sorted({pk for channel in channels for pk in channel.above_ids})


def tree_address(channel: Channel) -> str:
    opened = ",".join(map(str, [*channel.above_ids, channel.pk]))
    return f"{reverse('admin:channels_app_channel_tree', args=[channel.site_id])}?open={opened}#c{channel.pk}"
