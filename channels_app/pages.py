"""Which rule names the page of each channel and of its contents, and what the rule gives."""

from collections import Counter
from collections.abc import Callable, Iterable
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

# Tokens that have one text for all contents of a channel.
_OF_CHANNEL = {"channelname", "lowerchannelname", "channelindex", "lowerchannelindex", "parentrule"}


class PageFacts(NamedTuple):
    """What rules may want to know of a channel; dates in the wire form."""

    id: int
    parent_id: int
    channel_name: str
    index_name: str
    add_date: str
    channel_rule: str
    content_rule: str
    settings: dict[str, Any]


class Pages:
    """The pages of one site.

    `channels` come in the order of the tree. A channel's own rule comes first, then that of the nearest
    channel above it, the site's, the built-in one (design §5).
    """

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
            self._rules[facts.id] = (facts.channel_rule or above[0], facts.content_rule or above[1])
            self._paths[facts.id] = self._name_page(facts)

    def channel_path(self, channel_id: int) -> str:
        """The path of the channel's page by its rule, below the site's address."""
        return self._paths[channel_id]

    @property
    def channel_count(self) -> int:
        return len(self._channels)

    @property
    def channel_ids(self) -> Iterable[int]:
        return self._channels

    def content_parts(self, channel_id: int) -> Parts:
        """The rule of the channel's contents, with everything filled in that the channel knows."""
        if channel_id not in self._content_parts:
            facts = self._channels.get(channel_id)
            rule = parse_rule(self._rules[channel_id][1] if facts else self._site_rules[1])
            self._content_parts[channel_id] = fill(rule, self._lookup_of_channel(facts)) if facts else rule
        return self._content_parts[channel_id]

    def wants(self, token: str) -> bool:
        """Whether the rule of some channel's contents has the token."""
        return any(token in token_names(parse_rule(content)) for _, content in set(self._rules.values()))

    def _name_page(self, facts: PageFacts) -> str:
        rule = self._rules[facts.id][0]
        if rule == CHANNEL_RULE:
            return f"/channels/{facts.id}.html"
        return fill_wholly(parse_rule(rule), self._lookup(facts))

    def _lookup_of_channel(self, facts: PageFacts) -> Callable[[str], str | None]:
        lookup = self._lookup(facts)
        return lambda name: lookup(name) if name in _OF_CHANNEL else None

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
    # A channel's page has plain numbers, a content's page two digits for month and day (original-behaviour §6).
    **{
        name: lambda facts, start=start: str(int(facts.add_date[start : start + 2]))  # type: ignore[misc]
        for name, start in {"month": 5, "day": 8, "hour": 11, "minute": 14, "second": 17}.items()
    },
}


def _custom_text(settings: dict[str, Any], name: str) -> str:
    """A custom field's text; `lower…` stands for its small letters."""
    by_folded = {key.casefold(): value for key, value in settings.items()}
    if name in by_folded:
        return _as_text(by_folded[name])
    return lower(_as_text(by_folded.get(name.removeprefix("lower"), "")))


def _as_text(value: Any) -> str:
    return "" if isinstance(value, dict | list) or value is None else str(value)[:MAX_VALUE]


# ---- pages of contents, kept as long as the tree's number stays the same

_MAX_CHANNELS = 200_000  # of all sites together
_kept: LRUCache[int, tuple[int, Pages | None]] = LRUCache(
    _MAX_CHANNELS, lambda entry: 1 if entry[1] is None else 1 + entry[1].channel_count
)
_lock = Lock()


def content_pages(site_id: int, number: int | None) -> Pages | None:
    """The pages of a site whose contents have rules of their own; None where the built-in rule holds.

    `number` is that of TreeVersion, read before or together with whatever is asked about.
    """
    with _lock:
        kept = _kept.get(site_id)
    if kept is not None and kept[0] == number:
        return kept[1]
    pages = _read_pages(site_id)
    if number is not None and (pages is None or pages.channel_count < _MAX_CHANNELS):
        with _lock:
            _kept[site_id] = (number, pages)
    return pages


def _read_pages(site_id: int) -> Pages | None:
    settings = Site.objects.filter(pk=site_id).values_list("settings", flat=True).first()
    if settings is None:  # whoever asks finds no content of the site either
        return None
    channels = Channel.objects.in_site(site_id)
    rule = str(settings.get("contentFilePathRule") or CONTENT_RULE)
    if rule.casefold() == CONTENT_RULE.casefold() and not channels.exclude(content_file_path_rule="").exists():
        return None
    columns = ("id", "parent_id", "channel_name", "index_name", "add_date")
    rules = ("channel_file_path_rule", "content_file_path_rule", "settings")
    rows = channels.values_list(*columns, *rules)
    return Pages((_facts(*row) for row in rows), settings)


def _facts(pk: int, parent_id: int | None, name: str, index: str, add_date: Any, *rest: Any) -> PageFacts:
    return PageFacts(pk, parent_id or 0, name, index, add_date.isoformat(" ", "seconds"), *rest)
