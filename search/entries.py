"""Entries of the index: the words of a record, in the notation of each engine, and of a query.

Besides its words, an entry has the scopes `_media` and `_media1`: its kind, and its kind and site, if it is public also
`_media_public` and `_media_public1`. The words of the title stand there once more as `_t…`, those of the author as
`_a…`, and each tag is one word `_g…`. No word of a text begins with `_`; alone, it stands between two texts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection

from search.models import SearchEntry
from search.sources import Entry
from search.words import SHORTEST_BEGINNING, Words, is_ideograph, name_of, tokens_of, tokens_of_phrase

FORM = 2  # of entries: another number has all of them built again
MAX_CHARACTERS = 200_000  # of all texts of a record that are indexed
_MOST_BYTES = 1_000_000  # of different words with their first positions: a tsvector has at most 1,048,575
_BETWEEN = "_"
_TITLE, _AUTHOR, _TAG = "_t", "_a", "_g"
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


class Term(NamedTuple):
    """Words that follow each other; of the last one, the beginning suffices if `is_begun`."""

    words: tuple[str, ...]
    is_begun: bool = False


def sequence_of(entry: Entry) -> list[str]:
    """Return the words in order: of the title, the author and the tags with their marks, and then of the texts."""
    found: list[str] = []
    known: set[str] = set()
    left, room = MAX_CHARACTERS, _MOST_BYTES
    for mark, text in _marked_texts(entry):
        for word in [mark + name_of(text)] if mark == _TAG else tokens_of(text[:left]):
            word = word if mark == _TAG else mark + word
            if word not in known:
                known.add(word)
                room -= len(word.encode()) + 5
                if room < 0:
                    return [*found, _BETWEEN]
            found.append(word)
        found.append(_BETWEEN)
        left -= 0 if mark else len(text)
        if left <= 0:
            break
    return found


def _marked_texts(entry: Entry) -> Iterator[tuple[str, str]]:
    marked = [(_TITLE, entry.texts[0]), (_AUTHOR, entry.author), *((_TAG, tag) for tag in entry.tags)]
    return ((mark, text) for mark, text in [*marked, *(("", text) for text in entry.texts)] if text)


def scope_of(kind: str, site_id: int | None = None, *, is_public: bool = False) -> str:
    return f"_{kind}{'_public' if is_public else ''}{'' if site_id is None else site_id}"


def scopes_of(kind: str, site_ids: Collection[int] | None, *, is_public: bool = False) -> list[str]:
    """Return the scopes of the sites (None: of all); an entry of theirs has one of them."""
    numbers = [None] if site_ids is None else sorted(site_ids)
    return [scope_of(kind, number, is_public=is_public) for number in numbers]


def _stored(kind: str, entry: Entry) -> str:
    scopes = [
        scope_of(kind, number, is_public=is_public)
        for is_public in ([False, True] if entry.is_public else [False])
        for number in (None, entry.site_id)
    ]
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


def query_of(
    kind: str,
    words: Words,
    site_ids: Collection[int] | None,
    *,
    is_public: bool = False,
    more: Sequence[Term] = (),
    is_whole: bool = False,
) -> str:
    """Return the query in the notation of the engine; its words are required, in one of the sites (None: in any).

    `is_whole`: whole words, not their beginnings.
    """
    terms, scopes = [*more, *terms_of(words)], scopes_of(kind, site_ids, is_public=is_public)
    terms = [term._replace(is_begun=False) for term in terms] if is_whole else terms
    if connection.vendor == "postgresql":
        in_scope = "(" + " | ".join(f"'{scope}'" for scope in scopes) + ")"
        return " & ".join(filter(None, [in_scope, _tsquery(terms, words.without)]))
    found = " AND ".join(["(" + " OR ".join(f'"{scope}"' for scope in scopes) + ")", *map(_in_fts5, terms)])
    without = " OR ".join(map(_in_fts5, terms_of(words.without)))
    return f"({found}) NOT ({without})" if without else found


def row_condition(words: Words) -> tuple[str, tuple[str, ...]]:
    """Return a condition on the words of an entry `e` that uses no index, and its parameters."""
    return has_terms(terms_of(words), words.without)


def in_scopes(scopes: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a condition on the words of an entry `e` of SQLite that uses no index, and its parameters."""
    has_one = " OR ".join(["instr(' ' || e.words, %s) > 0"] * len(scopes))
    return f"({has_one})", tuple(f" {scope} " for scope in scopes)


def has_terms(terms: Sequence[Term], left_out: Words | None = None) -> tuple[str, tuple[str, ...]]:
    without = terms_of(left_out)
    if not terms and not without:
        return "TRUE", ()
    if connection.vendor == "postgresql":
        return "(e.words @@ CAST(%s AS tsquery)) IS TRUE", (_tsquery(terms, left_out),)
    conditions = ["instr(e.words || ' ', %s) > 0"] * len(terms) + ["instr(e.words || ' ', %s) = 0"] * len(without)
    return " AND ".join(conditions), tuple(map(text_of, [*terms, *without]))


def hits_of(terms: Sequence[Term]) -> tuple[str, tuple[Any, ...]]:
    """Return SQL for how often an entry `e` has the terms, 0 to 1, and its parameters."""
    if not terms:
        return "0", ()
    if connection.vendor == "postgresql":
        return "ts_rank('{1, 1, 1, 1}', e.words, CAST(%s AS tsquery))", (_tsquery(terms),)
    one = "(length(e.words) - length(replace(e.words, %s, ''))) / %s"
    hits = " + ".join([one] * len(terms))
    values: list[Any] = []
    for text in (text_of(term).rstrip() for term in terms):
        values += [text, len(text)]
    return f"1 - 4.0 / (4 + {hits})", tuple(values)


def _tsquery(terms: Iterable[Term], left_out: Words | None = None) -> str:
    found = [_in_tsquery(term) for term in terms]
    # A text without positions is not left out for a phrase: its words may stand anywhere.
    without = [f"!{_adjacent(term)}" for term in terms_of(left_out)]
    return " & ".join(found + without)


def _in_tsquery(term: Term) -> str:
    adjacent = _adjacent(term)
    if len(term.words) == 1:
        return adjacent
    return f"({adjacent} | ('{_CUT}' & {' & '.join(_quoted(term))}))"


def _adjacent(term: Term) -> str:
    return f"({' <-> '.join(_quoted(term))})"


def _quoted(term: Term) -> list[str]:
    # Words have only letters, digits, ideographs and `_`, so nothing needs escaping.
    found = [f"'{word}'" for word in term.words]
    return [*found[:-1], f"{found[-1]}:*"] if term.is_begun else found


def _in_fts5(term: Term) -> str:
    return f'"{" ".join(term.words)}"{"*" if term.is_begun else ""}'


def text_of(term: Term) -> str:
    """The part of a stored text, with a blank at its end."""
    return f" {' '.join(term.words)}{'' if term.is_begun else ' '}"


def terms_of(words: Words | None) -> list[Term]:
    if words is None:
        return []
    texts = [*map(_term_of, words.beginnings + words.runs), *map(_term_of_phrase, words.phrases)]
    return [
        *([_marked(_TITLE, term) for term in texts] if words.is_of_titles else texts),
        *(Term((_TAG + tag,)) for tag in words.tags),
        *(_marked(_AUTHOR, _term_of(each)) for each in words.authors),
    ]


def in_title(words: Words) -> list[Term]:
    """Return the terms of the entries whose titles have the words."""
    return terms_of(words.texts.of_titles)


def _term_of(text: str) -> Term:
    if not is_ideograph(ord(text[0])):
        return Term((text,), is_begun=len(text) >= SHORTEST_BEGINNING)
    if len(text) == 1:  # with any ideograph after it
        return Term((text,), is_begun=True)
    return Term(tuple(text[start : start + 2] for start in range(len(text) - 1)))


def phrase_of(words: Words) -> Term | None:
    """Return all words without quotation marks as one phrase; None if there are not several."""
    if len(words.together) < 2:
        return None
    is_begun = _term_of(words.together[-1]).is_begun
    return Term(tuple(tokens_of_phrase(words.together)), is_begun)


def _term_of_phrase(phrase: Sequence[str]) -> Term:
    is_begun = len(phrase[-1]) == 1 and is_ideograph(ord(phrase[-1]))
    return Term(tuple(tokens_of_phrase(phrase)), is_begun)


def _marked(mark: str, term: Term) -> Term:
    return term._replace(words=tuple(mark + word for word in term.words))


def text_of_entry(entry: Entry) -> str:
    """Return its words with a blank before and after each, as SQLite stores them but for the scopes."""
    return " ".join(["", *sequence_of(entry), ""])


def has_words(text: str, words: Words) -> bool:
    """Return whether the index would find an entry with this text by the words."""
    is_left_out = any(text_of(term) in text for term in terms_of(words.without))
    return not is_left_out and all(text_of(term) in text for term in terms_of(words))


def hits_in(text: str, terms: Iterable[Term]) -> float:
    """Return how often the text of an entry has the terms, as `hits_of` does on SQLite."""
    return 1 - 4 / (4 + sum(text.count(text_of(term).rstrip()) for term in terms))
