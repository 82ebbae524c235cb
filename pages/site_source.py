"""The records of a site as the engine requests them. Lists and values are the same as in `/stl/*`."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from html import unescape

from django.conf import settings
from django.utils.module_loading import import_string

from channels_app.stl import channel_value, list_channels, move
from channels_app.tree import Tree, read_tree
from contents.flags import ListKind
from contents.lists.detail import read_records
from contents.models import ContentBody, ContentPicture
from contents.sql_fragments import SqlFragment, among, fetch
from contents.stl.elements import ContentValue, count
from contents.stl.lists import RELEVANCE, StlList, read_lists, split_tags
from contents.wire.records import Record, selection_of
from core.lib.errors import InvalidInput
from core.rest.rules import Rule
from core.stl.attributes import Attributes
from core.stl.text import choice_titles
from core.stl.views import cut
from pages.content_resolver import MEMBERS
from pages.engine.html import link_of
from pages.engine.scope import Limits
from pages.engine.source import CommentRules, FormRecord, Listed, Tag
from pages.searching import Condition, read_search
from pages.site_facts import facts_of
from search.query import Match, match
from search.words import Words
from sites.addresses import resolve
from sites.attributes import site_attributes
from sites.models import FieldDefinition, Site
from sites.stl import as_text, site_value

# The next and the previous content, by the order of the channel.
_NEIGHBOURS = " UNION ALL ".join(
    "SELECT id FROM (SELECT c.id FROM contents_content c WHERE c.channel_id = %s AND c.is_checked "
    f"AND c.trashed_at IS NULL AND c.taxis {sign} %s ORDER BY c.taxis {order}, c.id {order} LIMIT 1) {name}"
    for name, sign, order in (("following", "<", "DESC"), ("before", ">", "ASC"))
)
_ADDRESSES = frozenset({"image", "video", "file"})
_LINKS = frozenset({"linkurl", "navigationurl"})
_CHOICES = frozenset({"checkbox", "radio", "selectone", "selectmultiple"})
_MAX_WORDS = 20  # of `tags`
_MAX_TAGS = 2000
_MAX_ITEMS = Limits().items + 1  # of a list: one more than the limit of a page, so that a longer list exceeds it
# Names with the number of approved contents, in the order of their first use.
_TAGS = (
    "SELECT t.tag_name, COUNT(*) FROM contents_contenttag t JOIN contents_listedcontent l "
    f"ON l.kind = {ListKind.TAG.value} AND l.owner_id = t.id AND l.is_checked "
    f"WHERE t.site_id = %s GROUP BY t.id, t.tag_name ORDER BY t.id LIMIT {_MAX_TAGS}"
)
SEARCH_SECONDS = 1.0  # of a statement, since strangers may send any query
_MAX_FOUND = 1_000  # contents on a page of a search
_MAX_STORED_TAGS = 20_000  # that are looked through for a word


def _bounded(attributes: Attributes, most: int) -> Attributes:
    """Return the same, with a limit of the items if they have none or a higher one."""
    if 0 < attributes.integer("totalNum") <= most:
        return attributes
    return attributes.replaced(totalNum=str(most))


class SiteSource:
    """Implements `pages.engine.source.Source` for one page of a site; it caches all records until the page is done."""

    def __init__(self, tree: Tree) -> None:
        self._tree, self._facts = tree, facts_of(tree)
        self._others: dict[int, SiteSource] = {}
        self._contents: dict[int, Record] = {}
        self._siblings: dict[int, list[int]] = {}  # of a content, read together with it
        self._bodies: dict[int, str] = {}
        self._neighbours: dict[int, list[Record]] = {}
        self._targets: dict[int, Record | None] = {}
        self._ahead: dict[tuple[int, Attributes], list[Record]] = {}
        self._forms: dict[str, FormRecord | None] = {}

    # ---- site

    @property
    def site_id(self) -> int:
        return self._tree.site.pk

    @property
    def web_url(self) -> str:
        return self._tree.site.web_url

    def resolve(self, address: str) -> str:
        return resolve(address, self.web_url)

    def site_value(self, name: str, attributes: Attributes) -> str:
        site, folded = self._tree.site, name.casefold()
        definition = self._facts.fields.get(("site", folded))
        if folded.startswith("site") and folded not in {"siteid", "sitename", "siteurl", "sitedir"} and not definition:
            setting = folded.removeprefix("site")
            values = {key.casefold(): value for key, value in (site_attributes(site) | site.settings).items()}
            return as_text(values.get(setting))
        text = site_value(site, "id" if folded == "siteid" else name, attributes)
        return self._as_kind(definition, text, attributes)

    def sites(self, attributes: Attributes) -> list["SiteSource"]:
        name, folder = attributes.text("siteName").strip().casefold(), attributes.text("siteDir").strip().casefold()
        ids = attributes.ids("siteIds")
        sites = sorted(
            Site.objects.filter(templates__isnull=False).distinct(),
            key=lambda site: (not site.is_root, site.parent_id or 0, -site.taxis, site.pk),
        )
        if name or folder or ids:
            sites = [
                site
                for site in sites
                if (name and site.site_name.casefold() == name)
                or (folder and site.site_dir.casefold() == folder)
                or site.pk in ids
            ]
        return [self.of_site(site.pk) for site in cut(sites, attributes)]  # type: ignore[type-var]

    def of_site(self, site_id: int) -> "SiteSource":
        if site_id == self.site_id:
            return self
        if site_id not in self._others:
            self._others[site_id] = SiteSource(read_tree(site_id))
        return self._others[site_id]

    def field_kind(self, owner: str, name: str) -> str:
        definition = self._facts.fields.get((owner, name.casefold()))
        return definition.kind.casefold() if definition else ""

    def _as_kind(self, definition: FieldDefinition | None, text: str, attributes: Attributes) -> str:
        """Return an address resolved, and choices as their titles."""
        kind = definition.kind.casefold() if definition else ""
        if kind in _ADDRESSES:
            return self.resolve(text)
        if definition is not None and kind in _CHOICES and definition.choices:
            return choice_titles(
                text, [tuple(choice) for choice in definition.choices], attributes.text("separator", ",")
            )
        return text

    # ---- channels

    def home(self) -> Record:
        return self._tree.home

    def above(self, channel: Record) -> list[Record]:
        return self._tree.above(channel)

    def channel(self, channel_id: int) -> Record | None:
        return self._tree.channels.get(channel_id)

    def find_channel(self, start: Record, attributes: Attributes) -> Record:
        return move(self._tree, start, attributes) or start

    def channels(self, channel: Record, attributes: Attributes) -> Listed:
        found = list_channels(self._tree, channel, attributes)
        return Listed(cut(found, attributes), len(found))

    def channel_value(self, channel: Record, name: str, attributes: Attributes) -> str:
        text = channel_value(self._tree, channel, name.casefold(), attributes)
        text = link_of(text) if name.casefold() in _LINKS else text
        return self._as_kind(self._facts.fields.get(("channel", name.casefold())), text, attributes)

    def channel_url(self, channel: Record) -> str:
        return link_of(self._changing.get(channel["id"]) or str(channel["navigationUrl"]))

    @cached_property
    def _changing(self) -> dict[int, str]:
        return self._tree.changing_addresses()

    def count(self, channel: Record, attributes: Attributes) -> str:
        return count(channel, attributes)

    # ---- contents

    def contents(self, channel: Record, content_id: int, attributes: Attributes, *, is_counted: bool) -> Listed:
        if not is_counted and (known := self._ahead.get((channel["id"], attributes))) is not None:
            return Listed(known, len(known))
        return self._listed(self._list(channel, content_id, attributes), is_counted=is_counted)

    def _list(self, channel: Record, content_id: int, attributes: Attributes) -> StlList:
        further: list[Condition] = []
        if is_related := attributes.boolean("isRelatedContents"):
            attributes = self._related(content_id, attributes)
            further.append(Rule("id", "!=", str(content_id)))
        # In attributes, the text of a visitor is encoded.
        if words := set(split_tags(unescape(attributes.text("tags")))):
            tagged = self._with_words(words)
            # As in SiteServer, all are related to a content whose tags no other content has.
            if not is_related or self._has_others(content_id, tagged):
                further.append(tagged)
            attributes = attributes.replaced(tags=None)
        return StlList(self._tree, channel, _bounded(attributes, _MAX_ITEMS), further)

    def _related(self, content_id: int, attributes: Attributes) -> Attributes:
        """Return attributes that select by the tags of the content; without any, all contents of the list.

        As in SiteServer, tags with blanks between them count as none here.
        """
        content = self._contents.get(content_id)
        names = [name.strip() for name in content["tags"].split(",")] if content else []
        known = " ".join(f'"{name}"' for name in names if name and " " not in name)
        return attributes.replaced(isRelatedContents=None, tags=known or None)

    def read_ahead(self, lists: Sequence[tuple[Record, Attributes]], content_id: int) -> None:
        keys = [(channel["id"], attributes) for channel, attributes in lists]
        try:
            asked = [self._list(channel, content_id, attributes) for channel, attributes in lists]
            found = read_lists(asked, selection_of(MEMBERS))
        except InvalidInput:
            return  # the error is raised again when the page requests the list
        for key, records in zip(keys, found, strict=True):
            if records is not None:
                self._ahead[key] = self.keep(records)

    def search(self, asked: Attributes, given: Attributes, attributes: Attributes) -> Listed:
        channel = self.find_channel(self.home(), asked)
        shown = _bounded(attributes.replaced(scope="All"), _MAX_FOUND)
        if asked.boolean("isNoDup"):
            shown = shown.replaced(isNoDup="true")
        sought = read_search(self._tree, asked, given)
        if not sought and not given.boolean("isDefaultDisplay", absent=True, unparsable=True):
            return Listed((), 0)
        found, further = None, sought.in_fields + sought.others
        if sought.words is not None:
            if not sought.words:  # only signs, or words to leave out
                return Listed((), 0)
            if found := self.match(sought.words):
                further = sought.others
        if found is None and shown.text("order").strip().casefold() == RELEVANCE:
            shown = shown.replaced(order=None)
        return self._listed(StlList(self._tree, channel, shown, further, SEARCH_SECONDS, found), is_counted=True)

    def match(self, words: Words) -> Match | None:
        """Return the approved contents of the site that have the words; None while the index is built."""
        return match("content", words, [self.site_id], is_public=True)

    def _listed(self, found: StlList, *, is_counted: bool) -> Listed:
        selection = selection_of(MEMBERS)
        (short,) = read_lists([found], selection)
        records = self.keep(found.read_records(selection) if short is None else short)
        return Listed(records, found.count() if is_counted else len(records))

    def keep(self, records: list[Record]) -> list[Record]:
        """Return the records; later requests for contents look among them first."""
        ids = [record["id"] for record in records]
        for record in records:
            self._contents.setdefault(record["id"], record)
            self._siblings.setdefault(record["id"], ids)
        return records

    def content(self, content_id: int) -> Record | None:
        """Return an approved content of the site."""
        if content_id not in self._contents:
            self._read_contents([content_id])
        return self._contents.get(content_id)

    def _read_contents(self, ids: Collection[int]) -> None:
        chosen = among("c.id", ids)
        where = f"{chosen.sql} AND c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL"
        self.keep(read_records(where, (*chosen.params, self.site_id), selection_of(MEMBERS)))

    def neighbour(self, content: Record, *, is_next: bool) -> Record | None:
        if content["id"] not in self._neighbours:
            page = SqlFragment(_NEIGHBOURS, (content["channelId"], content["taxis"]) * 2)
            found = read_records("c.site_id = %s", (self.site_id,), selection_of(MEMBERS), page=page)
            self._neighbours[content["id"]] = self.keep(found)
        beside = self._neighbours[content["id"]]
        return next((one for one in beside if (one["taxis"] < content["taxis"]) == is_next), None)

    def content_value(self, content: Record, name: str, attributes: Attributes) -> str:
        folded = name.casefold()
        if folded in {"content", "pagecontent"}:
            content = content | {"content": self._body(content["id"])}
        text = ContentValue(self._tree.site, content, attributes, self._target).read(folded)
        text = link_of(text) if folded in _LINKS else text
        return self._as_kind(self._facts.fields.get(("content", folded)), text, attributes)

    def _body(self, content_id: int) -> str:
        if content_id not in self._bodies:
            wanted = among("content_id", self._siblings.get(content_id) or [content_id])
            table = ContentBody._meta.db_table
            self._bodies |= dict(fetch(f"SELECT content_id, text FROM {table} WHERE {wanted.sql}", wanted.params))
        return self._bodies.setdefault(content_id, "")

    def _target(self, content_id: int) -> Record | None:
        """Return the approved content that another one of the site refers to; the references of a list are read
        together."""
        if content_id not in self._targets:
            known = {record["referenceId"] for record in self._contents.values()} | {content_id}
            wanted = sorted(known - self._targets.keys() - {0})
            chosen = among("c.id", wanted)
            where = f"{chosen.sql} AND c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL"
            found = read_records(where, (*chosen.params, self.site_id), selection_of())
            self._targets |= dict.fromkeys(wanted) | {record["id"]: record for record in found}
        return self._targets[content_id]

    def addresses(self, content: Record, name: str) -> list[str]:
        texts = {key.casefold(): as_text(value) for key, value in content.items()}
        found = [texts.get(name, ""), *texts.get(f"{name}_extend", "").split(",")]
        return [self.resolve(address.strip()) for address in found if address.strip()]

    def pictures(self, content: Record) -> Sequence[Record]:
        found = ContentPicture.objects.filter(content_id=content["id"]).order_by("taxis", "pk")
        return [
            {
                "smallUrl": self.resolve(picture.small_url),
                "middleUrl": self.resolve(picture.middle_url),
                "largeUrl": self.resolve(picture.large_url),
                "description": picture.description,
            }
            for picture in found
        ]

    def tags(self) -> list[Tag]:
        uses: Counter[str] = Counter()
        for names, contents in fetch(_TAGS, (self.site_id,)):
            uses.update(dict.fromkeys(names.split(), contents))
        return [Tag(*each) for each in uses.items()]

    def _with_words(self, words: set[str]) -> SqlFragment:
        """Return the condition that a content has one of the words as a tag, or in a tag with blanks.

        As in SiteServer, the tags of a content are split at blanks, too, but stored unchanged.
        """
        names = sorted(words)[:_MAX_WORDS]
        named = f"tag_name IN ({', '.join(['%s'] * len(names))}) OR tag_name LIKE %s"
        sql = f"SELECT id, tag_name FROM contents_contenttag WHERE site_id = %s AND ({named}) LIMIT {_MAX_STORED_TAGS}"
        rows = fetch(sql, (self.site_id, *names, "% %"))
        tags = among("l.owner_id", [pk for pk, stored in rows if not words.isdisjoint({stored, *stored.split()})])
        listed = f"SELECT l.content_id FROM contents_listedcontent l WHERE l.kind = {ListKind.TAG.value} AND {tags.sql}"
        return SqlFragment(f"c.id IN ({listed})", tags.params)

    def _has_others(self, content_id: int, tagged: SqlFragment) -> bool:
        approved = "c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL"
        sql = f"SELECT 1 FROM contents_content c WHERE {approved} AND c.id <> %s AND {tagged.sql} LIMIT 1"
        return bool(fetch(sql, (self.site_id, content_id, *tagged.params)))

    # ---- others

    def rows(self, attributes: Attributes) -> Listed:
        unlimited = attributes.replaced(startNum=None, totalNum=None)
        rows = import_string(settings.PAGE_STATEMENTS)(unlimited, self.site_id)
        return Listed(cut(rows, attributes), len(rows))

    def include(self, path: str) -> str | None:
        return self._facts.includes.get(path.casefold())

    def form(self, name: str) -> FormRecord | None:
        if name not in self._forms:
            self._forms[name] = import_string(settings.PAGE_FORMS)(self.site_id, name)
        return self._forms[name]

    def comments(self, content: Record, page: int, size: int) -> Listed:
        found: Listed = import_string(settings.PAGE_COMMENTS)(content["id"], page, size)
        return found

    def comment_rules(self, content: Record) -> CommentRules:
        channel = self._tree.find(content["channelId"])
        rules: CommentRules = import_string(settings.PAGE_COMMENT_RULES)(self._tree, channel)
        return rules

    def entries(self, form: FormRecord, attributes: Attributes, *, is_counted: bool) -> Listed:
        listed: Listed = import_string(settings.PAGE_ENTRIES)(form.id, attributes, is_counted=is_counted)
        return listed
