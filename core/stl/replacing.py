"""The `replace` and `to` of text shaping: a list, a pattern or a literal text."""

import re
from collections.abc import Iterable, Iterator
from time import monotonic

import regex

from core.lib.errors import InvalidInput
from core.stl.patterns import Pattern, compile_pattern

TIMEOUT = 0.2  # seconds for all matches of a pattern in one text
MAX_RESULT = 16 * 1024 * 1024  # characters
# The engine checks its time limit every so many steps, and each may scan the whole text: ten million characters
# took five seconds instead of 0.2.
MAX_PATTERN_TEXT = 1024 * 1024  # characters
MAX_LIST_WORK = 512 * 1024 * 1024  # characters examined: items times length of the text
_REFERENCE = re.compile(r"\$(?:(?P<sign>[$&`'_+])|(?P<number>[0-9]{1,9})(?![0-9])|\{(?P<name>\w{1,99})\})")
_WHOLE = "&"

# A piece of a replacement: whether it is a reference, and its literal text or the reference's name.
Piece = tuple[bool, str]


def replace_text(text: str, replace: str, to: str, *, lists: bool = True) -> str:
    """Replace the texts that `replace` names, by lists too if `lists`. Raises InvalidInput."""
    if not text or not replace:
        return text
    old, new = replace.split(","), to.split(",")
    if lists and to and len(old) > 1 and len(new) in {1, len(old)}:
        return _replace_pairs(text, zip(old, new * len(old) if len(new) == 1 else new, strict=True))
    if replace.startswith("/") and replace.endswith("/"):
        return _replace_pattern(text, replace.strip("/"), to)
    return replace_literally(text, replace, to)


def replace_literally(text: str, old: str, new: str, parameter: str = "replace") -> str:
    """Replace every occurrence; raises InvalidInput before building a text that is too long."""
    growth = len(new) - len(old)
    if growth > 0 and len(text) + growth * text.count(old) > MAX_RESULT:
        raise _too_large(parameter)
    return text.replace(old, new)


def _replace_pairs(text: str, pairs: Iterable[tuple[str, str]]) -> str:
    work = 0
    for old, new in pairs:
        work += len(text)
        if work > MAX_LIST_WORK:
            raise _too_slow()
        # An empty item matches nothing.
        text = replace_literally(text, old, new) if old else text
    return text


def _replace_pattern(text: str, source: str, to: str) -> str:
    pattern = compile_pattern(source)
    if len(text) > MAX_PATTERN_TEXT:
        message = f"A pattern in replace needs a text of at most {MAX_PATTERN_TEXT} characters; this one is longer."
        raise InvalidInput("pattern_too_slow", message, member="replace")
    try:
        return "".join(_replaced(text, pattern, to))
    except TimeoutError as error:
        raise _too_slow() from error


def _replaced(text: str, pattern: Pattern, to: str) -> Iterator[str]:
    """Yield the pieces of the new text. Raises TimeoutError, and InvalidInput for too long a text."""
    deadline = monotonic() + TIMEOUT
    replacement = _read_replacement(pattern, to)
    length = place = 0
    for match in pattern.expression.finditer(text, timeout=TIMEOUT):
        pieces = [text[place : match.start()]]
        pieces += [_referred(match, value) if is_reference else value for is_reference, value in replacement]
        for piece in pieces:
            length += len(piece)
            if length > MAX_RESULT:
                raise _too_large("replace")
            yield piece
        place = match.end()
        if monotonic() > deadline:
            raise TimeoutError
    if length + len(text) - place > MAX_RESULT:
        raise _too_large("replace")
    yield text[place:]


def _read_replacement(pattern: Pattern, to: str) -> list[Piece]:
    pieces: list[Piece] = []
    place = 0
    for found in _REFERENCE.finditer(to):
        pieces += [(False, to[place : found.start()]), _piece(pattern, found)]
        place = found.end()
    return [*pieces, (False, to[place:])]


def _piece(pattern: Pattern, found: re.Match[str]) -> Piece:
    if sign := found["sign"]:
        return sign != "$", (pattern.last_group or _WHOLE) if sign == "+" else sign
    name = (found["number"] or found["name"]).lstrip("0") or "0"
    if name == "0":
        return True, _WHOLE
    return (True, pattern.groups[name]) if name in pattern.groups else (False, found[0])


def _referred(match: "regex.Match[str]", reference: str) -> str:
    if reference == _WHOLE:
        return match.group()
    if reference == "`":
        return match.string[: match.start()]
    if reference == "'":
        return match.string[match.end() :]
    return match.string if reference == "_" else match.group(reference) or ""


def _too_slow() -> InvalidInput:
    return InvalidInput("pattern_too_slow", "The replace takes too long on this text.", member="replace")


def _too_large(parameter: str) -> InvalidInput:
    message = f"The result of {parameter} would be longer than {MAX_RESULT} characters."
    return InvalidInput("result_too_large", message, member=parameter)
