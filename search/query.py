"""Finds records by words: in the index, and in the records that it does not follow yet."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic, sleep
from typing import Any

from django.db import DatabaseError, connection

from core.lib.statement_limit import waiting_at_most
from events.numbering import number_new
from search.entries import (
    Term,
    has_terms,
    has_words,
    in_scopes,
    query_of,
    row_condition,
    scopes_of,
    terms_of,
    text_of_entry,
)
from search.following import followed_to, step
from search.sources import read_entries
from search.words import SHORTEST_BEGINNING, Words

_MOST_READ = 500  # records that a search reads itself
_PATIENCE = 2.0  # seconds in which a search brings the index up to date itself
_PAUSE = 0.05  # seconds
_RARE = 5_000  # matches
_ROOM = "64MB"  # enough for millions of entries
# The events that no entry follows yet: those after the position, and those without one.
_NEWER = """
SELECT DISTINCT subject_id FROM (
    SELECT name, subject_id FROM events_event WHERE position > %s
    UNION ALL
    SELECT name, subject_id FROM events_event /*index*/
    WHERE position IS NULL AND id > COALESCE((SELECT numbered_id FROM events_numbering), 0)
) newer WHERE name LIKE %s LIMIT %s
"""
_ON_POSTGRESQL: dict[str, Any] = {
    "entries": ("search_searchentry e", "e.words @@ CAST(%s AS tsquery)"),
    "numbers": "(SELECT unnest(CAST(%s AS bigint[])) AS number)",
    "counts": (
        "SELECT (SELECT COUNT(*) FROM search_searchentry e WHERE e.words @@ CAST(asked.query AS tsquery)) "
        "FROM unnest(CAST(%s AS text[])) WITH ORDINALITY AS asked (query, place) ORDER BY place"
    ),
}
_ON_SQLITE: dict[str, Any] = {
    # A cross join keeps the order: otherwise SQLite would search for each entry in turn.
    "entries": (
        "search_words CROSS JOIN search_searchentry e ON e.id = search_words.rowid",
        "search_words MATCH %s",
    ),
    "numbers": "(SELECT value AS number FROM json_each(%s))",
    "counts": (
        "SELECT (SELECT COUNT(*) FROM search_words WHERE search_words MATCH asked.value) FROM json_each(%s) asked "
        "ORDER BY asked.key"
    ),
}
_ENTRIES = "(SELECT GREATEST(reltuples, 0) FROM pg_class WHERE oid = 'search_searchentry'::regclass)"
_COMMON = (
    "FROM pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS common (word, frequency) "
    "WHERE s.schemaname = current_schema() AND s.tablename = 'search_searchentry' AND s.attname = 'words'"
)
_SHARE = "COALESCE(SUM(frequency) FILTER (WHERE {}), 0)"


@dataclass(frozen=True)
class Match:
    """The records of a kind that have all words, as SQL and its parameters."""

    kind: str
    words: Words
    site_ids: Collection[int] | None  # None: of all sites
    newer: list[int]  # the records whose entries may be out of date
    found: Mapping[int, str]  # id → text of the entry, of those that have the words
    is_public: bool = False  # only records that are public

    def ids(self) -> tuple[str, tuple[Any, ...]]:
        """Return a sub-query with the column `id`."""
        entries, values = self.entries()
        sql = f"SELECT e.subject_id AS id FROM {entries} UNION ALL SELECT * FROM {of_engine('numbers')} AS newer"
        return sql, (*values, bound(self.found))

    def entries(self, more: Sequence[Term] = (), joined: str = "") -> tuple[str, tuple[Any, ...]]:
        """Return what follows FROM, for the entries `e` that have these terms as well; without the newer records."""
        words, further = self._looked_up
        asked = query_of(self.kind, words, self.site_ids, is_public=self.is_public, more=more)
        has_further, values = has_terms(further)
        tables, condition = of_engine("entries")
        sql = f"{tables}{joined} WHERE {condition} AND {has_further} AND e.subject_id NOT IN {of_engine('numbers')}"
        return sql, (asked, *values, bound(self.newer))

    @cached_property
    def _looked_up(self) -> tuple[Words, list[Term]]:
        """The words to look up in the index, and terms to compare with what it finds.

        Two letters begin many words, whose places both engines would collect first.
        """
        beginnings = self.words.beginnings
        short = tuple(each for each in beginnings if len(each) == SHORTEST_BEGINNING)
        others = replace(self, words=replace(self.words, beginnings=tuple(b for b in beginnings if b not in short)))
        is_split = short and terms_of(others.words) and others.is_rare()
        return (others.words, terms_of(Words(short))) if is_split else (self.words, [])

    def is_rare(self) -> bool:
        """Return whether the index has few matches; on PostgreSQL, they are estimated."""
        if connection.vendor == "postgresql":
            return self.estimate() <= _RARE
        asked = query_of(self.kind, self.words, self.site_ids, is_public=self.is_public)
        sql = "SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE search_words MATCH %s LIMIT %s) found"
        with connection.cursor() as cursor:
            cursor.execute(sql, [asked, _RARE + 1])
            return int(cursor.fetchone()[0]) <= _RARE

    def newest_entries(self, count: int, more: Sequence[Term] = ()) -> tuple[str, tuple[Any, ...]]:
        """Return what `entries` returns, but only for so many of the newest entries, which are read one by one."""
        if connection.vendor == "postgresql":
            asked = query_of(self.kind, self.words, self.site_ids, is_public=self.is_public, more=more)
            condition, values = "(e.words @@ CAST(%s AS tsquery)) IS TRUE", [asked]
        else:
            is_in, scopes = in_scopes(scopes_of(self.kind, self.site_ids, is_public=self.is_public))
            has_all, texts = has_terms([*more, *terms_of(self.words)], self.words.without)
            condition, values = f"{is_in} AND {has_all}", [*scopes, *texts]
        sql = (
            f"search_searchentry e WHERE e.id > (SELECT MAX(id) FROM search_searchentry) - {int(count)} "
            f"AND {condition} AND e.subject_id NOT IN {of_engine('numbers')}"
        )
        return sql, (*values, bound(self.newer))

    def reach_of_whole(self, limit: int) -> int:
        """Return how many of SQLite's newest entries have so many matches with whole words; 0 if not even all have.

        FTS5 finds the newest of these alone, but reads all matches of the beginning of a word.
        """
        _, further = self._looked_up
        if further or any(len(term.words) > 1 for term in terms_of(self.words)):  # phrases take longer
            return 0
        asked = query_of(self.kind, self.words, self.site_ids, is_public=self.is_public, is_whole=True)
        newest = "SELECT rowid FROM search_words WHERE search_words MATCH %s ORDER BY rowid DESC LIMIT 1 OFFSET %s"
        sql = f"SELECT (SELECT MAX(id) FROM search_searchentry) + 1 - ({newest})"
        with connection.cursor() as cursor:
            # Newer records may be among them.
            cursor.execute(sql, [asked, limit + len(self.newer) - 1])
            return int(cursor.fetchone()[0] or 0)

    def condition(self, column: str) -> tuple[str, tuple[Any, ...]]:
        """Return a condition on the id, for rows of the sites that another index finds."""
        has_words, asked = row_condition(self.words)
        numbers = of_engine("numbers")
        sql = (
            f"CASE WHEN {column} IN {numbers} THEN {column} IN {numbers} ELSE EXISTS ("
            f"SELECT 1 FROM search_searchentry e WHERE e.kind = %s AND e.subject_id = {column} AND {has_words}) END"
        )
        return sql, (bound(self.newer), bound(self.found), self.kind, *asked)

    def estimate(self) -> int:
        """Estimate the number on PostgreSQL from its common words; its planner assumes 2 % for unknown beginnings."""
        terms = [
            ("starts_with(word, %s)" if term.is_begun and word is term.words[-1] else "word = %s", word)
            for term in terms_of(self.words)
            for word in term.words
        ]
        shares = [_SHARE.format("word = ANY(%s)"), *(f"LEAST(1, {_SHARE.format(condition)})" for condition, _ in terms)]
        scopes = scopes_of(self.kind, self.site_ids, is_public=self.is_public)
        sql = f"SELECT CAST({_ENTRIES} * {' * '.join(shares)} AS bigint) {_COMMON}"
        with connection.cursor() as cursor:
            cursor.execute(sql, [scopes, *(word for _, word in terms)])
            return int(cursor.fetchone()[0])


def match(kind: str, words: Words, site_ids: Collection[int] | None = None, *, is_public: bool = False) -> Match | None:
    """Return None while the index is built, or cannot follow the changes."""
    if (newer := _newer(kind)) is None:
        return None
    found = {
        entry.subject_id: text
        for entry in (read_entries(kind, newer) if newer else ())
        if (site_ids is None or entry.site_id in site_ids)
        and (entry.is_public or not is_public)
        and has_words(text := text_of_entry(entry), words)
    }
    return Match(kind, words, site_ids, newer, found, is_public)


def counts_of(queries: Sequence[str]) -> list[int]:
    """Return the number of entries that each query, in the notation of the engine, finds in the index."""
    values = list(queries) if connection.vendor == "postgresql" else json.dumps(queries, ensure_ascii=False)
    with connection.cursor() as cursor:
        cursor.execute(of_engine("counts"), [values])
        return [count for (count,) in cursor.fetchall()]


def make_room() -> None:
    """Give PostgreSQL, until the transaction ends, room for the places of the matches of common words.

    Without it, PostgreSQL keeps only the pages of some, and compares all entries of these pages.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL work_mem = '{_ROOM}'")


def of_engine(name: str) -> Any:
    return (_ON_POSTGRESQL if connection.vendor == "postgresql" else _ON_SQLITE)[name]


def bound(numbers: Collection[int]) -> Any:
    return list(numbers) if connection.vendor == "postgresql" else str(list(numbers))


def _newer(kind: str) -> list[int] | None:
    """Return the ids of the records whose entries may be out of date; None if some may have none."""
    end = monotonic() + _PATIENCE
    while True:
        if (position := followed_to(kind)) is None:
            return None
        # If an entry is written before the search reads the index, the search ignores it and reads the record.
        newer = _ids_after(position, kind)
        if len(newer) <= _MOST_READ:
            return newer
        if monotonic() > end:
            return None
        try:
            with waiting_at_most(connection, _PATIENCE):
                number_new()
                is_done = step(kind)
        except DatabaseError:  # another writer of SQLite, or a replica
            return None
        if not is_done:
            sleep(_PAUSE)  # another process is at work


def _ids_after(position: int, kind: str) -> list[int]:
    index = "INDEXED BY event_new" if connection.vendor == "sqlite" else ""
    with connection.cursor() as cursor:
        cursor.execute(_NEWER.replace("/*index*/", index), [position, f"{kind}.%", _MOST_READ + 1])
        return [number for (number,) in cursor.fetchall()]
