"""The channels of a site as a tree of wire records, cached per process.

Every request reads the site's TreeVersion, which differs after every change on any node; a tree is cached with the
number read before it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from threading import Lock, RLock
from typing import Any, cast

import orjson
from cachetools import LRUCache
from django.apps import apps
from django.conf import settings
from django.db import connection

from channels_app.attributes import CHANNEL_ATTRIBUTES
from channels_app.links import LEADS_TO_CHILD, LEADS_TO_CONTENT, Contents, decide
from channels_app.models import Channel, TreeVersion, channel_not_found
from channels_app.page_paths import PageFacts, Pages
from channels_app.serializers import ChannelSerializer
from core.lib.cache_counts import CacheCounts
from core.lib.clock import date_text
from core.rest.conditional import tag_of, tag_of_bytes
from core.rest.json import dump
from core.rest.names import to_wire
from sites.addresses import resolve, split_host
from sites.models import Site, site_not_found
from sites.page_rules import CHANNEL_RULE, quoted

Record = dict[str, Any]


class Tree:
    """The present channels of a site: wire records by id, in tree order, the home channel first.

    A record lists its `children` but does not refer to its parent: without reference cycles a dropped tree is freed
    immediately.
    """

    def __init__(self, site: Site, rows: Iterable[tuple[Any, ...]]) -> None:
        self.site = site
        self.channels: dict[int, Record] = {}
        self.size = 0  # approximate size in bytes
        self.number: int | None = None  # of the TreeVersion read before it; None if triggers were off
        self.lock = RLock()  # held while addresses that depend on contents are written and used
        self._settings: dict[int, dict[str, Any]] = {}
        # Cached tags by the channel's id (0: all), each with a tag of the addresses that depend on contents.
        self._tags: dict[int, tuple[str, str]] = {}
        # Channels whose address depends on contents, children before parents; with the addresses of their own pages.
        self._changing: list[tuple[Record, str]] = []
        self._read(rows)
        self._name_pages()

    @property
    def home(self) -> Record:
        return self.channels[self.site.pk]

    def find(self, channel_id: int) -> Record:
        """Return the channel; 0 means the home channel. Raises NotFound."""
        channel = self.channels.get(channel_id or self.site.pk)
        if channel is None:
            raise channel_not_found(self.site.pk, channel_id)
        return channel

    def settings(self, channel: Record) -> dict[str, Any]:
        return self._settings.get(channel["id"], {})

    def above(self, channel: Record) -> list[Record]:
        found: list[Record] = []
        parent = self.channels.get(channel["parentId"])
        while parent is not None:
            found.append(parent)
            parent = self.channels.get(parent["parentId"])
        return found[::-1]

    def answer(self, value: Record | list[Record], look: Callable[[str], None]) -> tuple[str, bytes]:
        """Return the tag and the JSON, in the envelope, of one channel with everything below it, or of several.

        `look` receives the tag, before the JSON is written if the tag is cached. It may raise.
        """
        key = 0 if isinstance(value, list) else value["id"]
        with self.lock:
            self.renew_addresses(contents())
            moving = tag_of(*(channel["navigationUrl"] for channel, _ in self._changing)) if self._changing else ""
            known = self._tags.get(key)
            if known is not None and known[0] == moving:
                look(known[1])
            content = _dump(value)
            if known is None or known[0] != moving:
                known = self._tags[key] = (moving, tag_of_bytes(content))
                look(known[1])
        return known[1], content

    def renew_addresses(self, contents: Contents) -> None:
        """Update addresses that depend on contents, in one statement; hold the lock until the records are used."""
        asked = [channel for channel, _ in self._changing if channel["linkType"] in LEADS_TO_CONTENT]
        if asked:
            orders = {channel["id"]: self.settings(channel).get("defaultTaxisType", "") for channel in asked}
            firsts = contents.first_contents(self.site.pk, orders)
            for channel, own_address in self._changing:
                channel["navigationUrl"] = decide(channel, own_address, firsts.get(channel["id"]))

    def changes(self, channel: Record) -> bool:
        """Return whether the address of the channel depends on contents."""
        return any(channel is each for each, _ in self._changing)

    def changing_addresses(self) -> dict[int, str]:
        """Return the current addresses of the channels whose address depends on contents, by id; one statement."""
        with self.lock:
            self.renew_addresses(contents())
            return {channel["id"]: channel["navigationUrl"] for channel, _ in self._changing}

    def _read(self, rows: Iterable[tuple[Any, ...]]) -> None:
        channels, web_url = self.channels, self.site.web_url
        has_numbers = connection.vendor != "postgresql"
        size = 0
        for row in rows:
            record = _EMPTY.copy()  # a dict with its size preset is filled in half the time
            record.update(zip(_NAMES, row, strict=False))  # the settings come after the names
            if has_numbers:
                record["lastNode"] = record["isLastNode"] = record["isLastNode"] == 1
            if row[_IMAGE_URL]:
                record["imageUrl"] = resolve(row[_IMAGE_URL], web_url)
            if row[-1] != "{}":
                stored = self._settings[row[_ID]] = orjson.loads(row[-1])
                for name, value in stored.items():
                    if name.casefold() not in CHANNEL_ATTRIBUTES:
                        record.setdefault(name, value)  # a custom field never hides a member of the API
                for name in ("children", "navigationUrl"):
                    record[name] = record.pop(name)  # they come last
            record["children"] = []
            channels[row[_ID]] = record
            if (parent := channels.get(row[_PARENT_ID])) is not None:
                parent["children"].append(record)
            size += _RECORD_BYTES + len(row[_CONTENT]) + len(row[_DESCRIPTION]) + len(row[-1])
        self.size = size

    @cached_property
    def by_path(self) -> dict[str, int]:
        """Channels by the path, on the site's host, of their own page, regardless of links; the first of several."""
        pages, web_url, found = self._pages(), self.site.web_url, dict[str, int]()
        host, _ = split_host(web_url)
        for pk, channel in self.channels.items():
            if pk != self.site.pk:
                without_link = {"linkUrl": "", "filePath": channel["filePath"]}
                address = own_address(without_link, _path(pages, pk), web_url)
                found.setdefault(address.removeprefix(host), pk)
        return found

    @cached_property
    def folded_paths(self) -> dict[str, str]:
        """The paths of `by_path` by their form without letter case; the first of several."""
        return {path.casefold(): path for path in reversed(self.by_path)}

    def _pages(self) -> Pages | None:
        """Return the pages of the channels; None if the built-in rule names all of them."""
        channels = self.channels.values()
        rule = str(self.site.settings.get("channelFilePathRule") or CHANNEL_RULE)
        if rule == CHANNEL_RULE and not any(channel["channelFilePathRule"] for channel in channels):
            return None
        facts = (PageFacts._make((*_FACTS(channel), self.settings(channel))) for channel in channels)
        return Pages(facts, self.site.settings)

    def _name_pages(self) -> None:
        web_url, pages = self.site.web_url, self._pages()
        linked: list[Record] = []
        for pk, channel in self.channels.items():
            path = quoted(_path(pages, pk))
            if channel["linkUrl"] or channel["filePath"]:
                places = {"linkUrl": channel["linkUrl"], "filePath": quoted(channel["filePath"])}
                channel["navigationUrl"] = own_address(places, path, web_url)
            else:
                channel["navigationUrl"] = web_url + path
            if channel["linkType"] != "None" and pk != self.site.pk:
                linked.append(channel)
        if self.site.pk in self.channels:
            self.home["navigationUrl"] = f"{web_url}/index.html"
        changing: set[int] = set()
        # Bottom-up: a channel may have the address of one of its children.
        for channel in reversed(linked):
            kind, own = channel["linkType"], channel["navigationUrl"]
            channel["navigationUrl"] = decide(channel, own, None)
            child = LEADS_TO_CHILD[kind](channel) if kind in LEADS_TO_CHILD else None
            if kind in LEADS_TO_CONTENT or (child is not None and child["id"] in changing):
                changing.add(channel["id"])
                self._changing.append((channel, own))


_RECORD_BYTES = 3000  # of a record without its texts of unlimited length
_FACTS = itemgetter(
    "id", "parentId", "channelName", "indexName", "addDate", "channelFilePathRule", "contentFilePathRule"
)


def _path(pages: Pages | None, channel_id: int) -> str:
    return f"/channels/{channel_id}.html" if pages is None else pages.channel_path(channel_id)


def below(channel: Record) -> Iterator[Record]:
    waiting: list[Record] = channel["children"][::-1]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one["children"][::-1]


def own_address(channel: Mapping[str, Any], path: str, web_url: str) -> str:
    """Return the address of the channel's own page: its link, its file, or the path by its rule."""
    if channel["linkUrl"]:
        return resolve(channel["linkUrl"], web_url)
    if file := channel["filePath"]:
        return resolve(file, web_url) if file[:2] in {"@/", "~/"} else f"{web_url}/{file.lstrip('/')}"
    return web_url + path


def _dump(value: Record | list[Record]) -> bytes:
    try:
        return dump({"value": value})
    except orjson.JSONEncodeError:  # nested deeper than orjson writes
        return b"".join(_write(value))


def _write(value: Record | list[Record]) -> Iterator[bytes]:
    yield b'{"value":' + (b"[" if isinstance(value, list) else b"")
    steps = [(channel, False) for channel in reversed(value if isinstance(value, list) else [value])]
    comma = b""
    while steps:
        step, is_closing = steps.pop()
        if is_closing:
            yield b'],"navigationUrl":' + dump(step["navigationUrl"]) + b"}"
            comma = b","
            continue
        head = {name: member for name, member in step.items() if name not in {"children", "navigationUrl"}}
        yield comma + dump(head)[:-1] + b',"children":['
        comma = b""
        steps.append((step, True))
        steps += ((child, False) for child in reversed(step["children"]))
    yield b"]}" if isinstance(value, list) else b"}"


def contents() -> Contents:
    return cast(Contents, apps.get_app_config("channels_app").contents)  # type: ignore[attr-defined]


# ---- reading and caching


_FIELDS = tuple(ChannelSerializer.field_table())[:-2]  # without children and navigationUrl
_NAMES = tuple(map(to_wire, _FIELDS))
_ID, _PARENT_ID, _IMAGE_URL = map(_NAMES.index, ("id", "parentId", "imageUrl"))
_CONTENT, _DESCRIPTION = map(_NAMES.index, ("content", "description"))  # texts without a limit
_EMPTY: Record = dict.fromkeys((*_NAMES, "children", "navigationUrl"), "")
_kept: LRUCache[int, tuple[int, Tree]] = LRUCache(settings.CMS_TREE_CACHE_BYTES, lambda entry: entry[1].size)
_lock = Lock()
_counts = CacheCounts("trees")


def kept_tree(site_id: int) -> tuple[int | None, Tree | None]:
    """Return the number and the cached tree of the site, which may be outdated."""
    with _lock:
        return _kept.get(site_id, (None, None))


def read_tree(site_id: int) -> Tree:
    """Return the current tree of the site. Raises NotFound."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT v.number FROM cms_sites_site s "
            f"LEFT JOIN {TreeVersion._meta.db_table} v ON v.site_id = s.id WHERE s.id = %s AND s.trashed_at IS NULL",
            (site_id,),
        )
        row = cursor.fetchone()
    if row is None:
        raise site_not_found(site_id)
    return tree_of(site_id, row[0])


def tree_of(site_id: int, number: int | None) -> Tree:
    """Return the tree of a site whose TreeVersion has just been read; None if the triggers that draw it were off."""
    with _lock:
        kept = _kept.get(site_id)
        tree = kept[1] if kept is not None and kept[0] == number else None
        _counts.hits += tree is not None
        _counts.misses += tree is None
    if tree is not None:
        return tree
    tree = Tree(Site.with_trash.get(pk=site_id), _read_rows(site_id))
    tree.number = number
    if number is not None and tree.size <= _kept.maxsize:
        with _lock:
            _kept[site_id] = (number, tree)
    return tree


def _read_rows(site_id: int) -> list[tuple[Any, ...]]:
    special = {"parent_id": "COALESCE(h.parent_id, 0)", "last_node": "h.is_last_node"}
    special["add_date"] = date_text("h.add_date", connection)
    columns = ", ".join(special.get(name, f"h.{name}") for name in _FIELDS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns}, CAST(h.settings AS text) FROM {Channel._meta.db_table} h "
            "WHERE h.site_id = %s AND h.trashed_at IS NULL ORDER BY h.taxis, h.id",
            (site_id,),
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
