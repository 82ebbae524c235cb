"""The `replace` and `to` of text shaping: a list, a pattern or a literal text (template-tags §5.4)."""

import re
from collections.abc import Iterator
from time import monotonic

import regex

from cms_api.lib.errors import InvalidInput
from cms_api.stl.patterns import Pattern, compile_pattern

TIMEOUT = 0.2  # seconds for all matches of a pattern in one text
MAX_RESULT = 16 * 1024 * 1024  # characters
# The engine looks at its clock every so many steps, and a step can go through the whole text: in ten
# million characters it was found to stop after five seconds instead of 0.2.
MAX_PATTERN_TEXT = 1024 * 1024  # characters
MAX_LIST_WORK = 512 * 1024 * 1024  # characters looked at, that is items times length of the text
_PARAMETER = "replace"
_REFERENCE = re.compile(r"\$(?:(?P<sign>[$&`'_+])|(?P<number>[0-9]{1,9})(?![0-9])|\{(?P<name>\w{1,99})\})")
_WHOLE = "&"

# A piece of a replacement: whether it is a reference, and the literal text or the reference's name.
Piece = tuple[bool, str]


def replace_text(text: str, replace: str, to: str, *, lists: bool = True) -> str:
    """The text with everything replaced that `replace` names. Raises InvalidInput.

    Bodies and the first pass over a channel know no list form.
    """
    if not text or not replace:
        return text
    if lists and (pairs := _pairs(replace, to)):
        return _replace_pairs(text, pairs)
    if replace.startswith("/") and replace.endswith("/"):
        return _replace_pattern(text, replace.strip("/"), to)
    return replace_literally(text, replace, to)


def replace_literally(text: str, old: str, new: str, parameter: str = _PARAMETER) -> str:
    """The text with every occurrence replaced; refused before it is built if it grows too long."""
    growth = len(new) - len(old)
    if growth > 0 and len(text) + growth * text.count(old) > MAX_RESULT:
        raise _too_large(parameter)
    return text.replace(old, new)


def _pairs(replace: str, to: str) -> list[tuple[str, str]]:
    """The pairs of the list form; none if it is another form."""
    old, new = replace.split(","), to.split(",")
    if len(old) == 1 or not to:
        return []
    new = new * len(old) if len(new) == 1 else new
    return list(zip(old, new, strict=True)) if len(old) == len(new) else []


def _replace_pairs(text: str, pairs: list[tuple[str, str]]) -> str:
    work = 0
    for old, new in pairs:
        work += len(text)
        if work > MAX_LIST_WORK:
            raise _too_slow()
        # An item of no characters is found nowhere.
        text = replace_literally(text, old, new) if old else text
    return text


def _replace_pattern(text: str, source: str, to: str) -> str:
    pattern = compile_pattern(source)
    if len(text) > MAX_PATTERN_TEXT:
        message = f"A pattern in replace needs a text of at most {MAX_PATTERN_TEXT} characters; this one is longer."
        raise InvalidInput("pattern_too_slow", message, member=_PARAMETER)
    try:
        return "".join(_within_limit(_replaced(text, pattern, to)))
    except TimeoutError as error:
        raise _too_slow() from error


def _replaced(text: str, pattern: Pattern, to: str) -> Iterator[str]:
    """The pieces of the new text. Raises TimeoutError."""
    deadline = monotonic() + TIMEOUT
    pieces = _read_replacement(pattern, to)
    place = 0
    for match in pattern.expression.finditer(text, timeout=TIMEOUT):
        yield text[place : match.start()]
        for is_reference, value in pieces:
            yield _referred(match, value) if is_reference else value
        place = match.end()
        if monotonic() > deadline:
            raise TimeoutError
    yield text[place:]


def _within_limit(pieces: Iterator[str]) -> Iterator[str]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_RESULT:
            raise _too_large(_PARAMETER)
        if piece:
            yield piece


def _read_replacement(pattern: Pattern, to: str) -> list[Piece]:
    """A .NET replacement as pieces; what names no group of the pattern stays literal."""
    pieces: list[Piece] = []
    place = 0
    for found in _REFERENCE.finditer(to):
        pieces += [(False, to[place : found.start()]), _piece(pattern, found)]
        place = found.end()
    return [*pieces, (False, to[place:])]


def _piece(pattern: Pattern, found: re.Match[str]) -> Piece:
    sign = found["sign"]
    if sign == "$":
        return False, "$"
    if sign == "+":
        return True, pattern.last_group or _WHOLE
    if sign:
        return True, sign
    name = found["number"] or found["name"]
    name = name.lstrip("0") or "0"
    if name == "0":
        return True, _WHOLE
    return (True, pattern.groups[name]) if name in pattern.groups else (False, found[0])


def _referred(match: "regex.Match[str]", reference: str) -> str:
    """The text that a reference of the replacement stands for."""
    if reference == _WHOLE:
        return match.group()
    if reference == "`":
        return match.string[: match.start()]
    if reference == "'":
        return match.string[match.end() :]
    if reference == "_":
        return match.string
    return match.group(reference) or ""


def _too_slow() -> InvalidInput:
    return InvalidInput("pattern_too_slow", "The replace takes too long on this text.", member=_PARAMETER)


def _too_large(parameter: str) -> InvalidInput:
    message = f"The result of {parameter} would be longer than {MAX_RESULT} characters."
    return InvalidInput("result_too_large", message, member=parameter)
