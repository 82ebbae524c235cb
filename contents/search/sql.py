"""The words of a content in SQL: the same on both engines, and the same as those of a query (contents.search.terms).

On PostgreSQL a function makes them, of which an index is made (contents/migrations/0012_words.py). On SQLite triggers
write them to a table for full texts.
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


def postgresql_function() -> str:
    """The statement that makes the function contents_words.

    Regular expressions do most of it: they take a fourth of the time of looking at each character, and the function
    runs whenever a content is stored. It calls no other function of ours, which PostgreSQL would not find while it
    restores a dump.
    """
    letters, small = folding()
    case = (
        "CASE WHEN ascii(x) < 128 THEN x "
        f"WHEN ascii(x) BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN chr(ascii(x) - {FORMS_SHIFT}) "
        f"WHEN ascii(x) BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN ascii(x) BETWEEN {LETTERS_FROM} AND {LETTERS_TO} "
        f"THEN translate(x, {_quoted(letters)}, {_quoted(small)}) ELSE x END"
    )
    pairs, others = f"'([{_IDEOGRAPHS}][{_IDEOGRAPHS}]?)', ' \\1 ', 'g'", f"[^{_IDEOGRAPHS}]*"
    return f"""
CREATE OR REPLACE FUNCTION contents_words(title text, sub_title text, tags text, author text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
    given text COLLATE "C" := title || ' ' || sub_title || ' ' || tags || ' ' || author;
BEGIN
    IF octet_length(given) <> length(given) THEN
        IF given ~ '[{_IDEOGRAPHS}]' THEN
            -- Each ideograph with the one after it: pairs from the first of each run on, and from the second.
            given := regexp_replace(given, {pairs}) || ' ' || regexp_replace(
                regexp_replace(given, '{others}[{_IDEOGRAPHS}]([{_IDEOGRAPHS}]*){others}', ' \\1', 'g'), {pairs});
        END IF;
        IF given ~ '[{_LETTERS}{_FULL_WIDTH}]' THEN
            given := (SELECT string_agg({case}, '') FROM unnest(string_to_array(given, NULL)) AS letter (x));
        END IF;
    END IF;
    RETURN array_to_tsvector(array_remove(string_to_array(
        regexp_replace(lower(given), '[^a-z0-9{_LETTERS}{_IDEOGRAPHS}]+', ' ', 'g'), ' '), ''));
END $$
""".strip()


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
