"""The channels of a site as one tree of wire records, kept by each process as long as it is surely true.

Every request reads the site's number (TreeVersion), which differs after every change, whoever made it and
on whichever node; a tree is kept together with the number that was read before it.
"""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from threading import Lock, RLock
from typing import Any, NamedTuple, cast

import orjson
from cachetools import LRUCache
from django.conf import settings
from django.db import connection

from channels_app.attributes import CHANNEL_ATTRIBUTES
from channels_app.links import LEADS_TO_CHILD, LEADS_TO_CONTENT, Contents, decide
from channels_app.models import Channel, LinkType, TreeVersion
from channels_app.pages import PageFacts, Pages
from channels_app.serializers import ChannelSerializer
from cms_api.lib.date_text import date_text
from cms_api.rest.errors import NotFound
from cms_api.rest.json import dump
from cms_api.rest.names import to_wire
from sites.addresses import resolve
from sites.models import Site

Record = dict[str, Any]


class TreeChannel(NamedTuple):
    """One channel of a tree."""

    record: Record  # the wire form; `children` holds the records of its children
    settings: dict[str, Any]  # members of the settings object and custom fields
    parent: "TreeChannel | None"
    children: list["TreeChannel"]

    @property
    def id(self) -> int:
        """The channel's number."""
        return int(self.record["id"])

    def above(self) -> list["TreeChannel"]:
        """The channels above it, the home channel first."""
        found, channel = [], self.parent
        while channel is not None:
            found.append(channel)
            channel = channel.parent
        return found[::-1]

    def below(self) -> Iterator["TreeChannel"]:
        """Every channel below it, in the order of the tree."""
        waiting = self.children[::-1]
        while waiting:
            channel = waiting.pop()
            yield channel
            waiting += channel.children[::-1]


class Tree:
    """The present channels of a site, in order; the first is the home channel."""

    def __init__(self, site: Site, rows: Iterable[tuple[Any, ...]]) -> None:
        self.site = site
        self.channels: dict[int, TreeChannel] = {}
        self.lock = RLock()  # held while addresses that depend on contents are written and used
        for row in rows:
            self._add(row)
        self._pages = Pages((_facts(channel) for channel in self.channels.values()), site.settings)
        self._own_addresses = {pk: self._own_address(channel) for pk, channel in self.channels.items()}
        # Channels whose address follows from contents, each after the channels below it.
        self._changing: list[TreeChannel] = []
        self._name_pages()

    @property
    def home(self) -> TreeChannel:
        """The channel at the top."""
        return self.channels[self.site.pk]

    def find(self, channel_id: int) -> TreeChannel:
        """The channel; 0 stands for the home channel. Raises NotFound."""
        channel = self.channels.get(channel_id or self.site.pk)
        if channel is None:
            message = f"Channel {channel_id} was not found in site {self.site.pk}."
            raise NotFound("channel_not_found", message)
        return channel

    def answer(self, *channels: TreeChannel) -> list[bytes]:
        """The record of each channel with everything below it, as JSON."""
        with self.lock:
            self.renew_addresses(contents())
            return [_dump(channel) for channel in channels]

    @property
    def size(self) -> int:
        """Roughly how many bytes the tree holds."""
        return sum(1500 + len(channel.record["content"]) for channel in self.channels.values())

    def renew_addresses(self, contents: Contents) -> None:
        """Write the addresses that follow from contents, as they are now.

        One question, whatever the number of channels; none where no channel leads to a content. Whoever
        calls this holds the lock until the records are used.
        """
        asked = [channel for channel in self._changing if channel.record["linkType"] in LEADS_TO_CONTENT]
        if asked:
            firsts = contents.first_contents({one.id: one.settings.get("defaultTaxisType", "") for one in asked})
            for channel in self._changing:
                channel.record["navigationUrl"] = decide(
                    channel, self._own_addresses[channel.id], firsts.get(channel.id)
                )

    def _add(self, row: tuple[Any, ...]) -> None:
        *values, settings_text = row
        record: Record = dict(zip(_NAMES, values, strict=True))
        custom = {} if settings_text == "{}" else orjson.loads(settings_text)
        if connection.vendor != "postgresql":
            record["lastNode"] = record["isLastNode"] = record["isLastNode"] == 1
        if record["imageUrl"]:
            record["imageUrl"] = resolve(record["imageUrl"], self.site.web_url)
        parent = self.channels.get(record["parentId"])
        channel = TreeChannel(record, custom, parent, [])
        if parent is not None:
            parent.children.append(channel)
            parent.record["children"].append(record)
        for name, value in custom.items():
            if name.casefold() not in CHANNEL_ATTRIBUTES:
                record.setdefault(name, value)  # a custom field never hides a member of the interface
        record["children"] = []
        record["navigationUrl"] = ""
        self.channels[record["id"]] = channel

    def _own_address(self, channel: TreeChannel) -> str:
        """Where the channel's own page is (original-behaviour §6)."""
        web_url, record = self.site.web_url, channel.record
        if channel.parent is None:
            return f"{web_url}/index.html"
        if record["linkUrl"]:
            return resolve(record["linkUrl"], web_url)
        if path := record["filePath"]:
            return resolve(path, web_url) if path[:2] in {"@/", "~/"} else f"{web_url}/{path.lstrip('/')}"
        return web_url + self._pages.channel_path(channel.id)

    def _name_pages(self) -> None:
        changing: set[int] = set()
        # From the bottom: a channel may bear the address of one of its children.
        for channel in reversed(self.channels.values()):
            pk, record = channel.id, channel.record
            if record["linkType"] == LinkType.NONE or channel.parent is None:
                record["navigationUrl"] = self._own_addresses[pk]
                continue
            record["navigationUrl"] = decide(channel, self._own_addresses[pk], None)
            child = LEADS_TO_CHILD[record["linkType"]](channel) if record["linkType"] in LEADS_TO_CHILD else None
            if record["linkType"] in LEADS_TO_CONTENT or (child is not None and child.id in changing):
                changing.add(pk)
                self._changing.append(channel)


_FACTS = itemgetter(
    "id", "parentId", "channelName", "indexName", "addDate", "channelFilePathRule", "contentFilePathRule"
)


def _facts(channel: TreeChannel) -> PageFacts:
    return PageFacts._make((*_FACTS(channel.record), channel.settings))


def _dump(channel: TreeChannel) -> bytes:
    try:
        return dump(channel.record)
    except orjson.JSONEncodeError:  # nested deeper than it writes
        return b"".join(_write(channel))


def _write(channel: TreeChannel) -> Iterator[bytes]:
    """The same JSON piece by piece, however deep the tree is."""
    steps: list[tuple[TreeChannel, bool]] = [(channel, False)]
    comma = b""
    while steps:
        step, is_closing = steps.pop()
        if is_closing:
            yield b'],"navigationUrl":' + dump(step.record["navigationUrl"]) + b"}"
            comma = b","
            continue
        head = {name: value for name, value in step.record.items() if name not in {"children", "navigationUrl"}}
        yield comma + dump(head)[:-1] + b',"children":['
        comma = b""
        steps.append((step, True))
        steps += ((child, False) for child in reversed(step.children))


def contents() -> Contents:
    """The contents' manager; asked through the reverse relation, since channels import nothing from above."""
    return cast(Contents, Channel._meta.get_field("contents").related_model._default_manager)


# ---- reading and keeping


_NAMES = tuple(map(to_wire, ChannelSerializer.field_table()))[:-2]  # without children and navigationUrl
_COLUMNS = {"parent_id": "COALESCE(h.parent_id, 0)", "last_node": "h.is_last_node"}
_kept: LRUCache[int, tuple[int, Tree]] = LRUCache(settings.CMS_TREE_CACHE_BYTES, lambda entry: entry[1].size)
_lock = Lock()


def read_tree(site_id: int) -> Tree:
    """The tree of the site as it is now. Raises NotFound when there is no such site."""
    number = _read_number(site_id)
    with _lock:
        kept = _kept.get(site_id)
    if kept is not None and kept[0] == number:
        return kept[1]
    tree = Tree(Site.objects.get(pk=site_id), _read_rows(site_id))
    if number is not None and tree.size <= _kept.maxsize:
        with _lock:
            _kept[site_id] = (number, tree)
    return tree


def _read_number(site_id: int) -> int | None:
    """The site's present number; None where the triggers that draw it were off."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT v.number FROM cms_sites_site s "
            f"LEFT JOIN {TreeVersion._meta.db_table} v ON v.site_id = s.id WHERE s.id = %s",
            (site_id,),
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound("site_not_found", f"Site {site_id} was not found.")
    return cast("int | None", row[0])


def _read_rows(site_id: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(map(_selected, list(ChannelSerializer.field_table())[:-2]))}, "
            f"CAST(h.settings AS text) FROM {Channel._meta.db_table} h "
            "WHERE h.site_id = %s AND h.trashed_at IS NULL ORDER BY h.taxis, h.id",
            (site_id,),
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _selected(name: str) -> str:
    column = _COLUMNS.get(name, f"h.{name}")
    return date_text(column, connection) if name == "add_date" else column
