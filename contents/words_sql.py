"""The words of a content in SQL: the same on both engines, and the same as those of a query (contents.words).

On PostgreSQL a function makes them, of which an index is made (contents/migrations/0012_words.py). On SQLite triggers
write them to a table for full texts.
"""

from contents.words import (
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

# Whatever of ASCII is neither letter nor digit. The blank itself stands for nothing to replace.
_ASCII_MARKS = "".join(chr(code) for code in range(1, 0x80) if not chr(code).isalnum() and code != 0x20)


def text_of(row: str) -> str:
    """The text of a row that is searched: `text_of("NEW")`."""
    return " || ' ' || ".join(f"{row}.{column}" for column in COLUMNS)


def _is_ideograph(code: str) -> str:
    return (
        f"({code} >= {FIRST_IDEOGRAPH} AND {code} NOT BETWEEN {MARKS_FROM} AND {MARKS_TO} "
        f"AND {code} NOT BETWEEN {FORMS_FROM - 1} AND {FORMS_END} "
        f"AND {code} NOT BETWEEN {PICTURES_FROM} AND {PICTURES_TO})"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ---- PostgreSQL


def postgresql_functions() -> list[str]:
    """The statements that make the functions contents_spaced and contents_words."""
    letters, small = folding()
    case = (
        "CASE WHEN code < 128 THEN x "
        f"WHEN {_is_ideograph('code')} THEN ' ' || x || CASE WHEN {_is_ideograph('next')} THEN y ELSE '' END || ' ' "
        f"WHEN code BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN chr(code - {FORMS_SHIFT}) "
        f"WHEN code BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN code BETWEEN {LETTERS_FROM} AND {LETTERS_TO} AND code NOT IN (215, 247) "
        f"THEN translate(x, {_quoted(letters)}, {_quoted(small)}) ELSE ' ' END"
    )
    spaced = f"""
CREATE OR REPLACE FUNCTION contents_spaced(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 500 AS $$
DECLARE
    letters text[] := string_to_array(given, NULL);
BEGIN
    RETURN (SELECT string_agg({case}, '')
            FROM (SELECT x, y, ascii(x) AS code, coalesce(ascii(y), 0) AS next
                  FROM unnest(letters, letters[2:]) AS pair (x, y)) pairs);
END $$
""".strip()
    words = f"""
CREATE OR REPLACE FUNCTION contents_words(title text, sub_title text, tags text, author text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
    given text := title || ' ' || sub_title || ' ' || tags || ' ' || author;
BEGIN
    IF octet_length(given) <> length(given) THEN
        given := contents_spaced(given);
    END IF;
    RETURN array_to_tsvector(array_remove(string_to_array(translate(lower(given COLLATE "C"),
        {_quoted(_ASCII_MARKS)}, {_quoted(" " * len(_ASCII_MARKS))}), ' '), ''));
END $$
""".strip()
    return [spaced, words]


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
