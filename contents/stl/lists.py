"""Which contents an stl list means: channels around one, groups, tags, flags, conditions, order (template-tags §4).

Two statements answer a list of any size: the ids in their order, and then the records, a chunk at a time.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.db import connection

from channels_app.stl import covered_channels, in_groups
from channels_app.tree import Tree
from cms_api.rest.rules import AnyOf, Expression, Rule
from cms_api.stl.attributes import Attributes
from cms_api.stl.order import parse_order
from cms_api.stl.views import first_and_count
from cms_api.stl.where import parse_where
from contents.conditions import NOTHING, Condition, among, fetch, join, negate
from contents.flags import FLAGS, MARKS, ListKind
from contents.lists.one import read_present
from contents.lists.page import read_limited
from contents.lists.ranges import in_any_named_list, in_list, page_of, ranges_of
from contents.lists.request import refuse_many
from contents.rules.writer import TABLES, Rules
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import Record

_CHUNK = 500  # records read at once
_MAX_UNKNOWN = 100  # attributes that may be custom fields; further ones are ignored
# Keywords of `order`: sort keys that follow the pinned state, or, for hits, do not.
_ORDERS = {
    "default": ("is_top", "taxis DESC"),
    "back": ("is_top", "taxis"),
    "adddate": ("is_top", "add_date DESC"),
    "adddateback": ("is_top", "add_date"),
    "lasteditdate": ("is_top", "last_edit_date DESC"),
    "lasteditdateback": ("is_top", "last_edit_date"),
    "hits": ("", "hits DESC"),
    "hitsbyday": ("", "hits_by_day DESC"),
    "hitsbyweek": ("", "hits_by_week DESC"),
    "hitsbymonth": ("", "hits_by_month DESC"),
}
_LISTED_KEYS = {"taxis DESC", "taxis", "add_date DESC", "add_date"}
_FLAGS = {f"is{name}": column for name, column in FLAGS.items() if column in MARKS}
_MEDIA = {"isimage": "image_url", "isvideo": "video_url", "isfile": "file_url"}
_GROUPS = {"groupcontent": True, "group": True, "groupcontentnot": False, "groupnot": False}
# Attributes that say which contents are meant by other ways than as filters of a column, even where some
# content has a custom field of the name.
_NO_FILTERS = {
    *("siteid", "sitedir", "sitename", "channelid", "channelindex", "channelname", "contentid", "type", "tags"),
    *("apikey", "scope", "isallchildren", "istotal", "parent", "uplevel", "toplevel", "groupchannel"),
    *("groupchannelnot", "isrelatedcontents", "order", "where", "totalnum", "startnum", "pagenum", "maxpage"),
    *_FLAGS,
    *_MEDIA,
    *_GROUPS,
}
_TAG = re.compile(r'"([^"]*)"|([^\s,;"]+)')


@dataclass(frozen=True)
class StlList:
    """The contents that a request means."""

    tree: Tree
    channel: Record
    attributes: Attributes

    def read_ids(self) -> list[int]:
        """The ids, in order. Raises InvalidInput, also when they take longer than CMS_STATEMENT_SECONDS."""
        if (listed := self._listed()) is not None:
            return [row[0] for row in fetch(listed.sql, listed.params)]
        rows = read_limited(self._searched(), "The list takes longer than {} seconds to find", "conditions")
        ids = [row[0] for row in rows]
        return self._shuffle(ids) if self._order == "random" else ids

    # ---- the channels

    @property
    def _scope(self) -> str:
        if self.attributes.boolean("isAllChildren"):
            return "descendant"
        return self.attributes.text("scope").strip().casefold() or "self"

    def _channels(self) -> Condition:
        """The content's channel is one that is covered."""
        covered = covered_channels(self.channel, self._scope)
        for name, is_wanted in (("groupChannel", True), ("groupChannelNot", False)):
            if name in self.attributes:
                # On contents this is one name and no list; an empty one is no group's.
                names = list(filter(None, [self.attributes.text(name).strip()]))
                covered = [channel for channel in covered if in_groups(channel, names) is is_wanted]
        if len(covered) == len(self.tree.channels):
            return Condition("c.site_id = %s", (self.tree.site.pk,))
        return among("c.channel_id", [channel["id"] for channel in covered])

    # ---- the order

    @property
    def _order(self) -> str:
        return self.attributes.text("order").strip().casefold() or "default"

    def _sort_keys(self) -> list[str]:
        if self._order == "random":
            return ["c.id"]
        if self._order in _ORDERS:
            pinned, key = _ORDERS[self._order]
            return [*(["c.is_top DESC"] if pinned else []), f"c.{key}", "c.id DESC"]
        return [*map(str, map(self._rules.order, parse_order(self.attributes.text("order")))), "c.id DESC"]

    # ---- out of the table of lists, by its indexes

    def _listed(self) -> Condition | None:
        """The ids of a channel, or of it and everything below it, in an order of that table; None for any other."""
        _, key = _ORDERS.get(self._order, ("", ""))
        if self._scope not in {"self", "all"} or key not in _LISTED_KEYS or self._has_conditions():
            return None
        own, (first, count) = NOTHING, first_and_count(self.attributes)
        # What a channel without others below it lists is its own.
        if self._scope == "self" and self.channel["children"]:
            own = Condition(" AND l.channel_id = %s", (self.channel["id"],))
        owner, flags = in_list(ListKind.CHANNEL, self.channel["id"]), {"is_checked": True, **self._flags}
        # Pinned ones come first, whatever the direction of the key: a range of their own, sorted by itself.
        halves = ranges_of([owner], flags, split="is_top", more=own, bare=("is_checked", "is_top"))
        return page_of(halves, ("is_top DESC", key, "content_id DESC"), count, first, split="is_top")

    def _has_conditions(self) -> bool:
        names = {"where", "tags", "isrelatedcontents", *_MEDIA, *_GROUPS, "groupchannel", "groupchannelnot"}
        return any(name in names for name in self.attributes) or bool(self._filters)

    # ---- out of the contents themselves

    def _searched(self) -> Condition:
        found = join([self._channels(), *self._conditions()])
        first, count = first_and_count(self.attributes)
        sql = f"SELECT c.id FROM {TABLES} WHERE {found.sql} ORDER BY {', '.join(self._sort_keys())}"
        if self._order == "random" or not (first or count):
            return Condition(sql, found.params)
        return Condition(f"{sql} LIMIT {count or 2**62} OFFSET %s", (*found.params, first))

    def _conditions(self) -> Iterator[Condition]:
        attributes, site_id = self.attributes, self.tree.site.pk
        yield Condition("c.is_checked AND c.trashed_at IS NULL AND c.site_id = %s", (site_id,))
        for column, wanted in self._flags.items():
            yield Condition(f"{'' if wanted else 'NOT '}c.{column}")
        for name, column in _MEDIA.items():
            if name in attributes:
                yield Condition(f"c.{column} {'<>' if attributes.boolean(name) else '='} ''")
        for name, is_wanted in _GROUPS.items():
            if name in attributes:
                named = _named(ListKind.GROUP, site_id, attributes.names(name))
                yield named if is_wanted else negate(named)
        if tags := split_tags(attributes.text("tags")):
            yield _named(ListKind.TAG, site_id, tags)
        if attributes.boolean("isRelatedContents"):
            yield self._related()
        refuse_many("filters", len(self._filters), settings.CMS_MAX_RULES)
        for name, value in self._filters.items():
            yield from map(self._rules.condition, _filter(self._rules.column(name, name).wire, value))
        if where := attributes.text("where").strip():
            yield self._rules.condition(parse_where(where))

    @cached_property
    def _rules(self) -> Rules:
        return Rules(connection, self.tree.site.pk)

    @cached_property
    def _flags(self) -> dict[str, bool]:
        attributes = self.attributes
        return {column: attributes.boolean(name) for name, column in _FLAGS.items() if name in attributes}

    @cached_property
    def _filters(self) -> dict[str, str]:
        """The attributes whose names are columns: values that the column must have (template-tags §3.3)."""
        asked = [name for name in self.attributes if name not in _NO_FILTERS]
        others = [name for name in asked if name not in BY_FOLDED_WIRE and name[0] != "_"][:_MAX_UNKNOWN]
        self._rules.look_up(others)
        known = BY_FOLDED_WIRE.keys() | {name for name in others if self._rules.find(name)}
        return {name: value for name in asked if name in known and (value := self.attributes.text(name))}

    def _related(self) -> Condition:
        """Shares a tag with the content of the request; where that has none, any other content."""
        content_id = self.attributes.signed("contentId")
        # A content of another site is none: it has no tags here.
        tags = (
            "SELECT l.owner_id FROM contents_listedcontent l JOIN contents_contenttag t ON t.id = l.owner_id "
            f"WHERE l.kind = {ListKind.TAG.value} AND l.content_id = %s AND t.site_id = %s"
        )
        sharing = (
            f"c.id IN (SELECT content_id FROM contents_listedcontent WHERE kind = {ListKind.TAG.value} "
            f"AND owner_id IN ({tags}))"
        )
        sql = f"c.id <> %s AND ({sharing} OR NOT EXISTS ({tags}))"
        of_content = (content_id, self.tree.site.pk)
        return Condition(sql, (content_id, *of_content, *of_content))

    def _shuffle(self, ids: list[int]) -> list[int]:
        first, count = first_and_count(self.attributes)
        wanted = min(first + count, len(ids)) if count else len(ids)
        return random.sample(ids, wanted)[first:]


def split_tags(text: str) -> list[str]:
    """Names separated by commas, semicolons or blanks; one with blanks stands in double quotes."""
    return [name for name in (quoted.strip() or bare for quoted, bare in _TAG.findall(text)) if name]


def read_records(site_id: int, ids: list[int]) -> Iterator[list[Record]]:
    """The records of the ids in their order, a chunk at a time; those that are gone meanwhile are left out."""
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        found = read_present(site_id, chunk)
        if found:
            yield [found[pk] for pk in chunk if pk in found]


def _named(kind: ListKind, site_id: int, names: list[str]) -> Condition:
    """In any of the groups, or with any of the tags; without a name, nothing is."""
    if not names:
        return Condition("1 = 0")
    refuse_many("tags" if kind == ListKind.TAG else "groups", len(names), settings.CMS_MAX_NAMES)
    return in_any_named_list(kind, site_id, names)


def _filter(wire: str, value: str) -> list[Expression]:
    """A column's filter: `x,y`, `not:x,y`, `contains:x,y`, `start:x,y`, `end:x,y`."""
    prefix, colon, rest = value.partition(":")
    operator, pattern = _FILTERS.get(prefix.strip().casefold() if colon else "", ("In", ""))
    if not pattern:
        return [Rule(wire, operator, rest if operator == "NotIn" else value)]
    texts = [text for text in map(str.strip, rest.split(",")) if text]
    refuse_many(wire, len(texts), settings.CMS_MAX_NAMES)
    likes = tuple(Rule(wire, "Like", pattern.format(text)) for text in texts)
    return [AnyOf(likes)] if likes else []


_FILTERS: dict[str, tuple[str, str]] = {
    "not": ("NotIn", ""),
    "contains": ("Like", "%{}%"),
    "start": ("Like", "{}%"),
    "end": ("Like", "%{}"),
}
