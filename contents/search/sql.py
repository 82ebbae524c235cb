"""The words of a content in SQL: the same on both engines, and the same as those of a query (contents.search.terms).

On PostgreSQL a function makes them, which an index stores (contents/sql/postgresql.sql). On SQLite triggers write them
to a table for full texts (contents/sql/sqlite.sql).
"""

from contents.search.terms import (
    ACCENTS_FROM,
    ACCENTS_TO,
    COLUMNS,
    FIRST_IDEOGRAPH,
    FORMS_END,
    FORMS_FROM,
    FORMS_SHIFT,
    FORMS_TO,
    LETTERS_FROM,
    LETTERS_TO,
    MARKS_FROM,
    MARKS_TO,
    PICTURES_FROM,
    PICTURES_TO,
    folding,
)


def searched(row: str = "") -> str:
    """The columns whose words are searched: `searched("NEW")`."""
    return ", ".join(_columns(row))


def text_of(row: str) -> str:
    """The text of a row that is searched: `text_of("NEW")`."""
    return " || ' ' || ".join(_columns(row))


def _columns(row: str) -> list[str]:
    return [f"{row}.{column}" if row else column for column in COLUMNS]


def _is_ideograph(code: str) -> str:
    return (
        f"({code} >= {FIRST_IDEOGRAPH} AND {code} NOT BETWEEN {MARKS_FROM} AND {MARKS_TO} "
        f"AND {code} NOT BETWEEN {FORMS_FROM - 1} AND {FORMS_END} "
        f"AND {code} NOT BETWEEN {PICTURES_FROM} AND {PICTURES_TO})"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ---- PostgreSQL

# Inside the brackets of a regular expression.
_IDEOGRAPHS = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        (FIRST_IDEOGRAPH, MARKS_FROM - 1),
        (MARKS_TO + 1, FORMS_FROM - 2),
        (FORMS_END + 1, PICTURES_FROM - 1),
        (PICTURES_TO + 1, 0x10FFFF),
    )
)
_LETTERS = f"{chr(LETTERS_FROM)}-\u00d6\u00d8-\u00f6\u00f8-{chr(LETTERS_TO)}"  # without the signs of times and division
_FULL_WIDTH = "".join(
    f"{chr(ord(first) + FORMS_SHIFT)}-{chr(ord(last) + FORMS_SHIFT)}" for first, last in ("09", "AZ", "az")
)


def _folded(character: str) -> str:
    """The character as words have it; `character` is a column."""
    letters, small = folding()
    code = f"ascii({character})"
    return (
        f"CASE WHEN {code} < 128 THEN {character} "
        f"WHEN {code} BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN chr({code} - {FORMS_SHIFT}) "
        f"WHEN {code} BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN {code} BETWEEN {LETTERS_FROM} AND {LETTERS_TO} "
        f"THEN translate({character}, {_quoted(letters)}, {_quoted(small)}) ELSE {character} END"
    )


# ---- SQLite


def sqlite_words(row: str) -> str:
    """The expression of a row's words, with blanks between them; the table's tokenizer folds letters."""
    text = text_of(row)
    here, following = "unicode(x)", "coalesce(unicode(rest), 0)"
    case = (
        f"CASE WHEN {here} < 128 THEN x WHEN {_is_ideograph(here)} "
        f"THEN ' ' || x || CASE WHEN {_is_ideograph(following)} THEN substr(rest, 1, 1) ELSE '' END || ' ' "
        f"WHEN {here} BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN char({here} - {FORMS_SHIFT}) "
        f"WHEN {here} BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN {here} BETWEEN {LETTERS_FROM} AND {LETTERS_TO} AND {here} NOT IN (215, 247) THEN x ELSE ' ' END"
    )
    # One character after the other is taken off the text: asked for by its place, each would be sought from the start.
    spread = (
        f"(WITH RECURSIVE at (x, rest) AS (SELECT substr({text}, 1, 1), substr({text}, 2) "
        "UNION ALL SELECT substr(rest, 1, 1), substr(rest, 2) FROM at WHERE rest <> '') "
        f"SELECT group_concat({case}, '') FROM at)"
    )
    return f"CASE WHEN length(CAST({text} AS BLOB)) = length({text}) THEN {text} ELSE {spread} END"


# For the files in contents/sql.
EXPRESSIONS = {
    "searched": searched,
    "text": text_of,
    "words": sqlite_words,
    "folded": lambda row: _folded(f"{row}.x"),
    "ideographs": lambda _: _IDEOGRAPHS,
    "letters": lambda _: _LETTERS,
    "full_width": lambda _: _FULL_WIDTH,
}
