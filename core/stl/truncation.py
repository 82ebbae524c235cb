import re
import unicodedata
from bisect import bisect_right
from html.entities import name2codepoint

ELLIPSIS = "..."
# Characters measured together by the codec, which is a hundred times faster than one by one.
_CHUNK = 2048
_MAX_ENTITY = 24  # characters
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")
_ENTITY = re.compile(r"&(?:#(?P<decimal>\d{1,20})|#[xX](?P<hex>[\da-fA-F]{1,20})|(?P<name>[A-Za-z]\w{1,7}));", re.ASCII)
_ENTITIES = {name: chr(code) for name, code in name2codepoint.items()} | {"apos": "'"}
_ENCODED = re.compile("[<>&\"'\xa0-\xff\U00010000-\U0010ffff]")
_NAMES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;"}


def cut_words(text: str, word_num: int, ellipsis: str = ELLIPSIS) -> str:
    """Cut after some words (an ASCII character is half of one); HTML is decoded and encoded even if nothing is cut."""
    if word_num <= 0:
        return text
    decoded = _decode_beginning(text, 2 * word_num + 1)
    kept = decoded[: _cut(decoded, 2 * word_num)]
    return encode_html(kept) + (ellipsis if kept != decoded else "")


def decode_html(text: str) -> str:
    """Decode entities as .NET does: HTML 4's names, and only with a semicolon."""
    return _ENTITY.sub(_character, text)


def _decode_beginning(text: str, number: int) -> str:
    """Decode at least `number` characters, or the whole text."""
    end = number
    while end < len(text):
        entity = text.rfind("&", max(end - _MAX_ENTITY, 0), end)  # which may continue after the end
        if len(decoded := decode_html(text[: end if entity < 0 else entity])) >= number:
            return decoded
        end *= 2
    return decode_html(text)


def encode_html(text: str) -> str:
    """Encode markup, Latin-1 signs and characters beyond 16 bits as .NET does."""
    return _ENCODED.sub(lambda match: _NAMES.get(match[0]) or f"&#{ord(match[0])};", text)


def _character(entity: re.Match[str]) -> str:
    if entity["name"]:
        return _ENTITIES.get(entity["name"], entity[0])
    code = int(entity["decimal"]) if entity["decimal"] else int(entity["hex"], 16)
    # Halves of surrogate pairs are no characters, and few databases and readers accept NUL.
    is_character = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character else entity[0]


def _cut(text: str, limit: int) -> int:
    """Return the index to cut at; the length if nothing is cut.

    SiteServer reads until the units reach the limit. A double character that reaches it exactly ends the text;
    otherwise one more character is read and dropped, and with a letter the word before it.
    """
    end = _fitting(text, limit)
    if end == len(text) or (_is_double(text[end - 1 : end]) and _units(text[:end]) == limit):
        return end
    if not _is_letter(text[end]):
        return end
    # Drop the single-byte letters before it, and one more character. As in SiteServer, the first character of a text is
    # never part of the word.
    start = end
    while start > 1 and _is_letter(text[start - 1]) and not _is_double(text[start - 1]):
        start -= 1
    return start - 1 if start < end else end


def _fitting(text: str, limit: int) -> int:
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        if (units := _units(chunk)) > limit:
            return start + bisect_right(range(len(chunk) + 1), limit, key=lambda end: _units(chunk[:end])) - 1
        limit -= units
    return len(text)


def _units(text: str) -> int:
    """Count two for a character with two bytes in GBK or two halves in UTF-16, one for any other."""
    return len(text.encode("gbk", "replace")) + len(_SUPPLEMENTARY.findall(text))


def _is_double(character: str) -> bool:
    return len(character.encode("gbk", "replace")) == 2


def _is_letter(character: str) -> bool:
    # Surrogate halves, which .NET sees, are no letters.
    return character <= "\uffff" and unicodedata.category(character).startswith("L")
