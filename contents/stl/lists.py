"""Which contents an stl list means: channels around one, groups, tags, flags, conditions, order (template-tags §4).

Two statements answer a list of any size: the ids in their order, and then the records, a chunk at a time.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from channels_app.stl import covered_channels, in_groups
from channels_app.tree import Tree
from cms_api.lib.statement_limit import TooSlow, statement_limit
from cms_api.rest.errors import BadRequest
from cms_api.stl.attributes import Attributes
from cms_api.stl.order import parse_order
from cms_api.stl.views import first_and_count
from cms_api.stl.where import parse_where
from contents.lists.request import refuse_many
from contents.lists.stl_indexed import Listed, limit
from contents.models import CustomField, ListKind
from contents.navigation.addresses import add_addresses
from contents.rules.conditions import Condition, among, join, negate
from contents.rules.label_filter import named
from contents.rules.stl_rules import to_condition
from contents.rules.writer import Rules
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import Record, record_maker, select_list

_CHUNK = 500  # records read at once
_MAX_UNKNOWN = 100  # attributes that may be custom fields; further ones are ignored
_TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)
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
_FLAGS = {"istop": "is_top", "isrecommend": "is_recommend", "ishot": "is_hot", "iscolor": "is_color"}
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


@dataclass(frozen=True, slots=True)
class StlList:
    """The contents that a request means."""

    tree: Tree
    channel: Record
    attributes: Attributes

    def read_ids(self) -> list[int]:
        """The ids, in order. Raises BadRequest, also when they take longer than CMS_STATEMENT_SECONDS."""
        if (listed := self._listed()) is not None:
            return _read_ids(listed)
        searched = self._searched()
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                ids = _read_ids(searched)
        except TooSlow as error:
            message = (
                f"The list takes longer than {settings.CMS_STATEMENT_SECONDS:g} seconds to find. "
                "Narrow it by channel, group, tag or flag, or use fewer conditions."
            )
            raise BadRequest("query_too_slow", message) from error
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

    def _sort_keys(self, rules: Rules) -> list[str]:
        if self._order == "random":
            return ["c.id"]
        if self._order in _ORDERS:
            return _keyword_keys(self._order, "id")
        wanted = parse_order(self.attributes.text("order"))
        keys = [str(rules.sort_key(rules.column(one.column, "order"), descending=one.descending)) for one in wanted]
        return [*keys, "c.id DESC"]

    # ---- out of the table of lists, by its indexes

    def _listed(self) -> Condition | None:
        """The ids of a channel, or of it and everything below it, in an order of that table; None for any other."""
        _, key = _ORDERS.get(self._order, ("", ""))
        if self._scope not in {"self", "all"} or key not in _LISTED_KEYS or self._has_conditions():
            return None
        listed = Listed(self.channel, self._scope == "all", key, self._flags())
        return listed.read(*first_and_count(self.attributes))

    def _has_conditions(self) -> bool:
        names = {"where", "tags", "isrelatedcontents", *_MEDIA, *_GROUPS, "groupchannel", "groupchannelnot"}
        return any(name in names for name in self.attributes) or bool(self._filters())

    # ---- out of the contents themselves

    def _searched(self) -> Condition:
        rules = Rules(connection, self.tree.site.pk)
        found = join([self._channels(), *self._conditions(rules)])
        first, count = first_and_count(self.attributes)
        keys = ", ".join(self._sort_keys(rules))
        sql = f"SELECT c.id FROM {_TABLES} WHERE {found.sql} ORDER BY {keys}"
        return Condition(sql + ("" if self._order == "random" else limit(count, first)), found.params)

    def _conditions(self, rules: Rules) -> Iterator[Condition]:
        attributes, site_id = self.attributes, self.tree.site.pk
        yield Condition("c.is_checked AND c.trashed_at IS NULL AND c.site_id = %s", (site_id,))
        for column, wanted in self._flags().items():
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
        filters = self._filters()
        refuse_many("filters", len(filters), settings.CMS_MAX_RULES)
        for name, value in filters.items():
            yield _filter(rules, name, value)
        if where := attributes.text("where").strip():
            yield to_condition(parse_where(where), rules)

    def _flags(self) -> dict[str, bool]:
        attributes = self.attributes
        return {column: attributes.boolean(name) for name, column in _FLAGS.items() if name in attributes}

    def _filters(self) -> dict[str, str]:
        """The attributes whose names are columns: values that the column must have (template-tags §3.3)."""
        asked = [name for name in self.attributes if name not in _NO_FILTERS]
        known = BY_FOLDED_WIRE.keys() & set(asked)
        # No name of a field holds a NUL character, which a database may refuse.
        others = [name.casefold() for name in asked if name not in known and name[0] != "_" and "\0" not in name]
        if others:
            custom = CustomField.objects.filter(site_id=self.tree.site.pk, folded_name__in=others[:_MAX_UNKNOWN])
            known |= set(custom.values_list("folded_name", flat=True))
        chosen = (name for name in asked if name.casefold() in known)
        return {name: value for name in chosen if (value := self.attributes.text(name))}

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


def _read_ids(statement: Condition) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.params)
        return [row[0] for row in cursor.fetchall()]


def split_tags(text: str) -> list[str]:
    """Names separated by commas, semicolons or blanks; one with blanks stands in double quotes."""
    return [name for name in (quoted.strip() or bare for quoted, bare in _TAG.findall(text)) if name]


def read_records(site_id: int, ids: list[int]) -> Iterator[list[Record]]:
    """The records of the ids in their order, a chunk at a time; those that are gone meanwhile are left out."""
    make = record_maker(connection)
    for start in range(0, len(ids), _CHUNK):
        chosen = among("c.id", ids[start : start + _CHUNK])
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT v.number, s.web_url, {select_list(connection)} FROM {_TABLES} "
                "LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
                f"WHERE {chosen.sql} AND c.site_id = %s AND c.trashed_at IS NULL",
                (*chosen.params, site_id),
            )
            rows = {row[2]: row for row in cursor.fetchall()}
        records = [make(rows[pk][2:], rows[pk][1]) for pk in ids[start : start + _CHUNK] if pk in rows]
        if records:
            number, web_url = next(iter(rows.values()))[:2]
            add_addresses(records, number, web_url)
            yield records


def _keyword_keys(keyword: str, number: str) -> list[str]:
    pinned, key = _ORDERS[keyword]
    return [*(["c.is_top DESC"] if pinned else []), f"c.{key}", f"c.{number} DESC"]


def _named(kind: ListKind, site_id: int, names: list[str]) -> Condition:
    """In any of the groups, or with any of the tags; without a name, nothing is."""
    if not names:
        return Condition("1 = 0")
    refuse_many("tags" if kind == ListKind.TAG else "groups", len(names), settings.CMS_MAX_NAMES)
    return named(kind, site_id, names)


def _filter(rules: Rules, name: str, value: str) -> Condition:
    """A column's filter: `x,y`, `not:x,y`, `contains:x,y`, `start:x,y`, `end:x,y`."""
    column = rules.column(name, name)
    name = column.wire  # as it is spelled everywhere else
    prefix, colon, rest = value.partition(":")
    operator, pattern = _FILTERS.get(prefix.strip().casefold() if colon else "", ("In", ""))
    if not pattern:
        return rules.condition(column, operator, rest if operator == "NotIn" else value, name)
    texts = [text for text in map(str.strip, rest.split(",")) if text]
    refuse_many(name, len(texts), settings.CMS_MAX_NAMES)
    likes = [rules.condition(column, "Like", pattern.format(text), name) for text in texts]
    return join(likes, " OR ") if likes else Condition("1 = 1")


_FILTERS: dict[str, tuple[str, str]] = {
    "not": ("NotIn", ""),
    "contains": ("Like", "%{}%"),
    "start": ("Like", "{}%"),
    "end": ("Like", "%{}"),
}
