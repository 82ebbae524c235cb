"""The stl elements `content`, `contents`, `a` and `count` (template-tags §2.4, §3)."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse

from channels_app.links import NO_LINK
from channels_app.stl import PAGE_BREAK, covered_channels, find_channel, find_tree
from channels_app.tree import Tree
from channels_app.tree import contents as contents_of
from cms_api.lib import clock
from cms_api.rest.errors import JSON
from cms_api.rest.fields import AddressField
from cms_api.rest.json import dump
from cms_api.stl.attributes import Attributes
from cms_api.stl.dates import format_date
from cms_api.stl.text import TextShape, break_double_blanks, style_title
from cms_api.stl.views import ElementView, unknown_value
from contents.lists import channel_stats
from contents.lists.one import read_anywhere
from contents.stl.lists import StlList, read_records
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import Record
from sites.addresses import resolve, resolve_links
from sites.attributes import site_attributes
from sites.models import Site
from sites.stl import as_text

# The interface's members of a content value, and those that real clients read beside them.
MEMBERS = (
    *("id", "channelId", "siteId", "addUserName", "lastEditUserName", "writingUserName", "lastEditDate", "taxis"),
    *("groupNameCollection", "tags", "sourceId", "referenceId", "isChecked", "checkedLevel", "hits", "hitsByDay"),
    *("hitsByWeek", "hitsByMonth", "lastHitsDate", "title", "isTop", "isRecommend", "isHot", "isColor", "addDate"),
    *("linkUrl", "settingsXml"),
    *("content", "summary", "author", "imageUrl", "navigationUrl"),
)
_SINCE = re.compile(r"\s*(\d{1,9})\s*([ymdh]?)\s*", re.ASCII | re.IGNORECASE)
_HREF = AddressField()  # no scheme that runs code
_HOURS = {"y": 8760, "m": 720, "d": 24, "h": 1, "": 1}


# ---- one content


class ContentView(ElementView):
    """`/stl/content`: a content, or one of its values as a text."""

    def evaluate(self, attributes: Attributes) -> Record | str | None:
        """The object, or with `type` the text; null when there is no such content in the channel."""
        tree = find_tree(attributes, self.grant)
        record = find_content(tree, attributes)
        if record is None:
            return None
        if kind := attributes.text("type").strip():
            return _Value(tree.site, record, attributes).read(kind.casefold())
        return {name: record[name] for name in MEMBERS}


def find_content(tree: Tree, attributes: Attributes) -> Record | None:
    """The content by its id; where a channel is given, only in it or below it."""
    content_id = attributes.signed("contentId")
    record = read_anywhere(tree.site.pk, content_id) if content_id > 0 else None
    given = any(attributes.text(name) for name in ("channelIndex", "channelName")) or attributes.signed("channelId")
    if record is None or not given:
        return record
    channel = find_channel(tree, attributes)
    own = tree.channels.get(record["channelId"])
    if channel is None or own is None:
        return None
    return record if any(channel is one for one in (own, *tree.above(own))) else None


class _Value:
    """One value of a content as a text."""

    def __init__(self, site: Site, record: Record, attributes: Attributes) -> None:
        self._site, self._attributes = site, attributes
        self._title, self._settings = record["title"], _folded_custom(record)
        self._record = (
            self._original(record) if attributes.boolean("isOriginal", absent=True, unparsable=True) else record
        )
        self._shape = TextShape.of(attributes, of_content=True)

    def read(self, kind: str) -> str:
        """The text of a kind without letter case; empty for an unknown one."""
        return self._shape.surround(self._find(kind))

    def _original(self, record: Record) -> Record:
        """The content of the same site whose values a reference has; the title stays its own."""
        is_reference = as_text(self._settings.get("translatecontenttype")).casefold() == "reference"
        if record["referenceId"] <= 0 or record["sourceId"] <= 0 or not is_reference:
            return record
        return read_anywhere(self._site.pk, record["referenceId"]) or record

    def _find(self, kind: str) -> str:
        record, shape = self._record, self._shape
        if kind in _SPECIAL:
            return _SPECIAL[kind](self)
        if kind in {"adddate", "lasteditdate", "lasthitsdate"}:
            text = record[BY_FOLDED_WIRE[kind].wire]
            moment = datetime.fromisoformat(text) if text else None
            return format_date(moment, shape.format_string, completed=True)
        if kind in {"imageurl", "videourl", "fileurl"}:
            return self._media(kind, record[BY_FOLDED_WIRE[kind].wire])
        if column := BY_FOLDED_WIRE.get(kind):
            return shape.shape(as_text(record[column.wire]))
        return shape.shape(as_text(_folded_custom(record).get(kind)))

    def title(self) -> str:
        """The title in its style."""
        text = self._shape.shape(self._title)
        if not self._shape.clears_tags:
            text = style_title(text, as_text(self._settings.get("titleformatstring")))
        is_broken = site_attributes(self._site)["isContentTitleBreakLine"]
        return break_double_blanks(text) if is_broken else text

    def body(self, *, with_breaks: bool) -> str:
        """The body with its links led to the site."""
        body = resolve_links(self._record["content"], self._site.web_url)
        return self._shape.shape_body(body if with_breaks else body.replace(PAGE_BREAK, ""))

    def summary(self) -> str:
        """The summary, in which line ends become breaks unless it is said otherwise."""
        return TextShape.of(self._attributes, of_content=True, of_summary=True).shape(self._record["summary"])

    def stored(self, name: str) -> str:
        """A member as it is, whatever the text attributes say."""
        return as_text(self._record[name])

    def _media(self, kind: str, first: str) -> str:
        """The address that `no` asks for: the first one, the n-th one, or all of them."""
        extra = as_text(_folded_custom(self._record).get(f"{kind}_extend")).split(",")
        addresses = [first, *(resolve(address.strip(), self._site.web_url) for address in extra if address.strip())]
        if self._attributes.text("no").strip().casefold() == "all":
            return "".join(addresses)
        number = max(self._attributes.integer("no"), 1)
        return addresses[number - 1] if number <= len(addresses) else ""


_SPECIAL: dict[str, Callable[[_Value], str]] = {
    "title": _Value.title,
    "summary": _Value.summary,
    "content": lambda value: value.body(with_breaks=False),
    "pagecontent": lambda value: value.body(with_breaks=True),
    "navigationurl": lambda value: value.stored("navigationUrl"),
    "tags": lambda value: value.stored("tags"),
    "addusername": lambda value: value.stored("addUserName"),
}


def _folded_custom(record: Record) -> dict[str, Any]:
    return {name.casefold(): value for name, value in record.items() if name.casefold() not in BY_FOLDED_WIRE}


# ---- lists


class ContentsView(ElementView):
    """`/stl/contents`: approved contents of the channels around the channel that is meant."""

    def evaluate(self, attributes: Attributes) -> Iterator[list[Record]]:
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return iter(())
        return read_records(tree.site.pk, StlList(tree, channel, attributes).read_ids())

    def answer(self, value: Any) -> Any:
        """A long list is written as it is read, a chunk at a time."""
        chunks: Iterator[list[Record]] = value
        # Read before the answer begins, so that a failing database is a 503 and not half a list.
        first: list[Record] = next(chunks, [])
        second = next(chunks, None)
        if second is None:
            return super().answer(first)
        return StreamingHttpResponse(_write(first, second, chunks), JSON)


def _write(first: list[Record], second: list[Record], others: Iterator[list[Record]]) -> Iterator[bytes]:
    yield b'{"value":[' + dump(first)[1:-1]
    # A chain, since a tuple of the others would hold the whole list at once.
    for chunk in chain([second], others):
        yield b"," + dump(chunk)[1:-1]
    yield b"]}"


# ---- addresses and counts


class AView(ElementView):
    """`/stl/a`: the address of a channel or a content."""

    def evaluate(self, attributes: Attributes) -> str | None:
        """The address; null where there is no such channel or content."""
        address = self._address(find_tree(attributes, self.grant), attributes)
        if address is None or address == NO_LINK:
            return address
        host, query = attributes.text("host"), attributes.text("queryString").lstrip("?&")
        if host and not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", address):
            address = (host.rstrip("/") if address.startswith("/") else host) + address
        return f"{address}{'&' if '?' in address else '?'}{query}" if query else address

    def _address(self, tree: Tree, attributes: Attributes) -> str | None:
        if href := attributes.text("href"):
            return resolve(_HREF.read(href, "href"), tree.site.web_url)
        if _target(attributes) == "content":
            record = read_anywhere(tree.site.pk, attributes.signed("contentId"))
            return str(record["navigationUrl"]) if record else None
        channel = tree.home if _target(attributes) == "site" else find_channel(tree, attributes)
        if channel is None:
            return None
        with tree.lock:
            tree.renew_addresses(contents_of())
            return str(channel["navigationUrl"])


def _target(attributes: Attributes) -> str:
    """What is linked to: `channel`, `content` or `site`; of several attributes that say so the last counts."""
    target = ""
    for name in attributes:
        if name == "context":
            context = attributes.text("context").strip().casefold()
            target = context if context in {"content", "channel", "site"} else target
        elif (name in {"channelindex", "channelname"} and attributes.text(name)) or (
            (name == "parent" and attributes.boolean("parent"))
            or (name == "uplevel" and attributes.integer("upLevel") > 0)
            or name == "toplevel"
        ):
            target = "channel"
    return target or ("content" if attributes.signed("contentId") else "channel")


class CountView(ElementView):
    """`/stl/count`: how many approved contents or channels there are, as a text."""

    def evaluate(self, attributes: Attributes) -> str | None:
        """The number; null where there is no such channel."""
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return None
        kind = attributes.text("type").strip().casefold() or "contents"
        if kind == "channels":
            return str(len(channel["children"]))
        return str(_count_contents(channel, attributes)) if kind == "contents" else "0"


def _count_contents(channel: Record, attributes: Attributes) -> int:
    """Approved contents of a scope. That of all below a channel is known as one; others are sums over channels."""
    scope = attributes.text("scope", "Self").strip().casefold()
    since = attributes.text("since").strip()
    moment = _moment(since) if since else None
    # A channel without others below it has the same contents either way, and the list is counted faster.
    if scope == "all" or (not channel["children"] and scope not in {"children", "descendant"}):
        return _count([channel], moment, below=True)
    if scope == "descendant":
        return _count([channel], moment, below=True) - _count([channel], moment, below=False)
    return _count(covered_channels(channel, scope), moment, below=False)


def _count(channels: list[Record], moment: datetime | None, *, below: bool) -> int:
    ids = [channel["id"] for channel in channels]
    if moment is not None:
        return channel_stats.count_since(ids, moment, below=below)
    if below:
        return channel_stats.count_below(ids[0])
    return sum(checked for _, checked in channel_stats.count_own(ids).values())


def _moment(since: str) -> datetime:
    match = _SINCE.fullmatch(since)
    if match is None:
        raise unknown_value("since", "a number with y, m, d or h, or a number of hours")
    hours = int(match[1]) * _HOURS[match[2].lower()]
    try:
        return clock.now() - timedelta(hours=hours)
    except OverflowError:
        return datetime.min
