"""Corrects the misspelled words of a query that finds nothing.

The index is asked for all words that are one edit away from a typed word. So no list of words is kept, and a
correction has only words of records that the same person finds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

from django.db import connection

from core.lib.statement_limit import TooSlow, statement_limit
from search.entries import Term, in_title, query_of
from search.query import Match, counts_of
from search.sources import read_entries
from search.words import MAX_QUERY, TypedWord, Words, found_in, read_words, typed_words

# The letters of words as the index has them: accents of Latin letters are not among them.
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzßæøœłđ",
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ",
)
_SAME_SOUND = (("ss", "ß"), ("ß", "ss"), ("ae", "æ"), ("oe", "ø"), ("oe", "œ"))
SHORTEST, LONGEST = 4, 30  # letters of words that are corrected
_MOST_WRONG = 3  # words that are corrected at once
_PATIENCE, _SHORTEST_LIMIT = 1.0, 0.05  # seconds
_FEW_SITES = 10  # of more, words of all sites are tried
_GAP = "."  # in place of a word: neither a blank nor a part of a word


def correct(match: Match, query: str, first_of: Callable[[str], int | None], *, has_places: bool = False) -> str | None:
    """Return the query with a few words corrected, if it then finds something; otherwise None.

    `match` is that of the query, which finds nothing. `first_of` searches for another query with all filters and
    limits of the request, and returns the id of a record, or None. If it raises TooSlow, there is no correction.
    """
    correction = _Correction(match, query[:MAX_QUERY], has_places, monotonic() + _PATIENCE)
    try:
        for chosen in correction.choices():
            if correction.is_late():
                break
            text = _replaced(correction.query, chosen)
            if (number := first_of(text)) is not None:
                return _replaced(correction.query, correction.as_written(chosen, number))
    except TooSlow:
        pass
    return None


_Choice = tuple[TypedWord, str]


@dataclass(frozen=True)
class _Correction:
    match: Match
    query: str
    has_places: bool
    end: float  # monotonic
    known: dict[str, list[str]] = field(default_factory=dict)  # word → words of the index at one edit

    def is_late(self) -> bool:
        return monotonic() > self.end

    def choices(self) -> Iterator[Sequence[_Choice]]:
        """Yield what to replace: first the words that no text has, or else each of a few alone; then all of them."""
        words = [each for each in typed_words(self.query) if _alphabet_of(each.word)]
        begun = [Term((each.word,), is_begun=not each.is_whole) for each in words]
        counts = self._counts(Words(), begun)
        wrong = [word for word, count in zip(words, counts, strict=True) if not count]
        attempts = [wrong] if wrong else [[word] for word in words if len(words) <= _MOST_WRONG]
        if words not in attempts:
            attempts.append(words)
        for attempt in attempts:
            if len(attempt) <= _MOST_WRONG:
                yield from self._choices(attempt)

    def _choices(self, wrong: Sequence[TypedWord], chosen: tuple[_Choice, ...] = ()) -> Iterator[Sequence[_Choice]]:
        if not wrong or self.is_late():
            yield from [chosen] if chosen and not wrong else ()
            return
        one, *others = wrong
        without = _replaced(self.query, [*chosen, *((each, _GAP) for each in wrong)])
        for word in self._similar(one.word, read_words(without, has_places=self.has_places)):
            yield from self._choices(others, (*chosen, (one, word)))

    def _similar(self, word: str, others: Words) -> list[str]:
        """Return the words at one edit that entries have beside the other words, the most probable first."""
        if word not in self.known:
            asked = edits_of(word)
            counts = self._read([_of_engine(each) for each in asked])
            self.known[word] = [each for each, count in zip(asked, counts, strict=True) if count]
        words = self.known[word]
        in_texts = self._counts(others, [Term((each,)) for each in words])
        titles = self._counts(others, [term for each in words for term in in_title(Words(phrases=((each,),)))])
        found = [
            (in_title > 0, each[0] == word[0], in_title, count, each)
            for each, count, in_title in zip(words, in_texts, titles, strict=True)
            if count
        ]
        return [each for *_, each in sorted(found, reverse=True)]

    def _counts(self, words: Words, terms: Sequence[Term]) -> list[int]:
        kind, sites, is_public = self.match.kind, self.match.site_ids, self.match.is_public
        sites = None if sites is not None and len(sites) > _FEW_SITES else sites
        return self._read([query_of(kind, words, sites, is_public=is_public, more=[term]) for term in terms])

    def _read(self, queries: Sequence[str]) -> list[int]:
        if not queries:
            return []
        if self.is_late():
            raise TooSlow
        # A shorter limit would end the end of the transaction, too.
        with statement_limit(connection, max(self.end - monotonic(), _SHORTEST_LIMIT)):
            return counts_of(queries)

    def as_written(self, chosen: Sequence[_Choice], number: int) -> list[_Choice]:
        """Return the words with the accents that they have in the record."""
        texts = [text for entry in read_entries(self.match.kind, [number]) for text in entry.texts]
        return [(one, self._as_written(one, word, texts)) for one, word in chosen]

    def _as_written(self, one: TypedWord, word: str, texts: Sequence[str]) -> str:
        for text in texts:
            for start, end in found_in(text, Words(phrases=((word,),)))[:1]:
                written = text[start:end]
                return written.lower() if self.query[one.start : one.end].islower() else written
        return word


def edits_of(word: str) -> list[str]:
    """Return the words with one letter more, one less, another one, two exchanged, or another spelling of a sound."""
    found: set[str] = set()
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        found.update(before + letter + after for letter in _alphabet_of(word))
        if after:
            found.add(before + after[1:])
            found.update(before + letter + after[1:] for letter in _alphabet_of(word))
        if len(after) > 1:
            found.add(before + after[1] + after[0] + after[2:])
        found.update(before + other + after[len(one) :] for one, other in _SAME_SOUND if after.startswith(one))
    return sorted(found - {word})


def _alphabet_of(word: str) -> str:
    """Return the letters of its script; none if the word is not corrected."""
    if not SHORTEST <= len(word) <= LONGEST:
        return ""
    return next((alphabet for alphabet in _ALPHABETS if set(word) <= set(alphabet)), "")


def _of_engine(word: str) -> str:
    return f"'{word}'" if connection.vendor == "postgresql" else f'"{word}"'


def _replaced(query: str, chosen: Sequence[_Choice]) -> str:
    for one, text in sorted(chosen, reverse=True, key=lambda each: each[0].start):
        query = query[: one.start] + text + query[one.end :]
    return query
