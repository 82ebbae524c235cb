from collections import Counter
from collections.abc import Callable, Collection, Iterable
from threading import Lock
from typing import Any, NamedTuple

from cachetools import LRUCache

from channels_app.models import Channel
from sites.models import Site
from sites.page_rules import (
    CHANNEL_RULE,
    CONTENT_RULE,
    MAX_VALUE,
    Parts,
    directory,
    fill,
    fill_wholly,
    lower,
    parse_rule,
    token_names,
)

# Tokens with one value for all contents of a channel.
_OF_CHANNEL = {"channelname", "lowerchannelname", "channelindex", "lowerchannelindex", "parentrule"}


class PageFacts(NamedTuple):
    """Columns of a channel that rules may refer to; the date in the wire form."""

    id: int
    parent_id: int
    channel_name: str
    index_name: str
    add_date: str
    channel_file_path_rule: str
    content_file_path_rule: str
    settings: dict[str, Any]


def facts_of(pk: int, parent_id: int | None, name: str, index: str, add_date: Any, *rest: Any) -> PageFacts:
    return PageFacts(pk, parent_id or 0, name, index, add_date.isoformat(" ", "seconds"), *rest)


class Pages:
    """Addresses by a channel's own rule, its nearest ancestor's, the site's or the default; `channels` in order."""

    def __init__(self, channels: Iterable[PageFacts], settings: dict[str, Any]) -> None:
        self._site_rules = (
            str(settings.get("channelFilePathRule") or CHANNEL_RULE),
            str(settings.get("contentFilePathRule") or CONTENT_RULE),
        )
        self._channels = {facts.id: facts for facts in channels}
        self._sequences: dict[int, int] = {}  # 1 + siblings after it
        self._rules: dict[int, tuple[str, str]] = {}
        self._paths: dict[int, str] = {}
        self._content_parts: dict[int, Parts] = {}
        siblings: Counter[int] = Counter()
        for facts in reversed(self._channels.values()):
            siblings[facts.parent_id] += 1
            self._sequences[facts.id] = siblings[facts.parent_id]
        for facts in self._channels.values():
            above = self._rules.get(facts.parent_id, self._site_rules)
            self._rules[facts.id] = (facts.channel_file_path_rule or above[0], facts.content_file_path_rule or above[1])
            rule = self._rules[facts.id][0]
            is_built_in = rule == CHANNEL_RULE
            path = f"/channels/{facts.id}.html" if is_built_in else fill_wholly(parse_rule(rule), self._lookup(facts))
            self._paths[facts.id] = path

    def channel_path(self, channel_id: int) -> str:
        return self._paths[channel_id]

    @property
    def channel_ids(self) -> Collection[int]:
        return self._channels.keys()

    @property
    def content_rules(self) -> set[str]:
        return {rule for _, rule in self._rules.values()}

    def content_rule(self, channel_id: int) -> str:
        return self._rules[channel_id][1]

    def content_parts(self, channel_id: int) -> Parts:
        if channel_id not in self._content_parts:
            facts = self._channels.get(channel_id)
            parts = parse_rule(self._rules[channel_id][1] if facts else self._site_rules[1])
            if facts:
                lookup = self._lookup(facts)
                parts = fill(parts, lambda name: lookup(name) if name in _OF_CHANNEL else None)
            self._content_parts[channel_id] = parts
        return self._content_parts[channel_id]

    def wants(self, token: str) -> bool:
        return any(token in token_names(parse_rule(content)) for _, content in set(self._rules.values()))

    def _lookup(self, facts: PageFacts) -> Callable[[str], str]:
        def text_of(name: str) -> str:
            if name in _TEXTS:
                return _TEXTS[name](facts)
            if name == "sequence":
                return str(self._sequences[facts.id])
            if name == "parentrule":
                return directory(self._paths.get(facts.parent_id, ""))
            return _custom_text(facts.settings, name)

        return text_of


_TEXTS: dict[str, Callable[[PageFacts], str]] = {
    "channelid": lambda facts: str(facts.id),
    "channelname": lambda facts: facts.channel_name,
    "lowerchannelname": lambda facts: lower(facts.channel_name),
    "channelindex": lambda facts: facts.index_name,
    "lowerchannelindex": lambda facts: lower(facts.index_name),
    "year": lambda facts: facts.add_date[:4],
    # As in SiteServer, channels' pages have plain numbers; contents' pages have two digits for month and day.
    **{
        name: lambda facts, start=start: str(int(facts.add_date[start : start + 2]))  # type: ignore[misc]
        for name, start in {"month": 5, "day": 8, "hour": 11, "minute": 14, "second": 17}.items()
    },
}


def _custom_text(settings: dict[str, Any], name: str) -> str:
    """Return a custom field's text; the prefix `lower` selects its lower case."""
    by_folded = {key.casefold(): value for key, value in settings.items()}
    value = by_folded.get(name) if name in by_folded else by_folded.get(name.removeprefix("lower"))
    text = "" if isinstance(value, dict | list) or value is None else str(value)[:MAX_VALUE]
    return text if name in by_folded else lower(text)


# ---- pages of contents, cached until the tree's number changes

_MAX_CHANNELS = 200_000  # of all sites together
_kept: LRUCache[int, tuple[int, Pages | None]] = LRUCache(
    _MAX_CHANNELS, lambda entry: 1 if entry[1] is None else 1 + len(entry[1].channel_ids)
)
_lock = Lock()


def content_pages(site_id: int, number: int | None) -> Pages | None:
    """Return the pages of a site whose contents have rules of their own; None if the built-in rule applies.

    `number` is TreeVersion's, read before or together with the records whose addresses are computed.
    """
    with _lock:
        kept = _kept.get(site_id)
    if kept is not None and kept[0] == number:
        return kept[1]
    settings = Site.objects.filter(pk=site_id).values_list("settings", flat=True).first()
    pages = None
    if settings is not None:  # otherwise the caller finds no content of the site either
        channels = Channel.objects.in_site(site_id)
        rule = str(settings.get("contentFilePathRule") or CONTENT_RULE)
        is_built_in = rule.casefold() == CONTENT_RULE.casefold()
        if not is_built_in or channels.exclude(content_file_path_rule="").exists():
            pages = Pages((facts_of(*row) for row in channels.values_list(*PageFacts._fields)), settings)
    if number is not None and (pages is None or len(pages.channel_ids) < _MAX_CHANNELS):
        with _lock:
            _kept[site_id] = (number, pages)
    return pages
