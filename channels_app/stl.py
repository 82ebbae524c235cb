"""The stl elements `channel` and `channels`, and which channel a request means (template-tags §2.3, §3.2, §4)."""

from collections.abc import Callable, Iterable
from datetime import datetime

import orjson

from channels_app.attributes import CHANNEL_ATTRIBUTES, channel_attributes
from channels_app.serializers import ChannelSerializer
from channels_app.tree import Record, Tree, below, contents, read_tree
from cms_api.lib.errors import NotFound
from cms_api.rest.views import Grant
from cms_api.stl.attributes import Attributes
from cms_api.stl.dates import format_date
from cms_api.stl.evaluation import columns_of
from cms_api.stl.text import TextShape
from cms_api.stl.views import ElementView, cut, filter_rows, order_rows
from sites.addresses import resolve_links
from sites.stl import as_text, find_site_id, refuse_site

_COLUMNS = columns_of(ChannelSerializer.field_table())
_ORDERS = {
    "default": "",
    "hits": "",
    "back": "taxis DESC",
    "adddate": "addDate DESC",
    "adddateback": "addDate",
}
# Members of other answers only (template-tags §2.3: the shape of May 2018).
_NOT_HERE = {"lastNode", "children", "navigationUrl"}
# Members that are worked out here, which a custom field never hides.
_WORKED_OUT = {"contentNum", "additional", "attributes"}
PAGE_BREAK = "[SITESERVER_PAGE]"
# What an empty list of groups stands for: no channel has this one.
_NO_GROUP = "__Empty__"


# ---- which channel


def find_tree(attributes: Attributes, grant: Grant) -> Tree:
    """The tree of the site of the request. Raises InvalidInput and NotPermitted as find_site_id does."""
    site_id = find_site_id(attributes, grant)
    try:
        return read_tree(site_id)
    except NotFound as error:
        refuse_site(f"Site {site_id} was not found.", "siteId", error)


def find_channel(tree: Tree, attributes: Attributes) -> Record | None:
    """The channel that the attributes mean, None where there is no such channel.

    By `channelName` below the one by `channelIndex`, which replaces the one by levels above `channelId`,
    which is the home channel if it is omitted. An index or a name that no channel has is ignored.
    """
    channel = tree.channels.get(abs(attributes.signed("channelId")) or tree.site.pk)
    if channel is not None:
        channel = _climb(tree, channel, attributes)
    if index := attributes.text("channelIndex"):
        channel = _first(tree.channels.values(), "indexName", index) or channel
    if name := attributes.text("channelName"):
        found = _first(below(channel), "channelName", name) if channel is not None else None
        channel = found or _first(tree.channels.values(), "channelName", name) or channel
    return channel


def _climb(tree: Tree, channel: Record, attributes: Attributes) -> Record:
    above = tree.above(channel)
    if "topLevel" in attributes:
        return [*above, channel][min(attributes.integer("topLevel"), len(above))]
    levels = 0
    for name in attributes:
        if name == "uplevel":
            levels = attributes.integer("upLevel")
        elif name == "parent" and attributes.boolean("parent"):
            levels = 1
    return [*above, channel][max(len(above) - levels, 0)]


def _first(channels: Iterable[Record], member: str, text: str) -> Record | None:
    return next((channel for channel in channels if channel[member] == text), None)


def covered_channels(channel: Record, scope: str) -> list[Record]:
    """The channels of a scope around the channel, in the order of the tree; an unknown scope is `Self`."""
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
    """`/stl/channel`: a channel, or one of its values as a text."""

    def evaluate(self, attributes: Attributes) -> Record | str | None:
        """The object, or with `type` the text; null when there is no such channel."""
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return None
        if kind := attributes.text("type").strip():
            return _Value(tree, channel, attributes).read(kind.casefold())
        settings = channel_attributes(tree.settings(channel))
        return _record(channel, contents().count_own([channel["id"]])) | {
            "additional": settings,
            "attributes": settings,
        }


class ChannelsView(ElementView):
    """`/stl/channels`: channels around the channel that is meant."""

    def evaluate(self, attributes: Attributes) -> list[Record]:
        """The channels; none where there is no such channel."""
        tree = find_tree(attributes, self.grant)
        covered = [channel for channel in self._covered(tree, attributes) if _is_wanted(channel, attributes)]
        with tree.lock:
            tree.renew_addresses(contents())
            records = filter_rows(covered, attributes, _COLUMNS)
            channels = cut(order_rows(records, attributes, _COLUMNS, _ORDERS), attributes)
            counts = contents().count_own([channel["id"] for channel in channels])
            return [_record(channel, counts) | _of_list(tree, channel) for channel in channels]

    def _covered(self, tree: Tree, attributes: Attributes) -> list[Record]:
        channel = find_channel(tree, attributes)
        if channel is None:
            return []
        if attributes.boolean("isTotal"):
            return list(tree.channels.values())
        is_all = attributes.boolean("isAllChildren")
        return covered_channels(channel, "Descendant" if is_all else attributes.text("scope", "Children"))


def _record(channel: Record, counts: dict[int, tuple[int, int]]) -> Record:
    record: Record = {}
    for name, value in channel.items():
        if name not in _NOT_HERE | _WORKED_OUT:
            record[name] = value
        if name == "content":
            record["contentNum"] = counts.get(channel["id"], (0, 0))[0]
    return record


def _of_list(tree: Tree, channel: Record) -> Record:
    """What an item of a list has besides, as real front ends read it."""
    settings = channel_attributes(tree.settings(channel))
    return {"attributes": settings, "navigationUrl": channel["navigationUrl"]}


def _is_wanted(channel: Record, attributes: Attributes) -> bool:
    if "isImage" in attributes and bool(channel["imageUrl"]) is not attributes.boolean("isImage"):
        return False
    return in_groups(channel, attributes.names("groupChannel") if "groupChannel" in attributes else None) and not (
        "groupChannelNot" in attributes and in_groups(channel, attributes.names("groupChannelNot"))
    )


def in_groups(channel: Record, names: list[str] | None) -> bool:
    """Whether the channel is in any of the groups; None stands for no filter, and an empty list for no group."""
    if names is None:
        return True
    groups = {name.strip() for name in channel["groupNameCollection"].split(",")}
    return not groups.isdisjoint(names or [_NO_GROUP])


class _Value:
    def __init__(self, tree: Tree, channel: Record, attributes: Attributes) -> None:
        self._tree, self._channel, self._shape = tree, channel, TextShape.of(attributes)

    def read(self, kind: str) -> str:
        """The text of a kind without letter case; empty for an unknown one."""
        text, shape = self._find(_SYNONYMS.get(kind, kind))
        return self._shape.surround(shape(text), existed=bool(text))

    def _find(self, kind: str) -> tuple[str, Callable[[str], str]]:
        record, shape = self._channel, self._shape
        if kind == "channelname":
            return record["channelName"], shape.shape_channel_text
        if kind == "indexname":
            return record["indexName"], shape.shape_channel_index
        if kind in {"content", "pagecontent"}:
            body = resolve_links(record["content"], self._tree.site.web_url)
            return body if kind == "pagecontent" else body.replace(PAGE_BREAK, ""), shape.shape_channel_text
        if kind == "adddate":
            moment = datetime.fromisoformat(record["addDate"])
            return format_date(moment, shape.format_string, completed=True), str
        if kind == "imageurl":
            return record["imageUrl"], str
        if kind in _COUNTS:
            return str(_COUNTS[kind](self._channel)), shape.shape
        return self._stored(kind), shape.shape

    def _stored(self, kind: str) -> str:
        """A member of the channel, or a custom field."""
        column = _COLUMNS.get(kind)
        if column is not None:
            return "" if column.wire in _NOT_HERE else str(self._channel[column.wire])
        if kind == "extendvalues":
            return orjson.dumps(self._tree.settings(self._channel)).decode()
        custom = self._tree.settings(self._channel).items()
        found = (value for name, value in custom if name.casefold() == kind and kind not in CHANNEL_ATTRIBUTES)
        return as_text(next(found, ""))


_SYNONYMS = {"title": "channelname", "channelindex": "indexname"}


def _count_own(channel: Record) -> tuple[int, int]:
    return contents().count_own([channel["id"]]).get(channel["id"], (0, 0))


_COUNTS: dict[str, Callable[[Record], int]] = {
    "countofchannels": lambda channel: len(channel["children"]),
    "countofcontents": lambda channel: _count_own(channel)[1],
    "countofimagecontents": lambda channel: contents().count_own_with_image(channel["id"]),
    "contentnum": lambda channel: _count_own(channel)[0],
}
