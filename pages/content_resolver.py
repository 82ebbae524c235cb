"""Finds the content whose page has a path; `contents.navigation` writes these paths."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from typing import NamedTuple

from django.db import connection

from channels_app.page_paths import Pages, content_pages
from channels_app.tree import Tree, kept_tree
from contents.navigation.page_urls import SYNONYMS, add_addresses, is_reference, page_paths, read_rows
from contents.navigation.sql import path_sql
from contents.rules.sql import TABLES, Rules
from contents.sql_fragments import SqlFragment, among, fetch
from contents.wire.columns import WIRE_NAMES
from contents.wire.records import Record, selection_of
from core.lib.statement_limit import statement_limit
from sites.page_rules import MAX_PATH, Parts, Token, collapse, fill, quoted

_CHUNK = 500  # contents read at a time
# Not CMS_STATEMENT_SECONDS: strangers may send any path.
_SECONDS = 1.0
_FOLDED_SECONDS = 0.25  # since the exact path has been looked for before
# Without bodies, which are read separately, since most lists do not show them.
MEMBERS = WIRE_NAMES - {"content"}
# Members that decide whether a content has a page of its own, and where it is by the built-in rule.
_PLAIN = frozenset({"id", "siteId", "channelId", "linkUrl", "referenceId", "translateContentType", "lastEditDate"})
_APPROVED = "SELECT c.id FROM contents_content c WHERE c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL"
NUMBERS = re.compile("[0-9]{1,18}")
_DIGITS = frozenset("0123456789")


def find_content(tree: Tree, path: str, *, folds: bool = False) -> tuple[Record, str] | None:
    """Return the approved content whose own page has the path below the site's web address, and this path.

    The content has its MEMBERS. With `folds`, the path may have another letter case, beyond ASCII only if the rule has
    the id. Two or three statements if the rule has `{@contentId}` or `{@sequence}` between characters that are not
    digits. Other rules are compared with all contents of the channels that they may be of. Raises TooSlow.
    """
    if len(path) > MAX_PATH or "\0" in path:
        return None
    fold: Callable[[str], str] = str.casefold if folds else str

    def read(ids: Collection[int]) -> tuple[Record, str] | None:
        return find_among(tree, ids, lambda _record, own_path: fold(own_path) == fold(path))

    numbers = {int(number) for number in NUMBERS.findall(path)}
    if found := read(numbers):
        return found
    pages = pages_of(tree)
    rules = {} if pages is None else _rules_of(pages, path, fold)
    with statement_limit(connection, _FOLDED_SECONDS if folds else _SECONDS) if rules else nullcontext():
        counted = [channel_id for channel_id, parts in rules.items() if shows(parts, "sequence")]
        if counted and numbers and (found := read(_count(counted, numbers))):
            return found
        others = {channel_id: parts for channel_id, parts in rules.items() if not shows(parts, "sequence")}
        return read(_compare(tree.site.pk, others, path, folds=folds)) if others else None


def find_among(tree: Tree, ids: Collection[int], accepts: Callable[[Record, str], bool]) -> tuple[Record, str] | None:
    """Return the first approved content that is accepted with the path of its own page, and this path."""
    if not ids:
        return None
    selection, chosen = selection_of(MEMBERS), among("c.id", ids)
    where = f"c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL AND {chosen.sql}"
    rows = read_rows(selection.select, where, [tree.site.pk, *chosen.params], with_body=False)
    if not rows:
        return None
    number, web_url = rows[0][:2]
    # Of several contents with the path, one with a page comes first.
    records = sorted(selection.make_records(rows, web_url, 2), key=lambda one: (one["linkUrl"] != "", one["id"]))
    for record, own_path in zip(records, page_paths(records, number), strict=True):
        if accepts(record, own_path):
            add_addresses([record], number, web_url)
            return record, own_path
    return None


def count_contents(site_id: int) -> int:
    """Return the number of approved contents."""
    return int(fetch(f"SELECT COUNT(*) FROM ({_APPROVED}) approved", (site_id,))[0][0])


def list_pages(tree: Tree, first: int, most: int) -> Iterator[tuple[int, str, str]]:
    """Yield channel, path below the site's web address, and date of the last change of contents with pages, by id.

    They are among `most` approved contents after the first `first`.
    """
    start = fetch(f"{_APPROVED} ORDER BY c.id LIMIT 1 OFFSET %s", (tree.site.pk, first))
    last = start[0][0] - 1 if start else 0
    while start and most > 0 and (chunk := _read_chunk(tree, last, min(_CHUNK, most))):
        for record, path in chunk.pages:
            if not record["linkUrl"] and not is_reference(record):
                yield record["channelId"], path, record["lastEditDate"]
        last, most = chunk.last, most - len(chunk.pages)


def list_contents(tree: Tree) -> Iterator[tuple[Record, str]]:
    """Yield all approved contents by id, with `navigationUrl`, and the path of their own page as `list_pages` does."""
    last = 0
    while chunk := _read_chunk(tree, last, _CHUNK):
        for record, path in chunk.pages:
            record["navigationUrl"] = f"{chunk.web_url}{quoted(path)}"
        leading = [record for record, _ in chunk.pages if record["linkUrl"] or is_reference(record)]
        if leading:
            add_addresses(leading, chunk.number, chunk.web_url)
        yield from chunk.pages
        last = chunk.last


class _Chunk(NamedTuple):
    pages: list[tuple[Record, str]]
    last: int  # id
    number: int | None
    web_url: str


def _read_chunk(tree: Tree, last: int, most: int) -> _Chunk | None:
    """Return the approved contents after an id with the paths of their own pages; None if there are no more."""
    selection = selection_of(_PLAIN if pages_of(tree) is None else frozenset({"navigationUrl"}))
    chosen = SqlFragment(f"{_APPROVED} AND c.id > %s ORDER BY c.id LIMIT %s", (tree.site.pk, last, most))
    rows = read_rows(selection.select, "1 = 1", (), with_body=False, page=chosen, order=["id"])
    if not rows:
        return None
    number, web_url = rows[0][:2]
    records = selection.make_records(rows, web_url, 2)
    pages = list(zip(records, page_paths(records, number), strict=True))
    return _Chunk(pages, records[-1]["id"], number, web_url)


def pages_of(tree: Tree) -> Pages | None:
    number, kept = kept_tree(tree.site.pk)
    return content_pages(tree.site.pk, number if kept is tree else None)


def _rules_of(pages: Pages, path: str, fold: Callable[[str], str]) -> dict[int, Parts]:
    """Return the rules, by channel, that may name the path without showing the content's id in it."""
    rules: dict[int, Parts] = {}
    for channel_id in pages.channel_ids:
        parts = fill(pages.content_parts(channel_id), {"channelid": str(channel_id)}.get)
        beginning = collapse(parts[0]) if parts and isinstance(parts[0], str) else "/"
        if fold(path).startswith(fold(beginning)) and not shows(parts, "id"):
            rules[channel_id] = parts
    return rules


def shows(parts: Parts, name: str) -> bool:
    """Return whether every path by the rule has the token's value between characters that are not digits."""
    padded = ("/", *parts, "/")
    return any(
        isinstance(part, Token)
        and SYNONYMS.get(part.name, part.name) == name
        and (isinstance(before, str) and before[-1] not in _DIGITS)
        and (isinstance(after, str) and after[0] not in _DIGITS)
        for before, part, after in zip(padded, padded[1:], padded[2:], strict=False)
    )


def _count(channel_ids: list[int], numbers: Collection[int]) -> list[int]:
    """Return contents of the channels whose `{@sequence}` is among the numbers."""
    chosen, among_numbers = among("c.channel_id", channel_ids), among("place", numbers)
    sql = (
        "SELECT id FROM (SELECT c.id, RANK() OVER (PARTITION BY c.channel_id ORDER BY c.taxis) AS place "
        f"FROM contents_content c WHERE {chosen.sql} AND c.is_checked AND c.trashed_at IS NULL) counted "
        f"WHERE {among_numbers.sql} LIMIT {_CHUNK}"
    )
    return [pk for (pk,) in fetch(sql, (*chosen.params, *among_numbers.params))]


def _compare(site_id: int, rules: dict[int, Parts], path: str, *, folds: bool) -> list[int]:
    chosen, fold = among("c.channel_id", rules), "LOWER" if folds else ""
    own_path = path_sql(rules, Rules(site_id).find)
    sql = (
        f"SELECT c.id FROM {TABLES} WHERE c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL AND {chosen.sql} "
        f"AND {fold}({own_path}) = {fold}(%s) ORDER BY c.link_url <> '', c.id LIMIT 1"
    )
    return [pk for (pk,) in fetch(sql, (site_id, *chosen.params, path))]
