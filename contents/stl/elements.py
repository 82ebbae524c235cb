import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cached_property, partial
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse

from channels_app.links import NO_LINK
from channels_app.record_links import with_current_addresses
from channels_app.stl import PAGE_BREAK, covered_channels, find_channel, find_tree, on_tree
from channels_app.tree import Tree
from channels_app.tree import contents as contents_of
from contents.former_ids import current_id
from contents.lists import channel_stats
from contents.lists.detail import read_anywhere
from contents.lists.fragments import Fragment, json_of
from contents.lists.page import select
from contents.rules.sql import Rules
from contents.stl.lists import StlList
from contents.wire.columns import BY_FOLDED_WIRE, WIRE_NAMES
from contents.wire.records import Record
from core.lib import clock
from core.rest.conditional import compare
from core.rest.errors import JSON
from core.rest.fields import AddressField
from core.rest.json import dump
from core.stl.attributes import Attributes
from core.stl.dates import format_date
from core.stl.text import TextShape, break_double_blanks, style_title
from core.stl.views import ElementView, unknown_value
from sites.addresses import resolve, resolve_links
from sites.attributes import site_attributes
from sites.models import Site
from sites.stl import as_text

# Members of a content in SiteServer's stl, in its order; `_fields` adds others.
MEMBERS = (
    *("id", "channelId", "siteId", "addUserName", "lastEditUserName", "writingUserName", "lastEditDate", "taxis"),
    *("groupNameCollection", "tags", "sourceId", "referenceId", "isChecked", "checkedLevel", "hits", "hitsByDay"),
    *("hitsByWeek", "hitsByMonth", "lastHitsDate", "title", "isTop", "isRecommend", "isHot", "isColor", "addDate"),
    *("linkUrl", "settingsXml"),
)
_OBJECT = frozenset(MEMBERS)
# Whatever the kind of value: the custom fields as well, since the last name is one.
_OF_EVERY_VALUE = frozenset({"id", "channelId", "title", "referenceId", "sourceId", "translateContentType"})
_SINCE = re.compile(r"\s*(\d{1,9})\s*([ymdh]?)\s*", re.ASCII | re.IGNORECASE)
_HREF = AddressField()  # rejects schemes that run code
_HOURS = {"y": 8760, "m": 720, "d": 24, "h": 1, "": 1}


# ---- one content


class ContentView(ElementView):
    """`/stl/content`"""

    def evaluate(self, attributes: Attributes) -> Record | str | None:
        """The record, or with `type` one value as text; None if the channel has no such content."""
        kind = attributes.text("type").strip().casefold()

        def evaluate(tree: Tree) -> tuple[int | None, Record | str | None]:
            names = _members_of(kind) if kind else _members_asked(tree.site.pk, attributes.names("_fields"))
            number, record = find_content(tree, attributes, names)
            if record is None or not kind:
                return number, record and _object_of(record, names)
            find_target = partial(_find_target, tree.site.pk, names)
            value = ContentValue(tree.site, record, attributes, find_target).read(kind)
            return number, with_current_addresses(value, tree)

        return on_tree(attributes, self.grant, evaluate)


def _members_asked(site_id: int, fields: list[str]) -> frozenset[str] | None:
    """The members of the object, with additions of `_fields`; None: all. Raises InvalidInput for an unknown one."""
    if "*" in fields:
        return None
    return _OBJECT | (select(Rules(site_id), fields, "_fields").names or set()) if fields else _OBJECT


def _object_of(record: Record, names: frozenset[str] | None) -> Record:
    others = {name: value for name, value in record.items() if names is None or name in names}
    return {name: record[name] for name in MEMBERS} | others


def _members_of(kind: str) -> frozenset[str]:
    """The members that the value of this kind may be made of."""
    name = "content" if kind == "pagecontent" else BY_FOLDED_WIRE[kind].wire if kind in BY_FOLDED_WIRE else ""
    return _OF_EVERY_VALUE | {name} if name else _OF_EVERY_VALUE


def find_content(tree: Tree, attributes: Attributes, names: frozenset[str] | None) -> tuple[int | None, Record | None]:
    """The TreeVersion's number and the content by id; with a channel, only in it or below it."""
    content_id = attributes.signed("contentId")
    number, record = read_anywhere(tree.site.pk, content_id, names) if content_id > 0 else (None, None)
    given = any(attributes.text(name) for name in ("channelIndex", "channelName")) or attributes.signed("channelId")
    if record is not None and not given:
        return number, record
    channel = find_channel(tree, attributes) if given else tree.home
    own = tree.channels.get(record["channelId"]) if record else None
    if own is not None and any(channel is one for one in (own, *tree.above(own))):
        return number, record
    return _find_renumbered(tree, channel, content_id, names) or (number, None)


def _find_renumbered(
    tree: Tree, channel: Record | None, content_id: int, names: frozenset[str] | None
) -> tuple[int | None, Record | None] | None:
    """The result of `read_anywhere` for the content that had the id in SiteServer, in the channel or below it."""
    if channel is None or content_id <= 0:
        return None
    below = [each["id"] for each in covered_channels(channel, "descendant")]
    current = current_id(tree.site.pk, content_id, channel["id"], below)
    return read_anywhere(tree.site.pk, current, names) if current else None


def _find_target(site_id: int, names: frozenset[str] | None, content_id: int) -> Record | None:
    return read_anywhere(site_id, content_id, names)[1]


class ContentValue:
    """One value of a content as a shaped text; `find_target` returns a content of the same site by id."""

    def __init__(
        self, site: Site, record: Record, attributes: Attributes, find_target: Callable[[int], Record | None]
    ) -> None:
        self._site, self._attributes = site, attributes
        self._shape = TextShape.of(attributes, of_content=True)
        self._own = self._record = record
        # A reference shows the values of its target in the same site, but its own title.
        if (
            attributes.boolean("isOriginal", absent=True, unparsable=True)
            and record["referenceId"] > 0
            and record["sourceId"] > 0
            and as_text(self._settings.get("translatecontenttype")).casefold() == "reference"
        ):
            self._record = find_target(record["referenceId"]) or record

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return _folded_custom(self._own)

    def read(self, kind: str) -> str:
        """The text of a value by its casefolded name; empty if unknown."""
        return self._shape.surround(self._find(kind))

    def _find(self, kind: str) -> str:
        record, shape = self._record, self._shape
        if kind == "title":
            return self._shaped_title()
        if kind == "summary":
            # Line ends become breaks by default.
            return TextShape.of(self._attributes, of_content=True, of_summary=True).shape(record["summary"])
        if kind in {"content", "pagecontent"}:
            body = resolve_links(record["content"], self._site.web_url)
            return shape.shape_body(body if kind == "pagecontent" else body.replace(PAGE_BREAK, ""))
        column = BY_FOLDED_WIRE.get(kind)
        if column is None:
            return shape.shape(as_text(_folded_custom(record).get(kind)))
        value = record[column.wire]
        if kind in {"navigationurl", "tags", "addusername"}:
            return as_text(value)  # unaffected by text attributes
        if column.is_date:
            moment = datetime.fromisoformat(value) if value else None
            return format_date(moment, shape.format_string, completed=True)
        if kind in {"imageurl", "videourl", "fileurl"}:
            return self._media(kind, value)
        return shape.shape(as_text(value))

    def _shaped_title(self) -> str:
        text = self._shape.shape(self._own["title"])
        if not self._shape.clears_tags:
            text = style_title(text, as_text(self._settings.get("titleformatstring")))
        is_broken = site_attributes(self._site)["isContentTitleBreakLine"]
        return break_double_blanks(text) if is_broken else text

    def _media(self, kind: str, first: str) -> str:
        """The address selected by `no`: the n-th (default: first), or all joined."""
        extra = as_text(_folded_custom(self._record).get(f"{kind}_extend")).split(",")
        addresses = [first, *(resolve(address.strip(), self._site.web_url) for address in extra if address.strip())]
        if self._attributes.text("no").strip().casefold() == "all":
            return "".join(addresses)
        number = max(self._attributes.integer("no"), 1)
        return addresses[number - 1] if number <= len(addresses) else ""


def _folded_custom(record: Record) -> dict[str, Any]:
    own = ((name.casefold(), value) for name, value in record.items() if name not in WIRE_NAMES)
    return {name: value for name, value in own if name not in BY_FOLDED_WIRE}


# ---- lists


class ContentsView(ElementView):
    """`/stl/contents`"""

    def evaluate(self, attributes: Attributes) -> Iterator[list[Fragment]]:
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return iter(())
        return StlList(tree, channel, attributes).read_chunks()

    def answer(self, value: Any) -> Any:
        chunks: Iterator[list[Fragment]] = value
        # Read before the response starts, so that a failing database gives 503 and not half a list.
        first: list[Fragment] = next(chunks, [])
        second = next(chunks, None)
        if second is None:
            compare(self.request, "contents of stl", [fragment.digest for fragment in first])
            return super().answer(json_of(first))

        def written() -> Iterator[bytes]:
            yield b'{"value":[' + dump(json_of(first))[1:-1]
            # A chain, since a tuple would hold the whole list.
            for chunk in chain([second], chunks):
                yield b"," + dump(json_of(chunk))[1:-1]
            yield b"]}"

        return StreamingHttpResponse(written(), JSON)


# ---- addresses and counts


class AView(ElementView):
    """`/stl/a`"""

    def evaluate(self, attributes: Attributes) -> str | None:
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
        target = _target(attributes)
        if target == "content":
            content_id, names = attributes.signed("contentId"), frozenset({"navigationUrl"})
            found = read_anywhere(tree.site.pk, content_id, names)
            if found[1] is None:
                place = find_channel(tree, attributes) or tree.home
                found = _find_renumbered(tree, place, content_id, names) or found
            return str(found[1]["navigationUrl"]) if found[1] else None
        channel = tree.home if target == "site" else find_channel(tree, attributes)
        if channel is None:
            return None
        with tree.lock:
            tree.renew_addresses(contents_of())
            return str(channel["navigationUrl"])


def _target(attributes: Attributes) -> str:
    """The kind of target: `channel`, `content` or `site`; the last attribute that names one wins."""
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
    """`/stl/count`"""

    def evaluate(self, attributes: Attributes) -> str | None:
        tree = find_tree(attributes, self.grant)
        channel = find_channel(tree, attributes)
        if channel is None:
            return None
        return count(channel, attributes)


def count(channel: Record, attributes: Attributes) -> str:
    kind = attributes.text("type").strip().casefold() or "contents"
    if kind == "channels":
        return str(len(channel["children"]))
    return str(_count_contents(channel, attributes)) if kind == "contents" else "0"


def _count_contents(channel: Record, attributes: Attributes) -> int:
    """Approved contents of a scope: one stored count for all below a channel, else sums over channels."""
    scope = attributes.text("scope", "Self").strip().casefold()
    since = attributes.text("since").strip()
    moment = moment_since(since) if since else None
    # Without children both scopes are the same, and the list is faster to count.
    if scope == "all" or (not channel["children"] and scope not in {"children", "descendant"}):
        return _count_below(channel["id"], moment)
    if scope == "descendant":
        return _count_below(channel["id"], moment) - _count_own([channel], moment)
    return _count_own(covered_channels(channel, scope), moment)


def _count_below(channel_id: int, moment: datetime | None) -> int:
    if moment is None:
        return channel_stats.count_below(channel_id)
    return channel_stats.count_since([channel_id], moment, below=True)


def _count_own(channels: list[Record], moment: datetime | None) -> int:
    if not channels:
        return 0
    ids = [channel["id"] for channel in channels]
    if moment is not None:
        return channel_stats.count_since(ids, moment, below=False)
    _, counts = channel_stats.count_own(channels[0]["siteId"], ids)
    return sum(checked for _, checked in counts.values())


def moment_since(since: str) -> datetime:
    """Return the start of a span such as `3d`, which ends now. Raises InvalidInput."""
    match = _SINCE.fullmatch(since)
    if match is None:
        raise unknown_value("since", "a number followed by y, m, d or h, or a number of hours")
    try:
        return clock.now() - timedelta(hours=int(match[1]) * _HOURS[match[2].lower()])
    except OverflowError:
        return datetime.min
