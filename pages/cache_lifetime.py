"""How long a page may be cached if it shows more than its site's tree, templates and approved contents."""

from collections.abc import Iterator, Mapping

from channels_app.tree import Tree
from contents.wire.records import Record
from core.stl.attributes import Attributes
from pages.engine.source import Listed
from pages.site_source import SiteSource
from search.query import Match
from search.words import Words

LONG, SHORT, NOT = 3600, 60, 0  # seconds
_HITS = frozenset({"hits", "hitsbyday", "hitsbyweek", "hitsbymonth", "lasthitsdate"})


class LastingSource(SiteSource):
    """Notes as `seconds` how long a page with these records may be cached.

    Other sites and rows of tables: not at all. The current time, chance, and hits, whose changes renew no number: a
    minute.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self.seconds = LONG

    def sites(self, attributes: Attributes) -> list[SiteSource]:
        self.seconds = NOT
        return super().sites(attributes)

    def rows(self, attributes: Attributes) -> Listed:
        self.seconds = NOT
        return super().rows(attributes)

    def channels(self, channel: Record, attributes: Attributes) -> Listed:
        self._note(attributes)
        return super().channels(channel, attributes)

    def contents(self, channel: Record, content_id: int, attributes: Attributes, *, is_counted: bool) -> Listed:
        self._note(attributes)
        return super().contents(channel, content_id, attributes, is_counted=is_counted)

    def count(self, channel: Record, attributes: Attributes) -> str:
        self._note(attributes)
        return super().count(channel, attributes)

    def search(self, asked: Attributes, given: Attributes, attributes: Attributes) -> Listed:
        self._note(asked)
        self._note(attributes)
        return super().search(asked, given, attributes)

    def match(self, words: Words) -> Match | None:
        if (found := super().match(words)) is None:
            self._shorten()  # the index finds others
        return found

    def content_value(self, content: Record, name: str, attributes: Attributes) -> str:
        if name.casefold() in _HITS:
            self._shorten()
        return super().content_value(content, name, attributes)

    def _note(self, attributes: Attributes) -> None:
        deciding = f"{attributes.text('order')} {attributes.text('where')}".casefold()
        if "since" in attributes or "random" in deciding or "hits" in deciding:
            self._shorten()

    def _shorten(self) -> None:
        self.seconds = min(self.seconds, SHORT)


class NotedQuery(Mapping[str, str]):
    """The query of the address; notes whether the page has looked at it."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self._query, self.was_read = query, False

    def __getitem__(self, name: str) -> str:
        self.was_read = True
        return self._query[name]

    def __iter__(self) -> Iterator[str]:
        self.was_read = True
        return iter(self._query)

    def __len__(self) -> int:
        self.was_read = True
        return len(self._query)
