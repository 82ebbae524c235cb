"""Words of texts and of queries, as search compares them.

Latin words (and words of any script with spaces) match by prefix, ignoring case and accents. Chinese, Japanese and
Korean have no spaces: each character is indexed with its successor, so that any run is found.

A query also has phrases in quotation marks, `-word`, `tag:…` and `author:…`, and where asked for, `site:…` and `in:…`.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

MAX = 12  # words of a query; further ones are ignored
MAX_QUERY = 500  # characters
LONGEST = 60  # characters of a word that count
SHORTEST_BEGINNING = 2  # characters; shorter words match only as a whole

# Ranges of ideographs, kana and hangul, without the punctuation and full-width forms among them and without pictures
# (PICTURES_FROM).
FIRST_IDEOGRAPH = 0x2E80
MARKS_FROM, MARKS_TO = 0x3000, 0x303F
FORMS_FROM, FORMS_TO = 0xFF01, 0xFF5E  # full-width ASCII, shifted by 0xFEE0
FORMS_END = 0xFF65
PICTURES_FROM, PICTURES_TO = 0x1F000, 0x1FFFF
FORMS_SHIFT = 0xFEE0
LETTERS_FROM, LETTERS_TO = 0xC0, 0x1FFF  # scripts with spaces
_ACCENTED = (range(0xC0, 0x250), range(0x1E00, 0x1F00))
_OF_WORDS = ("L", "N", "M", "Co")  # categories of Unicode, also in the tokenizer of SQLite
_OTHER_CASES = range(0x370, 0x530)  # Greek and Cyrillic keep their accents
# A letter with combining accents, kana with a voicing mark, decomposed hangul.
_IN_PARTS = re.compile(
    "[^\\s\u0300-\u036f][\u0300-\u036f]+|.[\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)
_PARTS = re.compile(f"{_IN_PARTS.pattern}|.", re.DOTALL)
_ACCENTS = re.compile("[\u0300-\u036f]")

_LATIN_LETTER = "[^ \u2e80-\U0010ffff]"
_LATIN_WORD = re.compile(f"{_LATIN_LETTER}+")
_PIECE = re.compile(f"{_LATIN_WORD.pattern}|[\u2e80-\U0010ffff]+")


# The marks of Chinese and German input, too.
_PART = re.compile(
    r"(?P<without>(?<!\S)[-－])?(?:(?P<member>tag|author|site|in)[:：](?=\S))?"
    r"""(?:["“”„](?P<phrase>[^"“”„]*)["“”„]?|(?P<word>[^\s"“”„]+))""",
    re.IGNORECASE,
)
_PLACES = {"site": "sites", "in": "channels"}
OPERATORS = frozenset({"tag", "author"})
_NO_WORDS = frozenset({"without", "together", "is_of_titles"})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a query, all required: prefixes of words, runs of ideographs, and phrases of whole words."""

    beginnings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()  # of words and runs
    tags: tuple[str, ...] = ()  # see name_of
    authors: tuple[str, ...] = ()  # beginnings and runs
    sites: tuple[str, ...] = ()  # as they were written
    channels: tuple[str, ...] = ()
    without: "Words | None" = None
    together: tuple[str, ...] = field(default=(), compare=False)  # the beginnings and runs in their order
    is_of_titles: bool = False  # only the words of titles are meant

    def __bool__(self) -> bool:
        """Return whether there is anything to find; what is left out does not suffice."""
        return any(getattr(self, name) for name in self.__slots__ if name not in _NO_WORDS)

    @property
    def is_in_index(self) -> bool:
        """Return whether there are more than places."""
        return any(replace(each, sites=(), channels=()) for each in (self, self.without) if each)

    @property
    def texts(self) -> "Words":
        """The words that texts have."""
        return Words(self.beginnings, self.runs, self.phrases, together=self.together)

    @property
    def of_titles(self) -> "Words":
        """The same words, sought in titles alone."""
        return replace(self, without=self.without and self.without.of_titles, is_of_titles=True)

    @property
    def besides_texts(self) -> "Words":
        """All but these."""
        return replace(self, beginnings=(), runs=(), phrases=(), together=())


def read_words(query: str, *, has_places: bool = False, operators: Collection[str] = OPERATORS) -> Words:
    """Split a query into words; punctuation, other operators and characters count as blanks.

    The names of other operators are words, as are `site` and `in` without `has_places`.
    """
    known = {*operators, *(_PLACES if has_places else ())}
    found: dict[str, list[Any]] = defaultdict(list)
    without: dict[str, list[Any]] = defaultdict(list)
    left = MAX
    for part in _PART.finditer(query[:MAX_QUERY]):
        text, member = part["phrase"] or part["word"] or "", (part["member"] or "").lower()
        if member and member not in known:
            text, member = f"{member} {text}", ""
        kinds = without if part["without"] else found
        is_one = part["phrase"] is not None or kinds is without
        for kind, value in _read_part(member, text, is_one=is_one):
            if left and value not in kinds[kind]:
                kinds[kind].append(value)
                left -= 1
                if kind in {"beginnings", "runs"}:
                    found["together"].append(value)
    left_out = _words_of(without)
    return replace(_words_of(found), without=left_out if left_out else None)


def texts_of(query: str) -> list[str]:
    """Return the wanted words and phrases as they were written."""
    plain = query[:MAX_QUERY].replace("\0", " ")
    parts = (part for part in _PART.finditer(plain) if not (part["without"] or part["member"]))
    return list(dict.fromkeys(text for part in parts if (text := (part["phrase"] or part["word"] or "").strip())))[:MAX]


class TypedWord(NamedTuple):
    word: str  # as it is compared
    start: int  # in the query
    end: int
    is_whole: bool  # in a phrase


def typed_words(query: str) -> list[TypedWord]:
    """Return the wanted words of scripts with spaces, outside tags, authors, channels and sites."""
    found = []
    for part in _PART.finditer(query[:MAX_QUERY]):
        if part["without"] or part["member"]:
            continue
        kind = "word" if part["phrase"] is None else "phrase"
        letters, places = _spelled(part[kind])
        for word in _LATIN_WORD.finditer(letters):
            start, end = places[word.start()][0], places[word.end() - 1][1]
            begin = part.start(kind)
            found.append(TypedWord(word[0][:LONGEST], begin + start, begin + end, kind == "phrase"))
    return found


def _read_part(member: str, text: str, *, is_one: bool) -> Iterator[tuple[str, Any]]:
    """Yield the values with the member of Words that each belongs to."""
    pieces = pieces_of(text)
    if member in _PLACES:
        yield _PLACES[member], text.strip()
    elif member == "tag":
        yield from [("tags", name_of(text))] if pieces else ()
    elif member == "author":
        yield from (("authors", piece) for piece in pieces)
    elif is_one and pieces:
        yield "phrases", tuple(pieces)
    else:
        yield from (("runs" if is_ideograph(ord(piece[0])) else "beginnings", piece) for piece in pieces)


def _words_of(found: Mapping[str, list[Any]]) -> Words:
    kinds: Any = {kind: tuple(values) for kind, values in found.items()}
    return Words(**kinds)


def pieces_of(text: str) -> list[str]:
    """Return the words and the runs of ideographs of a text in order."""
    return [piece[:LONGEST] for piece in _PIECE.findall(composed(text).translate(_SPELLING))]


def name_of(text: str) -> str:
    """Return a name in one word, as the index has tags."""
    return "_".join(pieces_of(text))[:LONGEST]


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in order, and each ideograph with the one after it."""
    found: list[str] = []
    for piece in _PIECE.findall(composed(text).translate(_SPELLING)):
        if is_ideograph(ord(piece[0])):
            found += (piece[start : start + 2] for start in range(len(piece)))
        else:
            found.append(piece[:LONGEST])
    return found


def tokens_of_phrase(pieces: Sequence[str]) -> list[str]:
    """Return the adjacent words of the texts that have the phrase; in them, its last ideographs may go on."""
    found = tokens_of(" ".join(pieces))
    return found[:-1] if is_ideograph(ord(pieces[-1][0])) and len(pieces[-1]) > 1 else found


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
    phrases = [each.span() for phrase in words.phrases for each in re.finditer(_pattern_of(phrase), letters)]
    found: list[tuple[int, int]] = []
    for start, end in sorted((places[start][0], places[end - 1][1]) for start, end in runs + begun + phrases):
        if found and start <= found[-1][1]:
            start, end = found[-1][0], max(end, found.pop()[1])
        found.append((start, end))
    return found


def missing_in(texts: Iterable[str], words: Words) -> Words:
    """Return the words that none of the texts has."""
    joined = "\n".join(texts)

    def absent(kind: str) -> Any:
        one_each: Any = [(one, {kind: (one,)}) for one in getattr(words, kind)]
        return tuple(one for one, alone in one_each if not found_in(joined, Words(**alone)))

    return Words(absent("beginnings"), absent("runs"), absent("phrases"))


def _pattern_of(phrase: Sequence[str]) -> str:
    """The phrase in a spelled text: words are whole, and runs of ideographs may go on at both ends."""
    pattern, former = "", None
    for piece in phrase:
        is_run = is_ideograph(ord(piece[0]))
        between = "" if former is None else " +" if former == is_run else " *"
        whole = re.escape(piece) if is_run else f"(?<!{_LATIN_LETTER}){re.escape(piece)}(?!{_LATIN_LETTER})"
        pattern, former = f"{pattern}{between}{whole}", is_run
    return pattern


def composed(text: str) -> str:
    """Compose letters and drop leftover combining marks; other characters stay as the index has them, despite NFC."""
    if text.isascii():
        return text
    return _ACCENTS.sub("", _IN_PARTS.sub(lambda found: unicodedata.normalize("NFC", found[0]), text))


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


def _is_found_by(word: str, beginning: str) -> bool:
    # A single letter matches only whole words: it starts too many.
    return word.startswith(beginning) if len(beginning) >= SHORTEST_BEGINNING else word == beginning


def _spelled(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as indexed, with blanks for punctuation, and the range of each letter in the original."""
    if len(whole := composed(text)) == len(text):
        return whole.translate(_SPELLING), [(place, place + 1) for place in range(len(text))]
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for part in _PARTS.finditer(text):
        if spelled := composed(part[0]).translate(_SPELLING):
            letters += spelled
            places += [part.span()] * len(spelled)
        elif places:  # an accent of the letter before
            places[-1] = (places[-1][0], part.end())
    return "".join(letters), places


def _narrow(character: str) -> str:
    code = ord(character)
    return chr(code - FORMS_SHIFT) if FORMS_FROM <= code <= FORMS_TO else character


def _letter(character: str) -> str:
    if character.isascii():
        return character.lower()
    return folded(character) if LETTERS_FROM <= ord(character) <= LETTERS_TO else " "


class _Spelling(dict[int, str]):
    """Each character as it is compared, for `str.translate`; a blank for punctuation."""

    def __missing__(self, code: int) -> str:
        character = _narrow(chr(code))
        is_word = unicodedata.category(character).startswith(_OF_WORDS)
        self[code] = " " if not is_word else character if is_ideograph(ord(character)) else _letter(character)
        return self[code]


_SPELLING = _Spelling()
