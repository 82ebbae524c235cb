"""Contents of an stl list: one statement if it is short and indexed; else one for the ids and one per chunk."""

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any, cast

from django.conf import settings
from django.db import connection

from channels_app.stl import covered_channels, in_groups
from channels_app.tree import Tree
from contents.flags import FLAGS, MARKS, OWN, ListKind
from contents.lists.detail import read_numbered, read_present, read_records
from contents.lists.found import FoundPage, read_ranked
from contents.lists.fragments import OF_LISTS, Fragment, read_fragments
from contents.lists.page import limited
from contents.lists.ranges import (
    LISTED,
    LISTED_BY_TAXIS,
    Order,
    counted,
    in_any_named_list,
    in_list,
    page_of,
    ranges_of,
)
from contents.lists.request import MAX_NAMES, MAX_RULES, raise_if_too_many
from contents.rules.sql import TABLES, Rules
from contents.sql_fragments import NOTHING, SqlFragment, among, concatenate, fetch, join, negate
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import Record, Selection
from core.rest.rules import AnyOf, Expression, Rule
from core.stl.attributes import Attributes
from core.stl.views import first_and_count
from core.stl.where import parse_order, parse_where
from search.query import Match, make_room
from search.ranking import Search

RELEVANCE = "relevance"  # order of a list with words: best first
_CHUNK = 500  # records read at a time
_TOGETHER = 50  # lists in one statement
_SLOW, _FEWER = "The list takes longer than {} seconds to compute", "conditions"
_MAX_UNKNOWN = 100  # attributes that may be custom fields; further ones are ignored
# Keywords of `order` → (pinned first or not, sort key).
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
_CONDITIONS = {"where", "tags", "isrelatedcontents", "isnodup", *_MEDIA, *_GROUPS, "groupchannel", "groupchannelnot"}
# Attributes with their own meaning, which never filter a column, even if a custom field has the name.
_NO_FILTERS = {
    *("siteid", "sitedir", "sitename", "channelid", "channelindex", "channelname", "contentid", "type", "tags"),
    *("apikey", "scope", "isallchildren", "istotal", "parent", "uplevel", "toplevel", "groupchannel"),
    *(
        "groupchannelnot",
        "isrelatedcontents",
        "isnodup",
        "order",
        "where",
        "totalnum",
        "startnum",
        "pagenum",
        "maxpage",
    ),
    *_FLAGS,
    *_MEDIA,
    *_GROUPS,
}
_TAG = re.compile(r'"([^"]*)"|([^\s,;"]+)')


class StlList:
    """Approved contents around a channel that the attributes select, and that fulfil the further conditions.

    With `found`, only those that have its words; the order may then be RELEVANCE.
    """

    def __init__(
        self,
        tree: Tree,
        channel: Record,
        attributes: Attributes,
        further: Sequence[Expression | SqlFragment] = (),
        seconds: float | None = None,
        found: Match | None = None,
    ) -> None:
        self._further, self._match = further, found
        self.seconds = seconds or settings.CMS_STATEMENT_SECONDS  # for a statement that no index answers
        self._tree, self._channel, self._attributes = tree, channel, attributes
        self._order = attributes.text("order").strip().casefold() or "default"
        self._scope = attributes.text("scope").strip().casefold() or "self"
        if attributes.boolean("isAllChildren"):
            self._scope = "descendant"
        self._flags = {column: attributes.boolean(name) for name, column in _FLAGS.items() if name in attributes}
        self._filters = self._read_filters()

    def read_chunks(self) -> Iterator[list[Fragment]]:
        """Yield the contents, in order; those deleted after the first statement are omitted.

        Raises InvalidInput, also after CMS_STATEMENT_SECONDS.
        """
        site_id, listed = self._tree.site.pk, self.listed_page()
        if listed is not None:
            page, order = listed
            found = read_fragments("TRUE", (), OF_LISTS, page=page, order=order)
            if found:
                yield list(found.values())
            return
        whole = self._listed()
        ids = self._search() if whole is None else [row[0] for row in fetch(whole[0].sql, whole[0].params)]
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            found = read_present(site_id, chunk)
            if found:
                yield [found[pk] for pk in chunk if pk in found]

    def read_records(self, selection: Selection) -> list[Record]:
        """The contents as records, in order. Raises InvalidInput like read_chunks."""
        listed = self._listed()
        if listed is not None:
            return read_records("TRUE", (), selection, page=listed[0], order=listed[1])
        ids = self._search()
        found = {}
        for start in range(0, len(ids), _CHUNK):
            chosen = among("c.id", ids[start : start + _CHUNK])
            where = f"{chosen.sql} AND c.site_id = %s AND c.trashed_at IS NULL"
            for record in read_records(where, (*chosen.params, self._tree.site.pk), selection):
                found[record["id"]] = record
        return [found[pk] for pk in ids if pk in found]

    def count(self) -> int:
        """The number of contents without the limits of a page."""
        if self._ranked:
            return self._ranked.total
        if self._is_listed():
            own = OWN if self._is_own() else 0
            owner = in_list(ListKind.CHANNEL, self._channel["id"])
            statement = counted(owner, {"is_checked": True, **self._flags}, bits=own)
        else:
            found = self._found()
            statement = SqlFragment(f"SELECT COUNT(*) FROM {TABLES} WHERE {found.sql}", found.params)
        rows = self._read(statement, "The list takes longer than {} seconds to count")
        return int(rows[0][0])

    def listed_page(self) -> tuple[SqlFragment, Order] | None:
        """The ids and their order if the list is short and an index answers it; else None."""
        return self._listed() if 0 < first_and_count(self._attributes)[1] <= _CHUNK else None

    def short_page(self) -> tuple[SqlFragment, Order, bool] | None:
        """The ids of a short list and their order, and whether an index answers it; None for other lists."""
        if self._match or not 0 < first_and_count(self._attributes)[1] <= _CHUNK:
            return None
        if (listed := self._listed()) is not None:
            return *listed, True
        return (self._searched(), self._searched_order(), False) if self._order in _ORDERS else None

    def _search(self) -> list[int]:
        if self._ranked:
            return self._ranked.ids
        ids = [row[0] for row in self._read(self._searched(), _SLOW)]
        if self._order != "random":
            return ids
        first, count = first_and_count(self._attributes)
        return random.sample(ids, min(first + count, len(ids)) if count else len(ids))[first:]

    def _read(self, statement: SqlFragment, slow: str) -> list[tuple[Any, ...]]:
        with limited(slow, _FEWER, self.seconds):
            if self._match:
                make_room()
            return fetch(statement.sql, statement.params)

    @cached_property
    def _ranked(self) -> FoundPage | None:
        """The contents in the order RELEVANCE; None for other orders."""
        if self._match is None or self._order != RELEVANCE:
            return None
        condition, (first, count) = self._found(), first_and_count(self._attributes)
        search = Search(self._match, f" JOIN ({TABLES}) ON c.id = e.subject_id", condition.sql, condition.params)
        return read_ranked(search, first, count or 2**31, self.seconds)

    @cached_property
    def _rules(self) -> Rules:
        return Rules(self._tree.site.pk)

    def _read_filters(self) -> dict[str, str]:
        """Attributes named after columns, as filters of their values."""
        asked = [name for name in self._attributes if name not in _NO_FILTERS]
        others = [name for name in asked if name not in BY_FOLDED_WIRE and name[0] != "_"][:_MAX_UNKNOWN]
        if others:
            self._rules.look_up(others)
        known = BY_FOLDED_WIRE.keys() | {name for name in others if self._rules.find(name)}
        return {name: value for name in asked if name in known and (value := self._attributes.text(name))}

    # ---- from ListedContent, by its indexes

    def _listed(self) -> tuple[SqlFragment, Order] | None:
        """The ids and their order if the index can answer: a channel, with or without those below it; else None."""
        if not self._is_listed():
            return None
        _, key = _ORDERS[self._order]
        own, (first, count) = NOTHING, first_and_count(self._attributes)
        if self._is_own():
            own = SqlFragment(" AND l.channel_id = %s", (self._channel["id"],))
        owner, flags = in_list(ListKind.CHANNEL, self._channel["id"]), {"is_checked": True, **self._flags}
        # Pinned contents come first in either direction, so they are a range of their own.
        if connection.vendor == "sqlite" and "taxis" in key and not self._flags:
            source, halves = LISTED_BY_TAXIS, ranges_of([owner], flags, split="is_top", more=own, compared=("is_top",))
        else:
            bare = ("is_checked", "is_top")
            source, halves = LISTED, ranges_of([owner], flags, split="is_top", more=own, bare=bare)
        order = ("is_top DESC", key, "content_id DESC")
        return page_of(halves, order, count, first, split="is_top", source=source), order

    def _is_listed(self) -> bool:
        _, key = _ORDERS.get(self._order, ("", ""))
        if self._scope not in {"self", "all"} or key not in _LISTED_KEYS or self._further or self._match:
            return False
        return not self._filters and not any(name in _CONDITIONS for name in self._attributes)

    def _is_own(self) -> bool:
        """Without children, the lists of the channel itself and of all below it are the same."""
        return self._scope == "self" and bool(self._channel["children"])

    # ---- from Content

    def _searched(self) -> SqlFragment:
        """The ids, with the sort keys of a keyword."""
        found = self._found()
        if self._order == "random":
            return SqlFragment(f"SELECT c.id FROM {TABLES} WHERE {found.sql} ORDER BY c.id", found.params)
        columns = "c.id"
        if self._order in _ORDERS:
            order = self._searched_order()
            columns = ", ".join(f"c.{key.split()[0]}" for key in reversed(order))
            keys = [f"c.{key}" for key in order]
        else:
            keys = [
                *(str(self._rules.order(rule)) for rule in parse_order(self._attributes.text("order"))),
                "c.id DESC",
            ]
        sql = f"SELECT {columns} FROM {TABLES} WHERE {found.sql} ORDER BY {', '.join(keys)}"
        first, count = first_and_count(self._attributes)
        if not (first or count):
            return SqlFragment(sql, found.params)
        return SqlFragment(f"{sql} LIMIT {count or 2**62} OFFSET %s", (*found.params, first))

    def _searched_order(self) -> Order:
        pinned, key = _ORDERS[self._order]
        return ("is_top DESC", key, "id DESC") if pinned else (key, "id DESC")

    def _found(self) -> SqlFragment:
        found = join([self._channels(), *self._conditions()])
        if not self._attributes.boolean("isNoDup"):
            return found
        # Of contents with the same title the first stays.
        return SqlFragment(f"c.id IN (SELECT MIN(c.id) FROM {TABLES} WHERE {found.sql} GROUP BY c.title)", found.params)

    def _channels(self) -> SqlFragment:
        covered = covered_channels(self._channel, self._scope)
        for name, is_wanted in (("groupChannel", True), ("groupChannelNot", False)):
            if name in self._attributes:
                # For contents this is a single name; an empty one matches no group.
                names = list(filter(None, [self._attributes.text(name).strip()]))
                covered = [channel for channel in covered if in_groups(channel, names) is is_wanted]
        if len(covered) == len(self._tree.channels):
            return SqlFragment("c.site_id = %s", (self._tree.site.pk,))
        return among("c.channel_id", [channel["id"] for channel in covered])

    def _conditions(self) -> Iterator[SqlFragment]:
        attributes, site_id = self._attributes, self._tree.site.pk
        yield SqlFragment("c.is_checked AND c.trashed_at IS NULL AND c.site_id = %s", (site_id,))
        for column, wanted in self._flags.items():
            yield SqlFragment(f"{'' if wanted else 'NOT '}c.{column}")
        for name, column in _MEDIA.items():
            if name in attributes:
                yield SqlFragment(f"c.{column} {'<>' if attributes.boolean(name) else '='} ''")
        for name, is_wanted in _GROUPS.items():
            if name in attributes:
                named = _named(ListKind.GROUP, site_id, attributes.names(name))
                yield named if is_wanted else negate(named)
        if tags := split_tags(attributes.text("tags")):
            yield _named(ListKind.TAG, site_id, tags)
        if attributes.boolean("isRelatedContents"):
            yield self._related()
        raise_if_too_many("filters", len(self._filters), MAX_RULES)
        for name, value in self._filters.items():
            yield from map(self._rules.condition, _filter(self._rules.column(name, name).wire, value))
        if where := attributes.text("where").strip():
            yield self._rules.condition(parse_where(where))
        if self._match and (self._order != RELEVANCE or attributes.boolean("isNoDup")):
            sql, params = self._match.ids()
            yield SqlFragment(f"c.id IN ({sql})", params)
        for one in self._further:
            yield one if isinstance(one, SqlFragment) else self._rules.condition(one)

    def _related(self) -> SqlFragment:
        content_id = self._attributes.signed("contentId")
        # A content of another site counts as one without tags.
        tags = (
            "SELECT l.owner_id FROM contents_listedcontent l JOIN contents_contenttag t ON t.id = l.owner_id "
            f"WHERE l.kind = {ListKind.TAG.value} AND l.content_id = %s AND t.site_id = %s"
        )
        sharing = f"SELECT content_id FROM contents_listedcontent WHERE kind = {ListKind.TAG.value} AND owner_id IN"
        of_content = (content_id, self._tree.site.pk)
        sql = f"c.id <> %s AND (c.id IN ({sharing} ({tags})) OR NOT EXISTS ({tags}))"
        return SqlFragment(sql, (content_id, *of_content, *of_content))


def read_lists(lists: Sequence[StlList], selection: Selection) -> list[list[Record] | None]:
    """Read short lists of one site together, one statement for each order; None for rows that cannot be.

    Raises InvalidInput like StlList.read_chunks.
    """
    found: list[list[Record] | None] = [None] * len(lists)
    pages: dict[tuple[Order, bool], list[tuple[int, SqlFragment]]] = {}
    for place, one in enumerate(lists):
        if (short := one.short_page()) is not None:
            page, order, is_listed = short
            pages.setdefault((order, is_listed), []).append((place, page))
            found[place] = []
    for (order, is_listed), several in pages.items():
        for start in range(0, len(several), _TOGETHER):
            parts = [
                SqlFragment(f"SELECT {place} AS list, page.* FROM ({page.sql}) page", page.params)
                for place, page in several[start : start + _TOGETHER]
            ]
            together = concatenate(" UNION ALL ", parts)
            with nullcontext() if is_listed else limited(_SLOW, _FEWER, min(one.seconds for one in lists)):
                records = read_numbered(together, selection, ("list", *order))
            for place, record in records:
                cast(list[Record], found[place]).append(record)
    return found


def split_tags(text: str) -> list[str]:
    """Split names at commas, semicolons and blanks; quoted names may contain blanks."""
    return [name for name in (quoted.strip() or bare for quoted, bare in _TAG.findall(text)) if name]


def _named(kind: ListKind, site_id: int, names: list[str]) -> SqlFragment:
    if not names:
        return SqlFragment("1 = 0")
    raise_if_too_many("tags" if kind == ListKind.TAG else "groups", len(names), MAX_NAMES)
    return in_any_named_list(kind, site_id, names)


def _filter(wire: str, value: str) -> list[Expression]:
    """Parse a column filter: `x,y`, `not:x,y`, `contains:x,y`, `start:x,y`, `end:x,y`."""
    prefix, colon, rest = value.partition(":")
    operator, pattern = _FILTERS.get(prefix.strip().casefold() if colon else "", ("In", ""))
    if not pattern:
        return [Rule(wire, operator, rest if operator == "NotIn" else value)]
    texts = [text for text in map(str.strip, rest.split(",")) if text]
    raise_if_too_many(wire, len(texts), MAX_NAMES)
    likes = tuple(Rule(wire, "Like", pattern.format(text)) for text in texts)
    return [AnyOf(likes)] if likes else []


_FILTERS: dict[str, tuple[str, str]] = {
    "not": ("NotIn", ""),
    "contains": ("Like", "%{}%"),
    "start": ("Like", "{}%"),
    "end": ("Like", "%{}"),
}
