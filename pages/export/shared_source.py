from collections.abc import Collection, Sequence
from functools import cached_property

from channels_app.tree import Tree
from contents.sql_fragments import among, fetch
from contents.wire.records import Record
from core.stl.attributes import Attributes
from pages.engine.source import FormRecord, Listed, Tag
from pages.site_source import SiteSource

# The next and previous content of each, by the order of the channel.
_BESIDE = (
    "(SELECT n.id FROM contents_content n WHERE n.channel_id = c.channel_id AND n.is_checked AND n.trashed_at IS NULL "
    "AND n.taxis {} c.taxis ORDER BY n.taxis {}, n.id {} LIMIT 1)"
)
_NEIGHBOURS = f"SELECT c.id, {_BESIDE.format('<', 'DESC', 'DESC')}, {_BESIDE.format('>', 'ASC', 'ASC')} "


class SharedSource(SiteSource):
    """A source for several pages, including those of `content_ids`, that reads common data once."""

    def __init__(self, tree: Tree, content_ids: Collection[int]) -> None:
        super().__init__(tree)
        self._content_ids = content_ids
        self._lists: dict[tuple[int | str, Attributes, bool], Listed] = {}
        self._rows: dict[Attributes, Listed] = {}
        self._entries: dict[tuple[int | str, Attributes, bool], Listed] = {}
        if content_ids:
            self._read_contents(content_ids)

    def contents(self, channel: Record, content_id: int, attributes: Attributes, *, is_counted: bool) -> Listed:
        if _differs(attributes):
            return super().contents(channel, content_id, attributes, is_counted=is_counted)
        key = (channel["id"], attributes, is_counted)
        if key not in self._lists:
            self._lists[key] = super().contents(channel, content_id, attributes, is_counted=is_counted)
        return self._lists[key]

    def read_ahead(self, lists: Sequence[tuple[Record, Attributes]], content_id: int) -> None:
        unknown = [
            (channel, attributes)
            for channel, attributes in lists
            if not _differs(attributes) and (channel["id"], attributes) not in self._ahead
        ]
        if unknown:
            super().read_ahead(unknown, content_id)

    def neighbour(self, content: Record, *, is_next: bool) -> Record | None:
        found = self._beside.get(content["id"])
        if found is None:
            return super().neighbour(content, is_next=is_next)
        pk = found[0] if is_next else found[1]
        return None if pk is None else self.content(pk)

    @cached_property
    def _beside(self) -> dict[int, tuple[int | None, int | None]]:
        chosen = among("c.id", self._content_ids)
        rows = fetch(f"{_NEIGHBOURS} FROM contents_content c WHERE {chosen.sql}", chosen.params)
        found = {pk: (following, before) for pk, following, before in rows}
        ids = {pk for pair in found.values() for pk in pair if pk is not None} - self._contents.keys()
        if ids:
            self._read_contents(ids)
        return found

    @cached_property
    def _tags(self) -> list[Tag]:
        return super().tags()

    def tags(self) -> list[Tag]:
        return self._tags

    def rows(self, attributes: Attributes) -> Listed:
        if attributes not in self._rows:
            self._rows[attributes] = super().rows(attributes)
        return self._rows[attributes]

    def entries(self, form: FormRecord, attributes: Attributes, *, is_counted: bool) -> Listed:
        key = (form.id, attributes, is_counted)
        if key not in self._entries:
            self._entries[key] = super().entries(form, attributes, is_counted=is_counted)
        return self._entries[key]


def _differs(attributes: Attributes) -> bool:
    """Return whether the list may differ from page to page."""
    return attributes.boolean("isRelatedContents") or "random" in attributes.text("order").casefold()
