"""Finds contents by words of title, subtitle, tags and author (contents.search.terms), on both engines alike."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson
from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.statement_limit import statement_limit
from contents.conditions import Condition, concatenate, fetch, join
from contents.search.sql import text_of
from contents.search.terms import COLUMNS, SHORTEST_BEGINNING, Words, has_all

_ROW = "contents_content"
# As in the index, or it would not be used.
_INDEXED = f"contents_words({', '.join(f'{_ROW}.{column}' for column in COLUMNS)})"
_TEXT = f"({text_of(_ROW)})"
_FUNCTION = "contents_has_words"  # of SQLite
# Letters that are no more what they were once they are folded: accented ones, and those in full width.
_FOLDED = "[\u00c0-\u1fff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"


def numbers_of(words: Words, others: Sequence[Condition] = (), *, more: str = "") -> Condition:
    """The numbers of the present contents that have the words, as rows `id`, out of the index alone where that can be.

    A run of three and more characters is looked for by its pairs first. `others` are further conditions on the row,
    and `more` further columns of it, which PostgreSQL has read anyway.
    """
    looks = [*(_has_run(run) for run in words.runs if len(run) > 2), *others]
    if connection.vendor == "postgresql":
        found = Condition(f"{_INDEXED} @@ %s::tsquery AND {_ROW}.trashed_at IS NULL", (_tsquery(words),))
        return _where(f"SELECT {_ROW}.id{more} FROM {_ROW}", [found, *looks])
    found = Condition("contents_words MATCH %s", (_match(words),))
    source = f"contents_words JOIN {_ROW} ON {_ROW}.id = contents_words.rowid" if looks or more else "contents_words"
    return _where(f"SELECT contents_words.rowid AS id{more} FROM {source}", [found, *looks])


def newest_of(words: Words, most: int, others: Sequence[Condition] = ()) -> list[int]:
    """The numbers of the newest contents that have the words. Raises TooSlow."""
    found = numbers_of(words, others)
    with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
        rows = fetch(f"SELECT id FROM ({found.sql}) found ORDER BY id DESC LIMIT {most}", found.params)
    return [row[0] for row in rows]


def condition_of(words: Words) -> Condition:
    """That the row of contents_content has the words, for rows that are read in another order than the index's.

    Cheap looks at the text come first, so that few rows are taken apart into words.
    """
    looks = [_has_run(run) for run in words.runs]
    looks += [_may_have(word) for word in words.beginnings if word.isascii()]
    exact = _has_words(words)
    if not looks:
        return exact
    look = join(looks)
    # CASE keeps the order.
    return Condition(f"CASE WHEN {look.sql} THEN {exact.sql} ELSE FALSE END", look.params + exact.params)


def _has_words(words: Words) -> Condition:
    if connection.vendor == "postgresql":
        # IS TRUE keeps the index out: it would read all of a common word first.
        return Condition(f"({_INDEXED} @@ %s::tsquery) IS TRUE", (_tsquery(words),))
    # The table of words reads all of a beginning for each row that it is asked about.
    return Condition(f"{_FUNCTION}({_TEXT}, %s)", (orjson.dumps([words.beginnings, words.runs]).decode(),))


def _may_have(word: str) -> Condition:
    if connection.vendor == "postgresql":
        return Condition(f"strpos(lower({_TEXT} COLLATE \"C\"), %s) > 0 OR {_TEXT} ~ '{_FOLDED}'", (word,))
    has_others = f"length(CAST({_TEXT} AS BLOB)) <> length({_TEXT})"  # than ASCII
    return Condition(f"instr(lower({_TEXT}), %s) > 0 OR {has_others}", (word,))


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Give a new connection to SQLite the function that looks for words in one text."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(_FUNCTION, 2, _found, deterministic=True)


def _found(text: str, words: str) -> bool:
    return has_all(text, _read(words))


@lru_cache(16)
def _read(words: str) -> Words:
    beginnings, runs = orjson.loads(words)
    return Words(tuple(beginnings), tuple(runs))


def estimate(words: Words) -> int:
    """About how many contents have the words, by PostgreSQL's statistics of common words; rare ones count as none.

    Its own estimate is of no use: it takes 2 % for the beginning of a word that it does not know.
    """
    common = (
        "SELECT COALESCE(SUM(frequency), 0) FROM pg_stats s, unnest(s.most_common_elems::text::text[], "
        "s.most_common_elem_freqs) AS common (word, frequency) WHERE s.schemaname = current_schema() "
        "AND s.tablename = 'content_words' AND {}"
    )
    begins = [Condition(common.format("starts_with(word, %s)"), (word,)) for word in _beginnings(words)]
    whole = [Condition(common.format("word = %s"), (word,)) for word in _whole(words)]
    shares = concatenate(" * ", [Condition(f"LEAST(1, ({one.sql}))", one.params) for one in [*begins, *whole]])
    rows = "(SELECT GREATEST(reltuples, 0) FROM pg_class WHERE oid = 'contents_content'::regclass)"
    ((found,),) = fetch(f"SELECT CAST({rows} * {shares.sql} AS bigint)", shares.params)
    return int(found)


def _where(select: str, conditions: list[Condition]) -> Condition:
    joined = join(conditions)
    return Condition(f"{select} WHERE {joined.sql}", joined.params)


def _has_run(run: str) -> Condition:
    function = "strpos" if connection.vendor == "postgresql" else "instr"
    return Condition(f"{function}({_TEXT}, %s) > 0", (run,))


def _tsquery(words: Words) -> str:
    # Words consist of letters, digits and ideographs alone: nothing in them means anything to PostgreSQL or SQLite.
    return " & ".join([*(f"'{word}':*" for word in _beginnings(words)), *(f"'{word}'" for word in _whole(words))])


def _match(words: Words) -> str:
    return " AND ".join([*(f'"{word}"*' for word in _beginnings(words)), *(f'"{word}"' for word in _whole(words))])


def _beginnings(words: Words) -> list[str]:
    """What words in the index begin with: Latin words, and single ideographs, which stand there with their next one."""
    singles = [run for run in words.runs if len(run) == 1]
    return [*(word for word in words.beginnings if len(word) >= SHORTEST_BEGINNING), *singles]


def _whole(words: Words) -> list[str]:
    """What stands in the index as it is: single letters, and the pairs of ideographs that follow one another."""
    pairs = [run[start : start + 2] for run in words.runs for start in range(len(run) - 1)]
    return [*(word for word in words.beginnings if len(word) < SHORTEST_BEGINNING), *dict.fromkeys(pairs)]
