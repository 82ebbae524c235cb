"""The stl elements `channel` and `channels`, and the channel that a request selects."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

import orjson

from channels_app.attributes import CHANNEL_ATTRIBUTES, channel_attributes
from channels_app.record_links import with_current_addresses
from channels_app.serializers import ChannelSerializer
from channels_app.tree import Record, Tree, below, contents, kept_tree, read_tree
from core.lib.errors import NotFound, ServiceError
from core.rest.views import Grant
from core.stl.attributes import Attributes
from core.stl.dates import format_date
from core.stl.evaluation import columns_of
from core.stl.text import TextShape
from core.stl.views import ElementView, cut, filter_rows, order_rows
from sites.addresses import resolve_links
from sites.models import site_not_found
from sites.stl import as_text, find_site_id

Value = TypeVar("Value")
_COLUMNS = columns_of(ChannelSerializer.field_table())
_ORDERS = {
    "default": "",
    "hits": "",
    "back": "taxis DESC",
    "adddate": "addDate DESC",
    "adddateback": "addDate",
}
# Members of other responses only: the stl shape is SiteServer's of May 2018.
_NOT_HERE = {"lastNode", "children", "navigationUrl"}
# Computed members, which a custom field never hides.
_WORKED_OUT = {"contentNum", "additional", "attributes"}
PAGE_BREAK = "[SITESERVER_PAGE]"
# Stands for an empty list of groups; no channel has this group.
_NO_GROUP = "__Empty__"


# ---- selection


def find_tree(attributes: Attributes, grant: Grant) -> Tree:
    """Return the tree of the request's site. Raises InvalidInput and NotPermitted like find_site_id."""
    return _current_tree(find_site_id(attributes, grant))


def _current_tree(site_id: int) -> Tree:
    try:
        return read_tree(site_id)
    except NotFound as error:
        raise site_not_found(site_id, "siteId") from error


def on_tree(attributes: Attributes, grant: Grant, evaluate: Callable[[Tree], tuple[int | None, Value]]) -> Value:
    """Evaluate an element on the tree of its site; `evaluate` also returns the TreeVersion's number that it read.

    The cached tree is tried first. If the number confirms it, no statement of its own has to check it.
    """
    site_id = find_site_id(attributes, grant)
    number, tree = kept_tree(site_id)
    if tree is not None:
        with suppress(ServiceError):  # which an outdated tree may have caused
            read, value = evaluate(tree)
            if read is not None and read == number:
                return value
    return evaluate(_current_tree(site_id))[1]


def find_channel(tree: Tree, attributes: Attributes) -> Record | None:
    """Return the channel that the attributes select, or None.

    `channelName` is sought first below the channel by `channelIndex`, which takes precedence over the one by levels
    above `channelId` (default: the home channel). An unknown index or name is ignored.
    """
    return move(tree, tree.channels.get(abs(attributes.signed("channelId")) or tree.site.pk), attributes)


def move(tree: Tree, channel: Record | None, attributes: Attributes) -> Record | None:
    """Return the channel that levels, index and name select, starting from another; without any, that one."""
    if channel is not None:
        way = [*tree.above(channel), channel]
        place = len(way) - 1
        if "topLevel" in attributes:
            place = min(attributes.integer("topLevel"), place)
        else:
            levels = 0
            for name in attributes:
                if name == "uplevel":
                    levels = attributes.integer("upLevel")
                elif name == "parent" and attributes.boolean("parent"):
                    levels = 1
            place = max(place - levels, 0)
        channel = way[place]
    if index := attributes.text("channelIndex"):
        channel = _first(tree.channels.values(), "indexName", index) or channel
    if name := attributes.text("channelName"):
        found = _first(below(channel), "channelName", name) if channel is not None else None
        channel = found or _first(tree.channels.values(), "channelName", name) or channel
    return channel


def _first(channels: Iterable[Record], member: str, text: str) -> Record | None:
    return next((channel for channel in channels if channel[member] == text), None)


def covered_channels(channel: Record, scope: str) -> list[Record]:
    """Return the channels of a scope around the channel, in tree order; an unknown scope counts as `Self`."""
    return list(_SCOPES.get(scope.strip().casefold(), _SCOPES["self"])(channel))


_SCOPES: dict[str, Callable[[Record], Iterable[Record]]] = {
    "self": lambda channel: [channel],
    "children": lambda channel: channel["children"],
    "selfandchildren": lambda channel: [channel, *channel["children"]],
    "descendant": below,
    "all": lambda channel: [channel, *below(channel)],
}


# ---- elements


class ChannelView(ElementView):
    def evaluate(self, attributes: Attributes) -> Record | str | None:
        if kind := attributes.text("type").strip():
            tree = find_tree(attributes, self.grant)
            channel = find_channel(tree, attributes)
            if channel is None:
                return None
            return with_current_addresses(channel_value(tree, channel, kind.casefold(), attributes), tree)

        def evaluate(tree: Tree) -> tuple[int | None, Record | None]:
            if (channel := find_channel(tree, attributes)) is None:
                return None, None
            number, counts = contents().count_own(tree.site.pk, [channel["id"]])
            settings = channel_attributes(tree.settings(channel))
            return number, _record(channel, counts) | {"additional": settings, "attributes": settings}

        return on_tree(attributes, self.grant, evaluate)


class ChannelsView(ElementView):
    def evaluate(self, attributes: Attributes) -> list[Record]:
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return []
        with tree.lock:
            tree.renew_addresses(contents())
            channels = cut(list_channels(tree, channel, attributes), attributes)
            _, counts = contents().count_own(tree.site.pk, [each["id"] for each in channels])
            answered = []
            for each in channels:
                # Items of a list have two more members, as existing front ends expect.
                more = {"attributes": channel_attributes(tree.settings(each)), "navigationUrl": each["navigationUrl"]}
                answered.append(_record(each, counts) | more)
            return answered


def list_channels(tree: Tree, channel: Record, attributes: Attributes) -> Sequence[Record]:
    """Return the channels that the attributes select around a channel, in order, without the limits of a page."""
    if attributes.boolean("isTotal"):
        covered = list(tree.channels.values())
    else:
        is_all = attributes.boolean("isAllChildren")
        covered = covered_channels(channel, "Descendant" if is_all else attributes.text("scope", "Children"))
    wanted = [each for each in covered if _is_wanted(each, attributes)]
    return order_rows(filter_rows(wanted, attributes, _COLUMNS), attributes, _COLUMNS, _ORDERS)


def _record(channel: Record, counts: dict[int, tuple[int, int]]) -> Record:
    record: Record = {}
    for name, value in channel.items():
        if name not in _NOT_HERE | _WORKED_OUT:
            record[name] = value
        if name == "content":
            record["contentNum"] = counts.get(channel["id"], (0, 0))[0]
    return record


def _is_wanted(channel: Record, attributes: Attributes) -> bool:
    if "isImage" in attributes and bool(channel["imageUrl"]) is not attributes.boolean("isImage"):
        return False
    if "groupChannel" in attributes and not in_groups(channel, attributes.names("groupChannel")):
        return False
    return not ("groupChannelNot" in attributes and in_groups(channel, attributes.names("groupChannelNot")))


def in_groups(channel: Record, names: list[str] | None) -> bool:
    """Return true if the channel is in any of the groups; None means no filter, an empty list no group."""
    if names is None:
        return True
    groups = {name.strip() for name in channel["groupNameCollection"].split(",")}
    return not groups.isdisjoint(names or [_NO_GROUP])


def channel_value(tree: Tree, record: Record, kind: str, attributes: Attributes) -> str:
    """Return the text of a value by its casefolded name; empty if unknown."""
    shape = TextShape.of(attributes)
    text, shaped = _find_value(tree, record, _SYNONYMS.get(kind, kind), shape)
    return shape.surround(shaped(text), existed=bool(text))


def _find_value(tree: Tree, record: Record, kind: str, shape: TextShape) -> tuple[str, Callable[[str], str]]:
    if kind == "channelname":
        return record["channelName"], shape.shape_channel_text
    if kind == "indexname":
        return record["indexName"], shape.shape_channel_index
    if kind in {"content", "pagecontent"}:
        body = resolve_links(record["content"], tree.site.web_url)
        return body if kind == "pagecontent" else body.replace(PAGE_BREAK, ""), shape.shape_channel_text
    if kind == "adddate":
        moment = datetime.fromisoformat(record["addDate"])
        return format_date(moment, shape.format_string, completed=True), str
    if kind == "imageurl":
        return record["imageUrl"], str
    if kind in _COUNTS:
        return str(_COUNTS[kind](record)), shape.shape
    if (column := _COLUMNS.get(kind)) is not None:
        return "" if column.wire in _NOT_HERE else str(record[column.wire]), shape.shape
    settings = tree.settings(record)
    if kind == "extendvalues":
        return orjson.dumps(settings).decode(), shape.shape
    custom = (value for name, value in settings.items() if name.casefold() == kind and kind not in CHANNEL_ATTRIBUTES)
    return as_text(next(custom, "")), shape.shape


_SYNONYMS = {"title": "channelname", "channelindex": "indexname"}


def _count_own(channel: Record) -> tuple[int, int]:
    return contents().count_own(channel["siteId"], [channel["id"]])[1].get(channel["id"], (0, 0))


_COUNTS: dict[str, Callable[[Record], int]] = {
    "countofchannels": lambda channel: len(channel["children"]),
    "countofcontents": lambda channel: _count_own(channel)[1],
    "countofimagecontents": lambda channel: contents().count_own_with_image(channel["id"]),
    "contentnum": lambda channel: _count_own(channel)[0],
}
