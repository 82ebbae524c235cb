"""Rewrites clients' .NET regular expressions for the library `regex`, which limits matching but not compiling."""
# Forty nested repeats would take it a minute and gigabytes, so the compiled size is checked before; its own additions
# (recursion, approximate matching) cannot be written.

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from core.lib.errors import InvalidInput

MAX_PATTERN = 1000  # characters
MAX_DEPTH = 50  # nested groups
MAX_STEPS = 4000  # parts of the pattern with every counted repeat written out, as the library does
# Splits literal texts, true if a character follows: the library searches long ones without checking its time limit,
# half a minute for 900 characters in ten million.
_BREAK = r"(?!\Z)"
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
_DEFAULT_FLAGS = regex.DOTALL | regex.IGNORECASE

_NAME = r"[^\W\d]\w*"
# The parts of a pattern: the method that reads each, and its form.
_PARTS = re.compile(
    rf"""
      (?P<skip>       \(\?\#[^)]*\) )
    | (?P<flags>      \(\?(?P<on>[imsx]*)(?:-(?P<off>[imsx]+))?\) )
    | (?P<open>       \(\?(?P<scoped_on>[imsx]*)(?:-(?P<scoped_off>[imsx]+))?: | \(\?(?:<?[=!]|>) | \((?!\?) )
    | (?P<open_named> \(\?(?:<(?P<angled>{_NAME})>|'(?P<quoted>{_NAME})') )
    | (?P<condition>  \(\?\((?P<tested>[1-9][0-9]?|{_NAME})\) )
    | (?P<close>      \) )
    | (?P<alternate>  \| )
    | (?P<quantify>   (?:[*+?]|\{{(?P<least>[0-9]{{1,9}})(?P<most>,[0-9]{{0,9}})?\}})\?? )
    | (?P<repeat>     \\(?:k(?:<(?P<k_angled>\w+)>|'(?P<k_quoted>\w+)')|(?P<number>[1-9][0-9]?)) )
    | (?P<set>        \[\^? )
    | (?P<anchor>     [$^] | \\[AbBGzZ] )
    | (?P<kind>       \. | \\[dDwWsS] | \\[pP]\{{[A-Za-z][\w-]{{0,40}}\}} )
    | (?P<character>  \\x[0-9a-fA-F]{{2}} | \\u[0-9a-fA-F]{{4}} | \\0[0-7]{{0,2}} | \\c[A-Za-z] | \\[aefnrtv] | \\[^\w]
                      | [^\\()\[] )
    """,
    re.VERBOSE | re.DOTALL,
)
# Inside a set, whose end the reader finds itself.
_MEMBERS = re.compile(
    r"""
      (?P<kind>      \\[dDwWsS] | \\[pP]\{[A-Za-z][\w-]{0,40}\} )
    | (?P<character> \\x[0-9a-fA-F]{2} | \\u[0-9a-fA-F]{4} | \\[0-7]{1,3} | \\c[A-Za-z] | \\[abefnrtv] | \\[^\w]
                     | [^\\] )
    """,
    re.VERBOSE | re.DOTALL,
)
_IGNORED = re.compile(r"(?:\s|#[^\n]*)+")
_CONTROLS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27}
# Anchors with another meaning in the library.
_ANCHORS = {r"\Z": r"(?=\n?\Z)", r"\z": r"\Z"}


class _Reference(NamedTuple):
    """A reference to a group whose name in the library is known only at the end."""

    group: str
    form: str


@dataclass
class _Frame:
    """An open group: its cost so far, and whether blanks are ignored inside."""

    ignores_blanks: bool
    steps: int = 0
    last: int = 0  # steps of the part that a quantifier would repeat; 0 if there is none


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern, and its groups as .NET numbers and names them: unnamed ones first, then named ones."""

    expression: "regex.Pattern[str]"
    groups: dict[str, str]
    last_group: str


@lru_cache(maxsize=32)  # one takes 3 MB at most
def compile_pattern(source: str) -> Pattern:
    if len(source) > MAX_PATTERN:
        raise bad_pattern(f"is longer than {MAX_PATTERN} characters")
    reader = _Reader(source)
    text = reader.read()
    try:
        expression = regex.compile(text, reader.flags, cache_pattern=False)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise bad_pattern("cannot be read") from error
    finally:
        # The library stores every pattern it ever compiled, cached or not.
        regex.purge()
    return Pattern(expression, reader.groups, reader.last_group)


def bad_pattern(what: str) -> InvalidInput:
    return InvalidInput("bad_pattern", f"The pattern in replace {what}.", member="replace")


class _Reader:
    def __init__(self, source: str) -> None:
        self.source, self.place = source, 0
        self.flags: int = _DEFAULT_FLAGS
        self.written: list[str | _Reference] = []
        self.frames = [_Frame(ignores_blanks=True)]
        self.literals = 0
        self.unnamed: list[str] = []
        self.named: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.last_group = ""

    def read(self) -> str:
        self._skip_blanks()
        while self.place < len(self.source):
            part = _PARTS.match(self.source, self.place)
            if part is None:
                raise bad_pattern(f"cannot be read at character {self.place + 1}")
            self.place = part.end()
            _METHODS[next(name for name in _METHODS if part[name] is not None)](self, part)
            self._skip_blanks()
        if len(self.frames) > 1:
            raise bad_pattern("has a ( without its )")
        names = [*self.unnamed, *self.named.values()]
        self.groups = {str(number): name for number, name in enumerate(names, 1)} | self.named
        self.last_group = names[-1] if names else ""
        return "".join(part if isinstance(part, str) else self._resolve(part) for part in self.written)

    def _skip_blanks(self) -> None:
        if self.frames[-1].ignores_blanks and (blanks := _IGNORED.match(self.source, self.place)):
            self.place = blanks.end()

    def _set_flags(self, part: re.Match[str]) -> None:
        if self.written:
            raise bad_pattern("has options that are neither at its beginning nor in a group such as (?i:…)")
        for letter in part["on"]:
            self.flags |= _FLAGS.get(letter, 0)
        for letter in part["off"] or "":
            self.flags &= ~_FLAGS.get(letter, 0)
        self.frames[-1].ignores_blanks = self._ignores_blanks(part["on"], part["off"])

    def _open(self, part: re.Match[str]) -> None:
        on, off = part["scoped_on"], part["scoped_off"]
        if part["open"] == "(":
            self.unnamed.append(f"g{len(self.unnamed) + 1}")
            self._push(f"(?P<{self.unnamed[-1]}>")
        elif on is None:
            self._push(part["open"])
        else:
            kept, dropped = on.replace("x", ""), (off or "").replace("x", "")
            self._push(f"(?{kept}{'-' + dropped if dropped else ''}:", self._ignores_blanks(on, off))

    def _open_named(self, part: re.Match[str]) -> None:
        name = part["angled"] or part["quoted"]
        self.named[name] = f"n_{name}"
        self._push(f"(?P<n_{name}>")

    def _push(self, written: str | _Reference, ignores_blanks: bool | None = None) -> None:
        if len(self.frames) > MAX_DEPTH:
            raise bad_pattern(f"has groups nested more than {MAX_DEPTH} deep")
        self.written.append(written)
        blanks = self.frames[-1].ignores_blanks if ignores_blanks is None else ignores_blanks
        self.frames.append(_Frame(blanks, steps=1))

    def _close(self, part: re.Match[str]) -> None:
        if len(self.frames) == 1:
            raise bad_pattern("has a ) without its (")
        self._write(")", self.frames.pop().steps)

    def _alternate(self, part: re.Match[str]) -> None:
        self._write("|")
        self.frames[-1].last = 0

    def _ignores_blanks(self, on: str, off: str | None) -> bool:
        return "x" not in (off or "") and ("x" in on or self.frames[-1].ignores_blanks)

    def _quantify(self, part: re.Match[str]) -> None:
        frame = self.frames[-1]
        if not frame.last:
            raise bad_pattern("has a quantifier that follows nothing or another quantifier")
        if part["least"] is not None:
            least, is_exact = int(part["least"]), part["most"] is None
        else:
            least, is_exact = int(part["quantify"][0] == "+"), False
        # The minimum is written out, and an optional rest once more.
        frame.steps += frame.last * (max(least + (not is_exact), 1) - 1)
        self._check(frame.steps)
        if least == 0 and self.written[-2:-1] == [_BREAK]:
            del self.written[-2]
        self.written.append(part["quantify"])
        frame.last = 0

    def _resolve(self, reference: _Reference) -> str:
        if reference.group not in self.groups:
            raise bad_pattern(f"refers to a group {reference.group} that does not exist")
        return reference.form.format(self.groups[reference.group])

    def _read_set(self, opening: str) -> str:
        """Read a set after its `[` or `[^`; `-[…]` at its end subtracts members."""
        members: list[str] = []
        while not (members and self._take("]")):
            if members and self._take("-["):
                without = self._read_set("[^" if self._take("^") else "[")
                if not self._take("]"):
                    raise bad_pattern("has more characters in a set after a subtraction -[…]")
                return f"(?:(?!{without}){opening}{''.join(members)}])"
            members.append(self._read_member())
        return f"{opening}{''.join(members)}]"

    def _read_member(self) -> str:
        first = self._match_member()
        is_range = self.source.startswith("-", self.place) and self.source[self.place + 1 : self.place + 2] not in "[]"
        if first["kind"] is not None or not is_range:
            return first["kind"] or _escape(_code(first["character"], in_set=True))
        self.place += 1
        last = self._match_member()
        if last["kind"] is not None:
            raise bad_pattern("has a range that ends in a character class")
        return "-".join(_escape(_code(end["character"], in_set=True)) for end in (first, last))

    def _match_member(self) -> re.Match[str]:
        member = _MEMBERS.match(self.source, self.place)
        if member is None:
            raise bad_pattern("has a set that is malformed or without its ]")
        self.place = member.end()
        return member

    def _take(self, text: str) -> bool:
        is_there = self.source.startswith(text, self.place)
        self.place += len(text) if is_there else 0
        return is_there

    def _write_character(self, written: str) -> None:
        self.literals += 1
        if self.literals % 4 == 0:
            self.written.append(_BREAK)
        self._write(written)

    def _write(self, written: str | _Reference, steps: int = 1) -> None:
        self.written.append(written)
        frame = self.frames[-1]
        frame.steps, frame.last = frame.steps + steps, steps
        self._check(frame.steps)

    def _check(self, steps: int) -> None:
        if steps > MAX_STEPS:
            raise bad_pattern("has nested quantifiers that repeat too much")


_METHODS: dict[str, Callable[[_Reader, re.Match[str]], None]] = {
    "skip": lambda reader, part: None,  # a comment
    "flags": _Reader._set_flags,
    "open": _Reader._open,
    "open_named": _Reader._open_named,
    "condition": lambda reader, part: reader._push(_Reference(part["tested"], "(?({})")),
    "close": _Reader._close,
    "alternate": _Reader._alternate,
    "quantify": _Reader._quantify,
    "repeat": lambda reader, part: reader._write(
        _Reference(part["k_angled"] or part["k_quoted"] or part["number"], "(?P={})")
    ),
    "set": lambda reader, part: reader._write_character(reader._read_set(part["set"])),
    "anchor": lambda reader, part: reader._write(_ANCHORS.get(part["anchor"], part["anchor"])),
    "kind": lambda reader, part: reader._write(part["kind"]),
    "character": lambda reader, part: reader._write_character(_escape(_code(part["character"]))),
}


def _code(text: str, *, in_set: bool = False) -> int:
    if not text.startswith("\\") or len(text) == 1:
        return ord(text)
    letter, digits = text[1], text[2:]
    if letter in "xu" and digits:
        return int(digits, 16)
    if letter == "c" and digits:
        return ord(digits.upper()) - ord("A") + 1
    if letter.isdigit():
        return int(text[1:], 8)
    return _CONTROLS.get(letter, ord(letter))


def _escape(code: int) -> str:
    return f"\\U{code:08x}"
