"""The words of a content's title, subtitle, tags and author, as the index of the search knows them.

A Latin word (or one of any script that puts blanks between words) is found by its beginning, whatever its letter case
and accents. Chinese, Japanese and Korean put no blanks: each character is indexed with the one after it, so that any
run of characters is found. The database makes the words of contents (contents.search.sql), this module those of a
query.
"""

import re
import unicodedata
from dataclasses import dataclass

MOST = 12  # words of a query; the ones after it are left out
LONGEST = 60  # characters of a word that are looked at
SHORTEST_BEGINNING = 2  # characters; a shorter word is a whole one
COLUMNS = ("title", "sub_title", "tags", "author")

# Characters that stand for themselves: ideographs, kana, hangul; not the pictures from PICTURES_FROM on.
# Between them lie marks and full-width forms.
FIRST_IDEOGRAPH = 0x2E80
MARKS_FROM, MARKS_TO = 0x3000, 0x303F
FORMS_FROM, FORMS_TO = 0xFF01, 0xFF5E  # of ASCII in full width, 0xFEE0 further down
FORMS_END = 0xFF65
PICTURES_FROM, PICTURES_TO = 0x1F000, 0x1FFFF
FORMS_SHIFT = 0xFEE0
LETTERS_FROM, LETTERS_TO = 0xC0, 0x1FFF  # scripts with blanks between words
ACCENTS_FROM, ACCENTS_TO = 0x300, 0x36F  # that stand behind their letter
_ACCENTED = (range(0xC0, 0x250), range(0x1E00, 0x1F00))
_OTHER_CASES = range(0x370, 0x530)  # Greek and Cyrillic keep their accents
_NO_LETTERS = {0xD7, 0xF7}
# A letter with accents behind it, kana with its voicing, hangul in parts.
_IN_PARTS = re.compile(
    "[^\\s\u0300-\u036f][\u0300-\u036f]+|.[\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)

_LATIN_WORD = re.compile("[^ \u2e80-\U0010ffff]+")


@dataclass(frozen=True, slots=True)
class Words:
    """What a query asks for: beginnings of words, and runs of ideographs; all of them must be there."""

    beginnings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.beginnings or self.runs)


def read_words(query: str) -> Words:
    """The words of a query; marks, operators and whatever is no character of a word count as blanks."""
    pieces = re.split(r"\s+", _spaced(composed(query[:500])))
    found = list(dict.fromkeys(piece[:LONGEST] for piece in pieces if piece))[:MOST]
    runs = tuple(piece for piece in found if is_ideograph(ord(piece[0])))
    return Words(tuple(piece for piece in found if piece not in runs), runs)


def found_in(text: str, words: Words) -> list[tuple[int, int]]:
    """Where the words stand in a text: from the first character to the one after the last, in order and apart."""
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
    """Whether a text has each of the words: what the index says of a content, for its columns with blanks between."""
    letters, _ = _spelled(text)
    found = _LATIN_WORD.findall(letters)
    return all(run in letters for run in words.runs) and all(
        any(_is_found_by(word, beginning) for word in found) for beginning in words.beginnings
    )


def composed(text: str) -> str:
    """The text with letters that come as a base and its marks made one, and the marks left out that make no letter.

    Other characters stay as they are, also those for which NFC has another: the index has them as they were stored.
    """
    made = _IN_PARTS.sub(lambda found: unicodedata.normalize("NFC", found[0]), text)
    return "".join(character for character in made if not ACCENTS_FROM <= ord(character) <= ACCENTS_TO)


def is_ideograph(code: int) -> bool:
    """Whether the character is a word, or a part of one, without blanks around it."""
    return code >= FIRST_IDEOGRAPH and not any(
        first <= code <= last
        for first, last in ((MARKS_FROM, MARKS_TO), (FORMS_FROM - 1, FORMS_END), (PICTURES_FROM, PICTURES_TO))
    )


def folded(character: str) -> str:
    """The small letter without its accent, for letters of scripts with blanks; as it is where that is none of these."""
    code = ord(character)
    if any(code in each for each in _ACCENTED):
        base = unicodedata.normalize("NFD", character)[0].lower()
        return base if len(base) == 1 and ord(base) <= LETTERS_TO else character
    small = character.lower()
    return small if code in _OTHER_CASES and len(small) == 1 else character


def folding() -> tuple[str, str]:
    """Letters that are folded, and what they become, for SQL's `translate`."""
    codes = [*(code for each in _ACCENTED for code in each), *_OTHER_CASES]
    letters = [chr(code) for code in codes if code not in _NO_LETTERS and folded(chr(code)) != chr(code)]
    return "".join(letters), "".join(map(folded, letters))


def _is_found_by(word: str, beginning: str) -> bool:
    # A single letter begins too many words; it is found where it is a word.
    return word.startswith(beginning) if len(beginning) >= SHORTEST_BEGINNING else word == beginning


def _spelled(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The letters of a stored text as the index has them, a blank for each mark, and where each stands in the text."""
    letters, places = [], []
    for place, character in enumerate(map(_narrow, text)):
        if not ACCENTS_FROM <= ord(character) <= ACCENTS_TO:
            letters.append(character if is_ideograph(ord(character)) else _letter(character))
            places.append((place, place + 1))
        elif places:
            places[-1] = (places[-1][0], place + 1)
    return "".join(letters), places


def _spaced(text: str) -> str:
    """The text in small letters, with blanks for marks and around runs of ideographs."""
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
