"""Full-text search of contents (contents.search.terms), with the same results on both engines."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson
from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from contents.search.terms import COLUMNS, SHORTEST_BEGINNING, Words, has_all, text_of
from contents.sql_fragments import SqlFragment, concatenate, fetch, join
from core.lib.statement_limit import statement_limit

_ROW = "contents_content"
# The same expression as the index, so that it is used.
_INDEXED = f"contents_words({', '.join(f'{_ROW}.{column}' for column in COLUMNS)})"
_TEXT = f"({text_of(_ROW)})"
_FUNCTION = "contents_has_words"  # SQLite only
# Letters that folding changes beyond ASCII case: accented and full-width ones.
_FOLDED = "[\u00c0-\u1fff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"


def numbers_of(words: Words, others: Sequence[SqlFragment] = (), *, more: str = "") -> SqlFragment:
    """SQL for the `id` of contents outside the trash that have the words, if possible only from the index.

    Runs of three or more characters are found by their pairs, then verified. `others` are further conditions on the
    row, `more` further columns, which cost PostgreSQL nothing.
    """
    conditions = [*(_has_run(run) for run in words.runs if len(run) > 2), *others]
    if connection.vendor == "postgresql":
        select = f"SELECT {_ROW}.id{more} FROM {_ROW}"
        found = SqlFragment(f"{_INDEXED} @@ %s::tsquery AND {_ROW}.trashed_at IS NULL", (_tsquery(words),))
    else:
        with_row = f" JOIN {_ROW} ON {_ROW}.id = contents_words.rowid" if conditions or more else ""
        select = f"SELECT contents_words.rowid AS id{more} FROM contents_words{with_row}"
        texts = [*(f'"{word}"*' for word in _beginnings(words)), *(f'"{word}"' for word in _whole(words))]
        found = SqlFragment("contents_words MATCH %s", (" AND ".join(texts),))
    joined = join([found, *conditions])
    return SqlFragment(f"{select} WHERE {joined.sql}", joined.params)


def newest_of(words: Words, most: int, others: Sequence[SqlFragment] = ()) -> list[int]:
    """Ids of the newest contents with the words. Raises TooSlow."""
    found = numbers_of(words, others)
    with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
        rows = fetch(f"SELECT id FROM ({found.sql}) found ORDER BY id DESC LIMIT {most}", found.params)
    return [row[0] for row in rows]


def condition_of(words: Words) -> SqlFragment:
    """Match rows of contents_content with the words, for queries that use another index; cheap checks come first."""
    looks = [_has_run(run) for run in words.runs]
    ascii_words = [word for word in words.beginnings if word.isascii()]
    if connection.vendor == "postgresql":
        may_have = f"strpos(lower({_TEXT} COLLATE \"C\"), %s) > 0 OR {_TEXT} ~ '{_FOLDED}'"
        # IS TRUE prevents use of the index, which would read all matches of a common word first.
        exact = SqlFragment(f"({_INDEXED} @@ %s::tsquery) IS TRUE", (_tsquery(words),))
    else:
        has_others = f"length(CAST({_TEXT} AS BLOB)) <> length({_TEXT})"  # than ASCII
        may_have = f"instr(lower({_TEXT}), %s) > 0 OR {has_others}"
        # FTS would read all matches of a prefix again for each row.
        exact = SqlFragment(f"{_FUNCTION}({_TEXT}, %s)", (orjson.dumps([words.beginnings, words.runs]).decode(),))
    looks += [SqlFragment(may_have, (word,)) for word in ascii_words]
    if not looks:
        return exact
    look = join(looks)
    # CASE enforces the order of evaluation.
    return SqlFragment(f"CASE WHEN {look.sql} THEN {exact.sql} ELSE FALSE END", look.params + exact.params)


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor == "sqlite":
        connection.connection.create_function(_FUNCTION, 2, _found, deterministic=True)


def _found(text: str, words: str) -> bool:
    return has_all(text, _read(words))


@lru_cache(16)
def _read(words: str) -> Words:
    beginnings, runs = orjson.loads(words)
    return Words(tuple(beginnings), tuple(runs))


def estimate(words: Words) -> int:
    """Estimate matches from PostgreSQL's common words; its planner assumes 2 % for unknown prefixes."""
    common = (
        "SELECT COALESCE(SUM(frequency), 0) FROM pg_stats s, unnest(s.most_common_elems::text::text[], "
        "s.most_common_elem_freqs) AS common (word, frequency) WHERE s.schemaname = current_schema() "
        "AND s.tablename = 'content_words' AND {}"
    )
    begins = [SqlFragment(common.format("starts_with(word, %s)"), (word,)) for word in _beginnings(words)]
    whole = [SqlFragment(common.format("word = %s"), (word,)) for word in _whole(words)]
    shares = concatenate(" * ", [SqlFragment(f"LEAST(1, ({one.sql}))", one.params) for one in [*begins, *whole]])
    rows = "(SELECT GREATEST(reltuples, 0) FROM pg_class WHERE oid = 'contents_content'::regclass)"
    ((found,),) = fetch(f"SELECT CAST({rows} * {shares.sql} AS bigint)", shares.params)
    return int(found)


def _has_run(run: str) -> SqlFragment:
    function = "strpos" if connection.vendor == "postgresql" else "instr"
    return SqlFragment(f"{function}({_TEXT}, %s) > 0", (run,))


def _tsquery(words: Words) -> str:
    # Words have only letters, digits and ideographs, so nothing needs escaping.
    return " & ".join([*(f"'{word}':*" for word in _beginnings(words)), *(f"'{word}'" for word in _whole(words))])


def _beginnings(words: Words) -> list[str]:
    """Terms that match as prefixes: Latin words, and single ideographs, which are indexed in pairs."""
    singles = [run for run in words.runs if len(run) == 1]
    return [*(word for word in words.beginnings if len(word) >= SHORTEST_BEGINNING), *singles]


def _whole(words: Words) -> list[str]:
    """Terms that match exactly: single letters, and pairs of adjacent ideographs."""
    pairs = [run[start : start + 2] for run in words.runs for start in range(len(run) - 1)]
    return [*(word for word in words.beginnings if len(word) < SHORTEST_BEGINNING), *dict.fromkeys(pairs)]
