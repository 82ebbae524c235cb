"""Finds records by words: in the index, and in the records that it does not follow yet."""

from collections.abc import Collection
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from django.db import DatabaseError, connection

from core.lib.statement_limit import waiting_at_most
from events.numbering import number_new
from search.entries import has_words, query_of, row_condition, scope_of, terms_of
from search.following import followed_to, step
from search.sources import read_entries
from search.words import Words

_MOST_READ = 500  # records that a search reads itself
_PATIENCE = 2.0  # seconds in which a search brings the index up to date itself
_PAUSE = 0.05  # seconds
# The events that no entry follows yet: those after the position, and those without one.
_NEWER = """
SELECT DISTINCT subject_id FROM (
    SELECT name, subject_id FROM events_event WHERE position > %s
    UNION ALL
    SELECT name, subject_id FROM events_event /*index*/
    WHERE position IS NULL AND id > COALESCE((SELECT numbered_id FROM events_numbering), 0)
) newer WHERE name LIKE %s LIMIT %s
"""
_ON_POSTGRESQL = {
    "entries": "search_searchentry e WHERE e.words @@ CAST(%s AS tsquery)",
    "numbers": "(SELECT unnest(CAST(%s AS bigint[])))",
}
_ON_SQLITE = {
    # A cross join keeps the order: otherwise SQLite would search for each entry in turn.
    "entries": "search_words CROSS JOIN search_searchentry e ON e.id = search_words.rowid WHERE search_words MATCH %s",
    "numbers": "(SELECT value FROM json_each(%s))",
}
_ENTRIES = "(SELECT GREATEST(reltuples, 0) FROM pg_class WHERE oid = 'search_searchentry'::regclass)"
_COMMON = (
    "SELECT COALESCE(SUM(frequency), 0) FROM pg_stats s, unnest(s.most_common_elems::text::text[], "
    "s.most_common_elem_freqs) AS common (word, frequency) WHERE s.schemaname = current_schema() "
    "AND s.tablename = 'search_searchentry' AND s.attname = 'words' AND {}"
)


@dataclass(frozen=True)
class Match:
    """The records of a kind that have all words, as SQL and its parameters."""

    kind: str
    words: Words
    site_ids: Collection[int] | None  # None: of all sites
    newer: list[int]  # the records whose entries may be out of date
    found: list[int]  # those of them that have the words
    is_public: bool = False  # only records that are public

    def ids(self) -> tuple[str, tuple[Any, ...]]:
        """Return a sub-query with the column `id`."""
        sql = (
            f"SELECT e.subject_id AS id FROM {_of_engine('entries')} AND e.subject_id NOT IN {_of_engine('numbers')} "
            f"UNION ALL SELECT * FROM {_of_engine('numbers')} AS newer"
        )
        asked = query_of(self.kind, self.words, self.site_ids, is_public=self.is_public)
        return sql, (asked, _bound(self.newer), _bound(self.found))

    def condition(self, column: str) -> tuple[str, tuple[Any, ...]]:
        """Return a condition on the id, for rows of the sites that another index finds."""
        has_words, asked = row_condition(self.words)
        numbers = _of_engine("numbers")
        sql = (
            f"CASE WHEN {column} IN {numbers} THEN {column} IN {numbers} ELSE EXISTS ("
            f"SELECT 1 FROM search_searchentry e WHERE e.kind = %s AND e.subject_id = {column} AND {has_words}) END"
        )
        return sql, (_bound(self.newer), _bound(self.found), self.kind, *asked)

    def estimate(self) -> int:
        """Estimate the number on PostgreSQL from its common words; its planner assumes 2 % for unknown beginnings."""
        terms = [
            ("starts_with(word, %s)" if term.is_begun and word is term.words[-1] else "word = %s", word)
            for term in terms_of(self.words)
            for word in term.words
        ]
        shares = " * ".join(f"LEAST(1, ({_COMMON.format(condition)}))" for condition, _ in terms)
        numbers: Collection[int | None] = [None] if self.site_ids is None else self.site_ids
        scopes = [scope_of(self.kind, number, is_public=self.is_public) for number in numbers]
        sql = f"SELECT CAST({_ENTRIES} * ({_COMMON.format('word = ANY(%s)')}) * {shares} AS bigint)"
        with connection.cursor() as cursor:
            cursor.execute(sql, [scopes, *(word for _, word in terms)])
            return int(cursor.fetchone()[0])


def match(kind: str, words: Words, site_ids: Collection[int] | None = None, *, is_public: bool = False) -> Match | None:
    """Return None while the index is built, or cannot follow the changes."""
    if (newer := _newer(kind)) is None:
        return None
    found = [
        entry.subject_id
        for entry in (read_entries(kind, newer) if newer else ())
        if (site_ids is None or entry.site_id in site_ids)
        and (entry.is_public or not is_public)
        and has_words(entry, words)
    ]
    return Match(kind, words, site_ids, newer, found, is_public)


def _of_engine(name: str) -> str:
    return (_ON_POSTGRESQL if connection.vendor == "postgresql" else _ON_SQLITE)[name]


def _bound(numbers: list[int]) -> Any:
    return numbers if connection.vendor == "postgresql" else str(numbers)


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
