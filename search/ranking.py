"""Which of the matching records come first.

Words in the title count most, then the words side by side, how often a text has them, and how new the record is. Only
the newest matches are compared in this way; the others follow, newest first.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from search.entries import Term, has_terms, hits_in, hits_of, in_title, phrase_of, terms_of, text_of
from search.query import Match, bound, make_room, of_engine
from search.words import Words, name_of, tokens_of

WINDOW = 200  # matches that are ranked: the newest, and the newest that have all words in the title
MOST_COUNTED = 10_000  # matches
_ALL_IN_TITLE, _SOME_IN_TITLE = 85, 30  # all: more than a text without them can have
_PHRASE_IN_TITLE, _WHOLE_TITLE, _PHRASE_IN_TEXT = 40, 20, 20
_TAG, _HITS, _NEW = 15, 8, 8
_MOST_WALKED = 1 / 6  # of the entries; if more have enough matches, the index of PostgreSQL finds them faster
_HALVED_IN = 365  # days, after which half as much is added for a new record


@dataclass(frozen=True)
class Search:
    """The matches for which the condition holds."""

    match: Match
    joined: str = ""  # tables that the condition needs, joined to the entries `e`
    condition: str = ""
    params: tuple[Any, ...] = ()
    last_number: int | None = None  # only records with this id or a smaller one

    def first(self) -> tuple[int, list[int]]:
        """Return the number of matches without the newer records, up to one more than MOST_COUNTED, and the newest."""
        limit = MOST_COUNTED + 1
        if reach := self._reach_of(limit):
            # On SQLite, it is known already that there are so many.
            wanted = limit if connection.vendor == "postgresql" else WINDOW
            if found := self._walk(reach * wanted // limit, wanted):
                return limit, found[:WINDOW]
        if connection.vendor == "sqlite":
            found = self._newest_ids(limit)
            return len(found), found[:WINDOW]
        total, found = self._count()
        if total == limit:
            found = self._walk(_last_entry() * WINDOW // limit, WINDOW) or self._newest_ids(WINDOW)
        return total, found

    def newest_of(self, limit: int) -> list[int]:
        """Return the ids of the newest matches.

        If most entries match, PostgreSQL reads the newest ones, rather than the places of all matches in the index.
        """
        reach = self._reach_of(limit) if connection.vendor == "postgresql" else 0
        return (self._walk(reach, limit) if reach else []) or self._newest_ids(limit)

    def _reach_of(self, limit: int) -> int:
        """Return how many of the newest entries have so many matches on the average; 0 if they are too many to read."""
        if self.condition:
            return 0
        if connection.vendor == "sqlite":
            return self.match.reach_of_whole(limit) if self.last_number is None else 0
        if (matches := self.match.estimate()) <= limit:
            return 0
        last = _last_entry()
        reach = last * limit // matches
        return reach if reach <= last * _MOST_WALKED else 0

    def _walk(self, reach: int, limit: int, more: Sequence[Term] = ()) -> list[int]:
        """Return the ids of the newest matches if twice so many of the newest entries have enough of them."""
        entries, values = self._bounded(*self.match.newest_entries(2 * reach, more))
        where, first = (f" WHERE {self.condition}", None) if self.condition else ("", limit)
        found = _fetch(
            f"WITH walked AS MATERIALIZED (SELECT e.id, e.subject_id FROM {entries} ORDER BY e.id DESC LIMIT %s) "
            f"SELECT e.subject_id FROM walked e{self.joined}{where} ORDER BY e.id DESC LIMIT %s",
            (*values, first, *self.params, limit),
        )
        return [number for (number,) in found] if len(found) == limit else []

    def _count(self) -> tuple[int, list[int]]:
        """Return the number on PostgreSQL as `first` does, and the newest if they are not more than MOST_COUNTED."""
        make_room()
        entries, values = self._entries()
        # With the limit in the first query, the planner would read all entries until it has so many.
        sql = (
            f"WITH found AS MATERIALIZED (SELECT e.id, e.subject_id FROM {entries}), "
            "counted AS MATERIALIZED (SELECT id, subject_id FROM found LIMIT %s) "
            "SELECT (SELECT COUNT(*) FROM counted), ARRAY(SELECT subject_id FROM counted ORDER BY id DESC LIMIT %s)"
        )
        ((total, found),) = _fetch(sql, (*values, MOST_COUNTED + 1, WINDOW))
        return total, found

    def newest(
        self,
        limit: int,
        *,
        more: Sequence[Term] = (),
        last_entry: int | None = None,
        without: Collection[int] = (),
        skip: int = 0,
    ) -> list[tuple[int, int]]:
        """Return (id of the entry, id of the record) of the newest matches that have these terms, too."""
        make_room()
        entries, values = self._entries(more)
        if without:
            entries += f" AND e.subject_id NOT IN {of_engine('numbers')}"
            values += (bound(without),)
        if connection.vendor == "sqlite":
            bounded = "" if last_entry is None else " AND search_words.rowid <= %s"
            sql = f"SELECT e.id, e.subject_id FROM {entries}{bounded} ORDER BY search_words.rowid DESC"
            values += () if last_entry is None else (last_entry,)
        else:  # the planner would walk through all entries
            found = f"WITH found AS MATERIALIZED (SELECT e.id, e.subject_id FROM {entries})"
            sql = f"{found} SELECT id, subject_id FROM found WHERE id <= COALESCE(%s, id) ORDER BY id DESC"
            values += (last_entry,)
        return _fetch(f"{sql} LIMIT %s OFFSET %s", (*values, limit, skip))

    def titled(self, limit: int = WINDOW, *, is_common: bool = False) -> list[int]:
        """Return the ids of the newest matches that have all words in the title."""
        if not (terms := in_title(self.match.words)):
            return []
        # Texts have the words of the title, too.
        search = replace(self, match=replace(self.match, words=self.match.words.besides_texts))
        found = []
        if is_common and connection.vendor == "postgresql":
            found = search._walk(_last_entry() * limit // (2 * MOST_COUNTED), limit, terms)
        return found or search._newest_ids(limit, more=terms)

    def _newest_ids(self, limit: int, more: Sequence[Term] = ()) -> list[int]:
        return [number for _, number in self.newest(limit, more=more)]

    def newer(self) -> list[int]:
        """Return the ids of the matches that the index does not follow yet."""
        found = [number for number in self.match.found if self.last_number is None or number <= self.last_number]
        if not self.condition or not found:
            return found
        newer = f"(SELECT number AS subject_id FROM {of_engine('numbers')} AS newer) e"
        sql = f"SELECT e.subject_id FROM {newer}{self.joined} WHERE {self.condition}"
        return [number for (number,) in _fetch(sql, (bound(found), *self.params))]

    def _entries(self, more: Sequence[Term] = ()) -> tuple[str, tuple[Any, ...]]:
        entries, values = self._bounded(*self.match.entries(more, self.joined))
        return (f"{entries} AND {self.condition}", values + self.params) if self.condition else (entries, values)

    def _bounded(self, entries: str, values: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        if self.last_number is None:
            return entries, values
        return f"{entries} AND e.subject_id <= %s", (*values, self.last_number)


class Candidate(NamedTuple):
    id: int
    title: str
    tags: Sequence[str]
    date: datetime
    hits: float  # 0 to 1
    has_phrase: bool


def facts_of(words: Words) -> tuple[str, tuple[Any, ...]]:
    """Return SQL for `hits` and `has_phrase` of an entry `e`."""
    hits, values = hits_of(terms_of(words.texts))
    phrase = phrase_of(words)
    condition, further = ("FALSE", ()) if phrase is None else has_terms([phrase])
    return f"COALESCE({hits}, 0), COALESCE({condition}, FALSE)", (*values, *further)


def facts_in(text: str, words: Words) -> tuple[float, bool]:
    """Return `hits` and `has_phrase` for the text of an entry that is not stored yet."""
    phrase = phrase_of(words)
    return hits_in(text, terms_of(words.texts)), phrase is not None and text_of(phrase) in text


class Scale:
    """Compares records by the words of a query."""

    def __init__(self, words: Words, now: datetime) -> None:
        terms, phrase = terms_of(words.texts), phrase_of(words)
        self._now = now
        self._texts = [text_of(term) for term in terms]
        self._phrase = text_of(phrase or terms[0]) if terms else ""
        self._tag = "_".join(words.together)

    def has_all_in_title(self, found: Candidate) -> bool:
        title = _spelled(found.title)
        return all(text in title for text in self._texts)

    def score(self, found: Candidate) -> float:
        """Return a number that is higher for a better match; about 200 at most."""
        title = _spelled(found.title)
        in_title = sum(text in title for text in self._texts)
        points = 0.0
        if self._texts and in_title == len(self._texts):
            points += _ALL_IN_TITLE
            if self._phrase in title:
                points += _PHRASE_IN_TITLE + _WHOLE_TITLE * len(self._phrase.strip()) / len(title.strip())
        elif self._texts:
            points += _SOME_IN_TITLE * in_title / len(self._texts)
        points += _PHRASE_IN_TEXT if found.has_phrase else 0
        points += _TAG if self._tag and self._tag in map(name_of, found.tags) else 0
        age = max((self._now - found.date).days, 0)
        newness: float = 0.5 ** (age / _HALVED_IN)
        return points + _HITS * found.hits + _NEW * newness


def _spelled(title: str) -> str:
    return f" {' '.join(tokens_of(title))} "


def _last_entry() -> int:
    ((last,),) = _fetch("SELECT MAX(id) FROM search_searchentry", ())
    return int(last or 0)


def _fetch(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
