"""Entries of the index: the words of a record, in the notation of each engine, and of a query.

Besides its words, an entry has the scopes `_media` and `_media1`: its kind, and its kind and site. No word of a text
begins with `_`; alone, it stands between two texts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db import connection

from search.models import SearchEntry
from search.sources import Entry
from search.words import SHORTEST_BEGINNING, Words, tokens_of

FORM = 1  # of entries: another number has all of them built again
MAX_CHARACTERS = 200_000  # of all texts of a record that are indexed
_MOST_BYTES = 1_000_000  # of different words with their first positions: a tsvector has at most 1,048,575
_BETWEEN = "_"
_CUT = "_cut"  # the entry lacks positions, so phrases match by their words
# PostgreSQL's limits: the highest position of a word, and positions of the same word.
_LAST_POSITION, _MOST_POSITIONS = 16_383, 256
_STORE = """
INSERT INTO search_searchentry (kind, subject_id, words) VALUES (%s, %s, %s)
ON CONFLICT (kind, subject_id) DO UPDATE SET words = excluded.words
"""


def store(kind: str, ids: Collection[int], entries: Iterable[Entry]) -> None:
    """Store these entries, and delete those of the other ids."""
    rows = {entry.subject_id: (kind, entry.subject_id, _stored(kind, entry)) for entry in entries}
    SearchEntry.objects.filter(kind=kind, subject_id__in=set(ids) - rows.keys()).delete()
    with connection.cursor() as cursor:
        cursor.executemany(_STORE, [rows[number] for number in sorted(rows)])


def sequence_of(entry: Entry) -> list[str]:
    """Return the words of the texts in order."""
    found: list[str] = []
    known: set[str] = set()
    left, room = MAX_CHARACTERS, _MOST_BYTES
    for text in filter(None, entry.texts):
        for word in tokens_of(text[:left]):
            if word not in known:
                known.add(word)
                room -= len(word.encode()) + 5
                if room < 0:
                    return [*found, _BETWEEN]
            found.append(word)
        found.append(_BETWEEN)
        left -= len(text)
        if left <= 0:
            break
    return found


def scope_of(kind: str, site_id: int | None = None) -> str:
    return f"_{kind}" if site_id is None else f"_{kind}{site_id}"


def _stored(kind: str, entry: Entry) -> str:
    scopes = [scope_of(kind), scope_of(kind, entry.site_id)]
    sequence = sequence_of(entry)
    if connection.vendor != "postgresql":
        return " ".join([*scopes, _BETWEEN, *sequence])
    places: dict[str, list[str]] = defaultdict(list)
    is_cut = len(sequence) >= _LAST_POSITION
    for place, word in enumerate(sequence, start=1):
        if len(found := places[word]) < _MOST_POSITIONS and (place < _LAST_POSITION or not found):
            found.append(str(min(place, _LAST_POSITION)))
        is_cut = is_cut or len(found) == _MOST_POSITIONS
    scopes += [_CUT] if is_cut else []
    return " ".join([*scopes, *(f"'{word}':{','.join(found)}" for word, found in places.items())])


def query_of(kind: str, words: Words, site_ids: Collection[int] | None) -> str:
    """Return the query in the notation of the engine; its words are required, in one of the sites (None: in any)."""
    scopes = [scope_of(kind)] if site_ids is None else [scope_of(kind, number) for number in sorted(site_ids)]
    begun, phrases = terms_of(words)
    if connection.vendor == "postgresql":
        return " & ".join(["(" + " | ".join(f"'{scope}'" for scope in scopes) + ")", _tsquery(words)])
    texts = ["(" + " OR ".join(f'"{scope}"' for scope in scopes) + ")", *(f'"{word}"*' for word in begun)]
    return " AND ".join([*texts, *(f'"{" ".join(phrase)}"' for phrase in phrases)])


def row_condition(words: Words) -> tuple[str, tuple[str, ...]]:
    """Return a condition on the words of an entry `e` that uses no index, and its parameters."""
    if connection.vendor == "postgresql":
        return "(e.words @@ CAST(%s AS tsquery)) IS TRUE", (_tsquery(words),)
    begun, phrases = terms_of(words)
    texts = [*(f" {word}" for word in begun), *(f" {' '.join(phrase)} " for phrase in phrases)]
    return " AND ".join(["instr(e.words || ' ', %s) > 0"] * len(texts)), tuple(texts)


def _tsquery(words: Words) -> str:
    # Words have only letters, digits and ideographs, so nothing needs escaping.
    begun, phrases = terms_of(words)
    texts = [f"'{word}':*" for word in begun]
    for phrase in phrases:
        words_of_phrase = [f"'{word}'" for word in phrase]
        adjacent = " <-> ".join(words_of_phrase)
        texts.append(adjacent if len(phrase) == 1 else f"(({adjacent}) | ('{_CUT}' & {' & '.join(words_of_phrase)}))")
    return " & ".join(texts)


def terms_of(words: Words) -> tuple[list[str], list[list[str]]]:
    """Return the beginnings of words, and the phrases: whole words that follow each other."""
    begun = [word for word in words.beginnings if len(word) >= SHORTEST_BEGINNING]
    phrases = [[word] for word in words.beginnings if len(word) < SHORTEST_BEGINNING]
    for run in words.runs:
        if len(run) == 1:  # with any ideograph after it
            begun.append(run)
        else:
            phrases.append([run[start : start + 2] for start in range(len(run) - 1)])
    return begun, phrases


def has_words(entry: Entry, words: Words) -> bool:
    """Return whether the index would find the entry by the words."""
    sequence = sequence_of(entry)
    begun, phrases = terms_of(words)
    text = " ".join(["", *sequence, ""])
    return all(f" {word}" in text for word in begun) and all(f" {' '.join(phrase)} " in text for phrase in phrases)
