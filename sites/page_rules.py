"""Rules that name the pages of channels and contents, such as `/news/{@channelId}/{@contentId}.html`.

As in SiteServer, a rule consists of texts, tokens (`{@name}`, in any letter case) and choices (`(a|b)`: the first that
is not empty). It is filled in two steps: once for all contents of a channel, then for each content, or by the database
if a Where rule compares addresses.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

CHANNEL_RULE = "/channels/{@ChannelID}.html"
CONTENT_RULE = "/contents/{@ChannelID}/{@ContentID}.html"

# Characters removed from the values of tokens; also in SQL (contents.navigation.sql).
LEFT_OUT = "\"'<>|?*#%:\\\r\n\t"
# Characters that no path contains, and the end of a path.
UNFIT = re.compile(r'["<>|?#%\x00-\x1f]')
# Those of them that paths of packages and of older releases may have, as an address writes them; also in SQL
# (contents.navigation.sql).
IN_ADDRESSES = {"%": "%25", "?": "%3F", "#": "%23"}
EXTENSION = re.compile(r"\.[^./]+$")
MAX_VALUE = 255  # characters of a token's value, so that a rule of many tokens stays within bounds
MAX_PATH = 2000  # characters; a rule with the parent's path twice would double it with every level
_WITHOUT = str.maketrans("", "", LEFT_OUT)
_IN_ADDRESSES = str.maketrans(IN_ADDRESSES)
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_TOKEN = re.compile(r"\{@(\w+)\}")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_SLASHES = re.compile("//+")


@dataclass(frozen=True, slots=True)
class Token:
    """A value to be filled in; the name is casefolded."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The first option that is not empty."""

    options: tuple["Parts", ...]


Part = str | Token | Choice
Parts = tuple[Part, ...]
# The text of a token, or None if it is not known yet.
Lookup = Callable[[str], str | None]


@lru_cache(4096)
def parse_rule(rule: str) -> Parts:
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
            break  # later options are never chosen
    if not options:
        return ""
    first = options[0]
    return first[0] if len(first) == 1 and isinstance(first[0], str) else Choice(tuple(options))


def fill_wholly(parts: Parts, lookup: Callable[[str], str]) -> str:
    """Return the path; it begins with one slash and has no two in a row."""
    filled = fill(parts, lookup)
    return collapse("".join(part for part in filled if isinstance(part, str)))


def collapse(path: str) -> str:
    return squeeze(f"/{path}")[:MAX_PATH]


def squeeze(text: str) -> str:
    """Replace slashes in a row with one."""
    return _SLASHES.sub("/", text)


def quoted(path: str) -> str:
    """Return the path for an address, without `?` and `#`, which would end it."""
    return path.translate(_IN_ADDRESSES)


def clean(text: str) -> str:
    return text.translate(_WITHOUT)


def lower(text: str) -> str:
    """Lower-case ASCII letters only, like every database."""
    return text.translate(_ASCII_LOWER)


def directory(path: str) -> str:
    """`/news/12.html` → `/news`."""
    return path.rpartition("/")[0]


def token_names(parts: Iterable[Part]) -> set[str]:
    names: set[str] = set()
    for part in parts:
        if isinstance(part, Token):
            names.add(part.name)
        elif isinstance(part, Choice):
            names |= {name for option in part.options for name in token_names(option)}
    return names
