"""Contents as JSON: written once, cached in the process and copied into responses (orjson.Fragment).

A cached JSON is never stale. Everything that determines it comes from the statement that finds the content: the
transactions that last wrote its row and its body (`xmin`), the number of the site's TreeVersion, and the site's URL.
SQLite has no such stamps, so nothing is cached there. See docs/decisions/0015-content-cache.md.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

import orjson
from django.conf import settings
from django.db import connection

from channels_app.page_paths import content_pages
from contents.lists.ranges import Order
from contents.navigation.page_urls import make_records, read_rows
from contents.sql_fragments import NOTHING, SqlFragment, among
from contents.wire.records import Record, Selection, selection_of
from core.lib.cache_counts import CacheCounts

Row = tuple[Any, ...]
Stamp = tuple[Any, ...]
Identity = tuple[tuple[str, int], Stamp]

# The server's start distinguishes servers whose transaction numbers may coincide, such as a restored one.
_STAMPS = "c.id, c.xmin, b.xmin, (SELECT pg_postmaster_start_time()::text)"
_OVERHEAD = 1500  # bytes of an entry in addition to its JSON, including the gaps that replaced entries leave
_LARGEST = 1 / 32  # of the cache, for one entry
_MAX_OFFERED = 20_000  # keys
_SMOOTHING = 1 / 32  # weight of the latest request in a hit rate
_WORTHWHILE = 0.6  # hit rate above which reading stamps first is estimated to pay


class Fragment(NamedTuple):
    text: bytes
    digest: bytes  # of the text
    stamp: Stamp | None

    @property
    def json(self) -> orjson.Fragment:
        return orjson.Fragment(self.text)


def fragment_of(record: Record, stamp: Stamp | None = None) -> Fragment:
    text = orjson.dumps(record)
    return Fragment(text, sha256(text).digest(), stamp)


def json_of(fragments: Iterable[Fragment]) -> list[orjson.Fragment]:
    return [fragment.json for fragment in fragments]


class HitRate:
    """The share of contents that requests of one kind lately found in the cache."""

    def __init__(self) -> None:
        self.value = 0.0

    def add(self, found: int, of: int) -> None:
        self.value += (found / of - self.value) * _SMOOTHING


OF_ONE, OF_LISTS = HitRate(), HitRate()


class FragmentCache:
    """Fragments by key in two generations: fragments that are not used while one fills half of the memory are dropped.

    Plain dictionaries, so that a lookup needs no lock and takes a fifth of an LRU cache's time. Fragments are only
    cached when offered a second time: contents that are read once would only displace the others.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._young: dict[tuple[str, int], Fragment] = {}
        self._old: dict[tuple[str, int], Fragment] = {}
        self._bytes = 0  # of the young generation
        self._offered: set[tuple[str, int]] = set()

    def find(self, key: tuple[str, int], stamp: Stamp) -> Fragment | None:
        if (found := self._young.get(key)) is not None:
            return found if found.stamp == stamp else None
        if (found := self._old.get(key)) is None or found.stamp != stamp:
            return None
        self._keep(key, found)
        return found

    def offer(self, key: tuple[str, int], fragment: Fragment) -> None:
        if key in self._offered:
            # orjson leaves half of its buffer free: texts stored without a copy took seven times their size.
            self._keep(key, fragment._replace(text=bytes(memoryview(fragment.text))))
            return
        if len(self._offered) >= _MAX_OFFERED:
            self._offered.clear()
        self._offered.add(key)

    def _keep(self, key: tuple[str, int], fragment: Fragment) -> None:
        if len(fragment.text) > self.max_bytes * _LARGEST:
            return
        former = self._young.get(key)
        self._young[key] = fragment
        self._bytes += len(fragment.text) + _OVERHEAD if former is None else len(fragment.text) - len(former.text)
        if self._bytes > self.max_bytes / 2:
            self._old, self._young, self._bytes = self._young, {}, 0


_cache = FragmentCache(settings.CMS_CONTENT_CACHE_BYTES)
_counts = CacheCounts("contents")


class Form(NamedTuple):
    """The columns that a statement reads of each content `c` and its body `b`: the selection's, the id and the stamps.

    A narrow form reads only the id and the stamps: enough for contents whose fragments are cached.
    """

    selection: Selection
    is_stamped: bool = False
    is_narrow: bool = False

    @property
    def select(self) -> str:
        ending = _STAMPS if self.is_stamped else "c.id"
        return ending if self.is_narrow else f"{self.selection.select}, {ending}"

    @property
    def reads_body(self) -> bool:
        return self.is_stamped or self.selection.reads_body

    @property
    def id_place(self) -> int:
        return 0 if self.is_narrow else len(self.selection.columns)

    def widened(self) -> "Form":
        return self._replace(is_narrow=False)

    @property
    def width(self) -> int:
        return self.id_place + (4 if self.is_stamped else 1)


def form_of(selection: Selection, rate: HitRate) -> Form:
    # In a transaction of its own, a row may change again without another stamp.
    is_stamped = (
        selection.names is None
        and connection.vendor == "postgresql"
        and _cache.max_bytes > 0
        and not connection.in_atomic_block
    )
    return Form(selection, is_stamped, is_stamped and rate.value > _WORTHWHILE)


def read_fragments(
    where: str,
    params: Sequence[Any],
    rate: HitRate,
    selection: Selection | None = None,
    *,
    page: SqlFragment = NOTHING,
    order: Order = (),
) -> dict[int, Fragment]:
    """Fragments by id of the contents of one site that meet the condition; with `page`, only of its ids, in order."""
    form = form_of(selection or selection_of(), rate)
    while True:
        rows = read_rows(form.select, where, params, with_body=form.reads_body, page=page, order=order)
        if (found := fragments_of(form, rows, 2, rate)) is not None:
            return {row[2 + form.id_place]: fragment for row, fragment in zip(rows, found, strict=True)}
        form = form.widened()


def fragments_of(form: Form, rows: Sequence[Row], first: int, rate: HitRate) -> list[Fragment] | None:
    """A fragment per row; rows begin with TreeVersion's number and the site's URL, and the form's part is at `first`.

    None if a content changed after a narrow form was read: read again with the wide one, which needs no second
    statement.
    """
    if not form.is_stamped:
        return [fragment_of(record) for record in _make_records(form, rows, first)]
    wanted = [_identify(form, row, first) for row in rows]
    found = [_cache.find(key, stamp) for key, stamp in wanted]
    missing = [place for place, fragment in enumerate(found) if fragment is None]
    _count(len(missing), len(rows), rate)
    if missing:
        sources = [rows[place] for place in missing]
        if form.is_narrow:
            chosen = among("c.id", [row[first] for row in sources])
            form, first = form.widened(), 2
            sources = read_rows(form.select, chosen.sql, chosen.params)
        made = _make_fragments(form, sources, first)
        for place in missing:
            found[place] = made.get(wanted[place])
    return None if None in found else cast(list[Fragment], found)


def _identify(form: Form, row: Row, first: int) -> Identity:
    at = first + form.id_place
    content_id, of_row, of_body, server = row[at : at + 4]
    return (server, content_id), (of_row, of_body, row[0], row[1])


def _make_fragments(form: Form, rows: Sequence[Row], first: int) -> dict[Identity, Fragment]:
    made: dict[Identity, Fragment] = {}
    if not rows:
        return made
    records, number = _make_records(form, rows, first), rows[0][0]
    pages = content_pages(records[0]["siteId"], number)
    # Other contents determine the URLs as well; or the triggers that renew the number are off.
    is_by_others = number is None or (pages is not None and pages.wants("sequence"))
    for row, record in zip(rows, records, strict=True):
        key, stamp = identity = _identify(form, row, first)
        fragment = made[identity] = fragment_of(record, stamp)
        if not is_by_others and record["referenceId"] <= 0:
            _cache.offer(key, fragment)
    return made


def _make_records(form: Form, rows: Sequence[Row], first: int) -> list[Record]:
    records = make_records(rows, form.selection, first)
    if (names := form.selection.names) is None:
        return records
    return [{name: value for name, value in record.items() if name in names} for record in records]


def _count(missing: int, of: int, rate: HitRate) -> None:
    _counts.hits += of - missing
    _counts.misses += missing
    if of:
        rate.add(of - missing, of)
