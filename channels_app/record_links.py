"""Links to records of the same site by id: `@/_content/61`, `@/_channel/7`.

Texts store them as ordinary addresses. Pages and `/stl/*` write the current address of the record in their place, so
that no move, new name or new rule breaks a link. A link to a record that visitors cannot see loses its address.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.db.models import Q

from channels_app.links import NO_LINK
from channels_app.tree import Tree, contents

CONTENT, CHANNEL = "_content", "_channel"  # the first parts of paths below the folder of the site
_MARKS = (f"{CONTENT}/", f"{CHANNEL}/")
_LAST_ID = 2**63 - 1
_NAMED = rf"/({CONTENT}|{CHANNEL})/([1-9][0-9]{{0,18}})(?![\w/.%-])"
STORED = re.compile(f"@{_NAMED}")
# Also in text that is encoded once more, as in feeds and in strings of scripts.
_QUOTE = r"""(?P<quote>\\?["']|&(?:quot|#34|#39|#x27);|)"""
_REST = re.compile(r"""(?:[?#][^\s"'<>]*)?""")
_AFTER = re.compile(_NAMED.removeprefix("/"))
_BEFORE_ADDRESS = 50  # characters of the attribute
_SAFE = re.compile(r"(?:https?:)?/|mailto:|tel:|[\w%.~-]+(?:[/?#]|\Z)", re.IGNORECASE)
Named = tuple[str, int]  # CONTENT or CHANNEL, and the id


def address_by_id(kind: str, record_id: int) -> str:
    return f"@/{kind}/{record_id}"


def named_in(path: str) -> Named | None:
    """Return the record that a path, below the folder of the site, names by its id."""
    match = re.fullmatch(_NAMED, f"/{path}")
    return (match[1], int(match[2])) if match and int(match[2]) <= _LAST_ID else None


def has_links(text: str) -> bool:
    """Return false if the text has no link by id; true in rare other cases, too."""
    return _next_mark(text, 0) >= 0


def current_addresses(tree: Tree, records: Collection[Named]) -> dict[Named, str]:
    """Return the addresses of those records of the site that visitors can see.

    A statement for contents, and one for channels whose address depends on contents.
    """
    content_ids = {pk for kind, pk in records if kind == CONTENT and pk <= _LAST_ID}
    found = {(CHANNEL, pk): tree.channels[pk] for kind, pk in records if kind == CHANNEL and pk in tree.channels}
    with tree.lock:
        if any(tree.changes(channel) for channel in found.values()):
            tree.renew_addresses(contents())
        addresses = {named: str(channel["navigationUrl"]) for named, channel in found.items()}
    if content_ids:
        shown = contents().public_addresses(tree.site.pk, content_ids)
        addresses |= {(CONTENT, pk): address for pk, address in shown.items()}
    return {named: address for named, address in addresses.items() if address != NO_LINK and _SAFE.match(address)}


def with_current_addresses(html: str, tree: Tree) -> str:
    """Return the HTML with the current addresses of the records that its links name; without any, no statement."""
    if not has_links(html):
        return html
    links = list(_links_in(html, tree.site.web_url))
    if not links:
        return html
    addresses = current_addresses(tree, {link.record for link in links})
    pieces, end = list[str](), 0
    for link in links:
        pieces.append(html[end : link.start])
        if address := addresses.get(link.record):
            written = escape(escape(address)) if link.quote[:1] == "&" else escape(address)
            # Without quotation marks, a blank would end the attribute.
            written = written if link.quote else "%20".join(written.split())
            pieces += (link.beginning, written, link.rest, link.quote)
        end = link.end
    return "".join([*pieces, html[end:]])


class _Link(NamedTuple):
    """An attribute, with the blank before it."""

    start: int
    end: int
    beginning: str  # up to the address
    quote: str
    record: Named
    rest: str


def _links_in(html: str, web_url: str) -> Iterator[_Link]:
    before, reach, done = _pattern(web_url), len(web_url) + _BEFORE_ADDRESS, 0
    at = _next_mark(html, 0)
    while at >= 0:
        start, named = before.search(html, max(done, at - reach), at), _AFTER.match(html, at)
        if start and named:
            quote, end = start["quote"], named.end()
            stop = html.find(quote, end) if quote else getattr(_REST.match(html, end), "end", int)()
            if stop >= 0 and _REST.fullmatch(html, end, stop):
                done = stop + len(quote)
                beginning = html[start.start() : start.end("quote")]
                yield _Link(start.start(), done, beginning, quote, (named[1], int(named[2])), html[end:stop])
        at = _next_mark(html, at + 1)


def _next_mark(text: str, at: int) -> int:
    # A single letter is found ten times as fast as a word, and this one is rare.
    at = text.find("_", at)
    while at >= 0 and not text.startswith(_MARKS, at):
        at = text.find("_", at + 1)
    return at


def renumbered(text: str, renumber: Callable[[str, int], int | None]) -> str:
    """Return the text with the new ids of records, which `renumber` returns by kind and id."""
    if not has_links(text):
        return text
    return STORED.sub(lambda match: address_by_id(match[1], renumber(match[1], int(match[2])) or int(match[2])), text)


def links_in_uses() -> Q:
    """Return the condition on rows of MediaUse that are links by id."""
    return Q(address__startswith=f"{CONTENT}/") | Q(address__startswith=f"{CHANNEL}/")


@lru_cache(100)
def _pattern(web_url: str) -> re.Pattern[str]:
    return re.compile(rf"\shref\s*=\s*{_QUOTE}(?:@|{re.escape(web_url.rstrip('/'))})/\Z", re.IGNORECASE)
