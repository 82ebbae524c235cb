"""Rules that name the pages of channels and contents, such as `/news/{@channelId}/{@contentId}.html`.

A rule is texts, tokens (`{@name}`, in any letter case) and choices (`(a|b)`: the first one that is not
empty); see original-behaviour §6. It is filled in two steps: what the channel knows once for all its
contents, the rest for each content, or by the database where a Where rule compares addresses.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

CHANNEL_RULE = "/channels/{@ChannelID}.html"
CONTENT_RULE = "/contents/{@ChannelID}/{@ContentID}.html"

# What no name of a file or address has, left out of the values of tokens; also in SQL (contents.navigation.sql).
LEFT_OUT = "\"'<>|?*#%:\\\r\n\t"
# What no path holds, whatever its tokens stand for, and how one ends.
UNFIT = re.compile(r'["<>|\x00-\x1f]')
EXTENSION = re.compile(r"\.[^./]+$")
MAX_VALUE = 255  # characters of a text that a token stands for, so that a rule of many stays within bounds
MAX_PATH = 2000  # characters; a rule that has the parent's path twice would double it with every level
_WITHOUT = str.maketrans("", "", LEFT_OUT)
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_TOKEN = re.compile(r"\{@(\w+)\}")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_SLASHES = re.compile("//+")


@dataclass(frozen=True, slots=True)
class Token:
    """A value to be filled in; the name is without letter case."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of several that is not empty."""

    options: tuple["Parts", ...]


Part = str | Token | Choice
Parts = tuple[Part, ...]
# The text of a token, or None when it is not known yet.
Lookup = Callable[[str], str | None]


@lru_cache(4096)
def parse_rule(rule: str) -> Parts:
    """The parts of a rule. Whatever is no token and no choice is a text."""
    found: list[Part] = []
    for place, piece in enumerate(_CHOICE.split(rule)):
        if place % 2:
            found.append(Choice(tuple(_parse_tokens(option) for option in piece.split("|"))))
        else:
            found += _parse_tokens(piece)
    return tuple(found)


def _parse_tokens(text: str) -> Parts:
    pieces = enumerate(_TOKEN.split(text))
    return tuple(Token(piece.casefold()) if place % 2 else piece for place, piece in pieces if piece)


def fill(parts: Parts, lookup: Lookup) -> Parts:
    """The parts with every token that is known replaced by its text."""
    filled: list[Part] = []
    for part in (_fill_part(one, lookup) for one in parts):
        if isinstance(part, str) and filled and isinstance(filled[-1], str):
            filled[-1] += part
        elif part != "":
            filled.append(part)
    return tuple(filled)


def _fill_part(part: Part, lookup: Lookup) -> Part:
    if isinstance(part, str):
        return part
    if isinstance(part, Token):
        text = lookup(part.name)
        return part if text is None else clean(text)
    options = []
    for option in (fill(option, lookup) for option in part.options):
        if option:  # an empty option is never chosen
            options.append(option)
        if len(option) == 1 and isinstance(option[0], str):
            break  # nothing after a text that is not empty is ever chosen
    if not options:
        return ""
    first = options[0]
    return first[0] if len(first) == 1 and isinstance(first[0], str) else Choice(tuple(options))


def fill_wholly(parts: Parts, lookup: Callable[[str], str]) -> str:
    """The path that the rule gives; it begins with one slash and has no two in a row."""
    filled = fill(parts, lookup)
    return collapse("".join(part for part in filled if isinstance(part, str)))


def collapse(path: str) -> str:
    """The path with one slash at the beginning and no two in a row, within its bound."""
    return _SLASHES.sub("/", f"/{path}")[:MAX_PATH]


def clean(text: str) -> str:
    """The value of a token without what no address has."""
    return text.translate(_WITHOUT)


def lower(text: str) -> str:
    """The text in small letters; ASCII only, as every database does it."""
    return text.translate(_ASCII_LOWER)


def directory(path: str) -> str:
    """`/news/12.html` → `/news`."""
    return path.rpartition("/")[0]


def token_names(parts: Iterable[Part]) -> set[str]:
    """The names of all tokens in the parts."""
    names: set[str] = set()
    for part in parts:
        if isinstance(part, Token):
            names.add(part.name)
        elif isinstance(part, Choice):
            names |= {name for option in part.options for name in token_names(option)}
    return names
