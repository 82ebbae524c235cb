"""Words of a content's title, subtitle, tags and author, as the search index has them.

Latin words (and words of any script with spaces) match by prefix, ignoring case and accents. Chinese, Japanese and
Korean have no spaces: each character is indexed with its successor, so that any run is found. Queries are split in
Python and contents in SQL, with the same result on both engines: PostgreSQL indexes a function, SQLite fills a
full-text table by triggers (contents/sql).
"""

import re
import unicodedata
from dataclasses import dataclass

MAX = 12  # words of a query; further ones are ignored
LONGEST = 60  # characters of a word that count
SHORTEST_BEGINNING = 2  # characters; shorter words match only as a whole
COLUMNS = ("title", "sub_title", "tags", "author")

# Ranges of ideographs, kana and hangul, without the punctuation and full-width forms among them and without pictures
# (PICTURES_FROM).
FIRST_IDEOGRAPH = 0x2E80
MARKS_FROM, MARKS_TO = 0x3000, 0x303F
FORMS_FROM, FORMS_TO = 0xFF01, 0xFF5E  # full-width ASCII, shifted by 0xFEE0
FORMS_END = 0xFF65
PICTURES_FROM, PICTURES_TO = 0x1F000, 0x1FFFF
FORMS_SHIFT = 0xFEE0
LETTERS_FROM, LETTERS_TO = 0xC0, 0x1FFF  # scripts with spaces
ACCENTS_FROM, ACCENTS_TO = 0x300, 0x36F  # combining, after their letter
_ACCENTED = (range(0xC0, 0x250), range(0x1E00, 0x1F00))
_OTHER_CASES = range(0x370, 0x530)  # Greek and Cyrillic keep their accents
_NO_LETTERS = {0xD7, 0xF7}
# A letter with combining accents, kana with a voicing mark, decomposed hangul.
_IN_PARTS = re.compile(
    "[^\\s\u0300-\u036f][\u0300-\u036f]+|.[\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)

_LATIN_WORD = re.compile("[^ \u2e80-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a query, all required: prefixes of words, and runs of ideographs."""

    beginnings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.beginnings or self.runs)


def read_words(query: str) -> Words:
    """Split a query into words; punctuation, operators and other characters count as blanks."""
    pieces = re.split(r"\s+", _spaced(composed(query[:500])))
    found = list(dict.fromkeys(piece[:LONGEST] for piece in pieces if piece))[:MAX]
    runs = tuple(piece for piece in found if is_ideograph(ord(piece[0])))
    return Words(tuple(piece for piece in found if piece not in runs), runs)


def found_in(text: str, words: Words) -> list[tuple[int, int]]:
    """Ranges (start, end) of the words in a text, sorted and merged."""
    letters, places = _spelled(text)
    runs = [each.span() for run in words.runs for each in re.finditer(re.escape(run), letters)]
    begun = [
        (word.start(), word.start() + len(beginning))
        for word in _LATIN_WORD.finditer(letters)
        for beginning in words.beginnings
        if _is_found_by(word[0], beginning)
    ]
    found: list[tuple[int, int]] = []
    for start, end in sorted((places[start][0], places[end - 1][1]) for start, end in runs + begun):
        if found and start <= found[-1][1]:
            start, end = found[-1][0], max(end, found.pop()[1])
        found.append((start, end))
    return found


def has_all(text: str, words: Words) -> bool:
    """Return whether the text has all words; agrees with the index."""
    letters, _ = _spelled(text)
    found = _LATIN_WORD.findall(letters)
    return all(run in letters for run in words.runs) and all(
        any(_is_found_by(word, beginning) for word in found) for beginning in words.beginnings
    )


def composed(text: str) -> str:
    """Compose letters and drop leftover combining marks; other characters stay as the index has them, despite NFC."""
    made = _IN_PARTS.sub(lambda found: unicodedata.normalize("NFC", found[0]), text)
    return "".join(character for character in made if not ACCENTS_FROM <= ord(character) <= ACCENTS_TO)


def is_ideograph(code: int) -> bool:
    """Return whether the character is indexed by itself, without spaces around it."""
    return code >= FIRST_IDEOGRAPH and not any(
        first <= code <= last
        for first, last in ((MARKS_FROM, MARKS_TO), (FORMS_FROM - 1, FORMS_END), (PICTURES_FROM, PICTURES_TO))
    )


def folded(character: str) -> str:
    """The letter in lower case without accent, if it is of a script with spaces; otherwise unchanged."""
    code = ord(character)
    if any(code in each for each in _ACCENTED):
        base = unicodedata.normalize("NFD", character)[0].lower()
        return base if len(base) == 1 and ord(base) <= LETTERS_TO else character
    small = character.lower()
    return small if code in _OTHER_CASES and len(small) == 1 else character


def folding() -> tuple[str, str]:
    """Letters that are folded and their replacements, for SQL `translate`."""
    codes = [*(code for each in _ACCENTED for code in each), *_OTHER_CASES]
    letters = [chr(code) for code in codes if code not in _NO_LETTERS and folded(chr(code)) != chr(code)]
    return "".join(letters), "".join(map(folded, letters))


def _is_found_by(word: str, beginning: str) -> bool:
    # A single letter matches only whole words: it starts too many.
    return word.startswith(beginning) if len(beginning) >= SHORTEST_BEGINNING else word == beginning


def _spelled(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as indexed, with blanks for punctuation, and the range of each letter in the original."""
    letters, places = [], []
    for place, character in enumerate(map(_narrow, text)):
        if not ACCENTS_FROM <= ord(character) <= ACCENTS_TO:
            letters.append(character if is_ideograph(ord(character)) else _letter(character))
            places.append((place, place + 1))
        elif places:
            places[-1] = (places[-1][0], place + 1)
    return "".join(letters), places


def _spaced(text: str) -> str:
    made, was_ideograph = [], False
    for character in map(_narrow, text):
        ideograph = is_ideograph(ord(character))
        if ideograph != was_ideograph:
            made.append(" ")
        made.append(character if ideograph else _letter(character))
        was_ideograph = ideograph
    return "".join(made)


def _narrow(character: str) -> str:
    code = ord(character)
    return chr(code - FORMS_SHIFT) if FORMS_FROM <= code <= FORMS_TO else character


def _letter(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return character.lower() if character.isalnum() else " "
    return folded(character) if LETTERS_FROM <= code <= LETTERS_TO and code not in _NO_LETTERS else " "


# ---- SQL


def searched(row: str = "") -> str:
    """The searched columns: `searched("NEW")`."""
    return ", ".join(_columns(row))


def text_of(row: str = "") -> str:
    """The searched text of a row: `text_of("NEW")`."""
    return " || ' ' || ".join(_columns(row))


def _columns(row: str) -> list[str]:
    return [f"{row}.{column}" if row else column for column in COLUMNS]


def _is_ideograph_sql(code: str) -> str:
    return (
        f"({code} >= {FIRST_IDEOGRAPH} AND {code} NOT BETWEEN {MARKS_FROM} AND {MARKS_TO} "
        f"AND {code} NOT BETWEEN {FORMS_FROM - 1} AND {FORMS_END} "
        f"AND {code} NOT BETWEEN {PICTURES_FROM} AND {PICTURES_TO})"
    )


# ---- PostgreSQL

# Ranges for the brackets of a regular expression.
_IDEOGRAPHS = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        (FIRST_IDEOGRAPH, MARKS_FROM - 1),
        (MARKS_TO + 1, FORMS_FROM - 2),
        (FORMS_END + 1, PICTURES_FROM - 1),
        (PICTURES_TO + 1, 0x10FFFF),
    )
)
_LETTERS = f"{chr(LETTERS_FROM)}-\u00d6\u00d8-\u00f6\u00f8-{chr(LETTERS_TO)}"  # without × and ÷
_FULL_WIDTH = "".join(
    f"{chr(ord(first) + FORMS_SHIFT)}-{chr(ord(last) + FORMS_SHIFT)}" for first, last in ("09", "AZ", "az")
)


def _folded_sql(character: str) -> str:
    """Fold the character in the column `character`."""
    letters, small = folding()
    code = f"ascii({character})"
    return (
        f"CASE WHEN {code} < 128 THEN {character} "
        f"WHEN {code} BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN chr({code} - {FORMS_SHIFT}) "
        f"WHEN {code} BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN {code} BETWEEN {LETTERS_FROM} AND {LETTERS_TO} "
        f"THEN translate({character}, '{letters}', '{small}') ELSE {character} END"
    )


# ---- SQLite


def sqlite_words(row: str) -> str:
    """SQL for a row's words separated by blanks; the table's tokenizer folds letters."""
    text = text_of(row)
    here, following = "unicode(x)", "coalesce(unicode(rest), 0)"
    case = (
        f"CASE WHEN {here} < 128 THEN x WHEN {_is_ideograph_sql(here)} "
        f"THEN ' ' || x || CASE WHEN {_is_ideograph_sql(following)} THEN substr(rest, 1, 1) ELSE '' END || ' ' "
        f"WHEN {here} BETWEEN {FORMS_FROM} AND {FORMS_TO} THEN char({here} - {FORMS_SHIFT}) "
        f"WHEN {here} BETWEEN {ACCENTS_FROM} AND {ACCENTS_TO} THEN '' "
        f"WHEN {here} BETWEEN {LETTERS_FROM} AND {LETTERS_TO} AND {here} NOT IN (215, 247) THEN x ELSE ' ' END"
    )
    # Takes one character off the text at a time: access by position would scan from the start each time.
    spread = (
        f"(WITH RECURSIVE at (x, rest) AS (SELECT substr({text}, 1, 1), substr({text}, 2) "
        "UNION ALL SELECT substr(rest, 1, 1), substr(rest, 2) FROM at WHERE rest <> '') "
        f"SELECT group_concat({case}, '') FROM at)"
    )
    return f"CASE WHEN length(CAST({text} AS BLOB)) = length({text}) THEN {text} ELSE {spread} END"


# For the templates in contents/sql.
EXPRESSIONS = {
    "searched": searched,
    "text": text_of,
    "words": sqlite_words,
    "folded": lambda row: _folded_sql(f"{row}.x"),
    "ideographs": lambda _: _IDEOGRAPHS,
    "letters": lambda _: _LETTERS,
    "full_width": lambda _: _FULL_WIDTH,
}
