"""Encodes values for their place in a page."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from html import escape, unescape

from core.lib.errors import InvalidInput
from pages.engine.nodes import TEXT, Encoding, Place
from pages.engine.reading import HOSTILE, after_url, is_picture, may_be, scheme_of

_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?![\w:-])([^>]*)>", re.IGNORECASE)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
# Attributes of every tag, and of the tags that elements render: links, pictures, videos, objects and selections.
_ATTRIBUTES = """
    accesskey autocapitalize autofocus class contenteditable dir draggable enterkeyhint hidden id inert inputmode is
    itemid itemprop itemref itemscope itemtype lang nonce popover role slot spellcheck style tabindex title translate
    charset coords download href hreflang name ping referrerpolicy rel rev shape target type
    align alt border crossorigin decoding fetchpriority height hspace ismap loading longdesc lowsrc sizes src srcset
    usemap vspace width autoplay controls controlslist loop muted playsinline poster preload data form
    autocomplete disabled multiple required size value
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_UNPLAIN = re.compile(r"[^\w .-]")
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_USUAL = ("/", "http://", "https://")  # addresses that begin so lead somewhere
NO_LINK = "javascript:;"
_NO_LINKS = frozenset(["javascript:", NO_LINK, "javascript:void(0)", "javascript:void(0);"])
_TAGS = """
    a abbr address article aside b blockquote cite code dd del div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6
    header i ins li main mark nav ol p pre s section small span strong sub sup table tbody td th thead tr u ul
"""
_TAG_NAMES = frozenset(_TAGS.split())
_ORDER_WORDS = """
    default back adddate adddateback lasteditdate lasteditdateback hits hitsbyday hitsbyweek hitsbymonth random asc desc
"""
_ORDERS = frozenset(_ORDER_WORDS.split())
NO_PLACE = "A value may not be in a comment of a statement, or where its quotes can be read in two ways."
_WORD = re.compile(r"[\w$]+")
_LITERAL = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?|true|false|null", re.ASCII)
_UNWRITTEN = re.compile(r"[^a-zA-Z0-9_ -]")
_DOLLAR = re.compile(r"[${]")
_TAG_BEGINNING = re.compile(r"<(?=[a-z/!?]|\Z)", re.IGNORECASE)
# An escaped backslash, or letters that a script may contain unescaped; not control characters and line ends.
_LETTERS = re.compile(r"\\\\|(\\u(?!00[0-7]|202[89]|d[89a-f])[\da-f]{4}|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2})")
_UNNAMED = re.compile(r"[^\w.-]")
_ACTIVE = {letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}  # in a value of JSON


def end_of_parent(text: str, region: int, start: int, end: int) -> int:
    """Return where the HTML element ends that contains `start` and begins in the region before it; else `end`."""
    above = _open_tags(text, region, start)
    inside: list[str] = []
    for tag in _TAG.finditer(text, start, end):
        name = tag[2].lower()
        if not tag[1]:
            if name not in _VOID and not tag[3].endswith("/"):
                inside.append(name)
        elif name in inside:
            _close(inside, name)
        elif name in above:
            return tag.start()
    return end


def _open_tags(text: str, start: int, end: int) -> list[str]:
    names: list[str] = []
    for tag in _TAG.finditer(text, start, end):
        name = tag[2].lower()
        if tag[1]:
            _close(names, name)
        elif name not in _VOID and not tag[3].endswith("/"):
            names.append(name)
    return names


def _close(names: list[str], name: str) -> None:
    """Remove the last tag of the name, and all opened after it."""
    if name in names:
        while names.pop() != name:
            pass


class Foreign(str):
    """HTML with encoded text of a visitor in it, which an element passes on."""

    __slots__ = ()


class Written(str):
    """Text of a template that an element passes on. It may be code."""

    __slots__ = ()


def encode(value: str, place: Place) -> str:
    """Encode a stored value, which is HTML: in text it stays unchanged. Raises InvalidInput in a statement."""
    if place is TEXT:
        return value
    if isinstance(value, Foreign | Written):
        first, *outer = place.steps
        if first is Encoding.NONE:
            return value
        if isinstance(value, Written):
            return _encode(value, Place(place.encoding, (_AS_WRITTEN.get(first, first), *outer)), _ENCODERS)
        if first not in _PASSIVE:
            return encode_foreign(_decode(value), place)
    return _encode(value, place, _ENCODERS)


def encoder_of(place: Place, *, is_foreign: bool) -> Callable[[str], str]:
    """Return the encoder of values for the place."""
    if is_foreign:
        return lambda value: encode_foreign(value, place)
    if place.steps == (Encoding.ATTRIBUTE,):  # most values outside of text
        return attribute_text
    if place.steps == (Encoding.ADDRESS, Encoding.ATTRIBUTE) and place.before == {""}:
        return lambda value: attribute_text(value) if value.startswith(_USUAL) else encode(value, place)
    return lambda value: encode(value, place)


def encode_foreign(value: str, place: Place) -> str:
    """Encode the input of a visitor, which is text."""
    if place.encoding not in SQL and scheme_of(value) in HOSTILE:
        value = ""
    text = _encode(value, place, _FOREIGN)
    return Foreign(escape(text)) if place.encoding is Encoding.NONE else text


def _encode(value: str, place: Place, encoders: Mapping[Encoding, Callable[[str], str]]) -> str:
    first, *outer = place.steps
    if outer and encoders is _ENCODERS and first not in _PASSIVE:
        value = _decode(value)
    if not value:
        return _EMPTY.get(place.steps[-1], "")
    text = encoders.get(first, str)(value)
    if place.before:
        text = _address(text, place.before, is_refresh=first is Encoding.REFRESH)
    for step in outer:
        text = _OUTER.get(step, str)(text)
    return text or _EMPTY.get(place.steps[-1], "")


# ---- HTML


def attribute_text(value: str) -> str:
    """Encode for a quoted attribute; character references stay single."""
    return escape(_decode(value), quote=True)


def _decode(value: str) -> str:
    # Like browsers, only references that end with a semicolon: `?a=1&copy=2` is an address.
    return _REFERENCE.sub(lambda found: unescape(found[0]), value) if "&" in value else value


def _unquoted(value: str) -> str:
    return _UNPLAIN.sub(lambda found: f"&#{ord(found[0])};", value).replace(" ", "&#32;")


def _tag_name(value: str) -> str:
    return value if value.lower() in _TAG_NAMES or re.fullmatch(r"\d{1,2}", value, re.ASCII) else ""


def _plain(value: str) -> str:
    return _UNPLAIN.sub("", value)


# ---- addresses


def runs_script(address: str) -> bool:
    """Return whether a browser runs the address instead of going there."""
    address = _decode(address)
    return scheme_of(address) in HOSTILE and not is_picture(address) and address.strip() not in _NO_LINKS


def link_of(address: str) -> str:
    """Return the address of a record, or an empty link if a browser would run it."""
    return NO_LINK if not address.startswith(_USUAL) and runs_script(address) else address


def _address(value: str, before: Collection[str], *, is_refresh: bool) -> str:
    """Return the value unless it makes, or completes, the scheme of an address that runs scripts."""
    if is_refresh:
        return "" if any(_completes("", after_url(each + value)) for each in before) else value
    if before == {""} and value.strip() in _NO_LINKS:
        return value
    return "" if any(_completes(each, value) for each in before) else value


def _completes(before: str, value: str) -> bool:
    if scheme_of(before) is not None:
        return False  # it is complete
    scheme = scheme_of(before + value)
    if scheme is None or is_picture(before + value):
        return False
    return scheme in HOSTILE or any(may_be(scheme, each) for each in HOSTILE)


# ---- scripts


def script_text(value: str) -> str:
    """Encode for the inside of a JavaScript string in any quotes."""
    text = json.dumps(value)[1:-1].replace("'", "\\'").replace("`", "\\`").replace("${", "\\${")
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _json_text(value: str) -> str:
    return json.dumps(value)[1:-1].replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script_value(value: str) -> str:
    """Return a number, list or other value of JSON unchanged; else the text as a string."""
    for text in (value, f"[{value}]"):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            continue
        return "".join(_ACTIVE.get(letter, letter) for letter in value.strip())
    return f'"{_json_text(value)}"'


def _script_name(value: str) -> str:
    return value if _WORD.fullmatch(value) else _script_value(value)


def _script_other(value: str) -> str:
    return _UNWRITTEN.sub(_as_units, value)


def _as_units(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if not found[0].isascii() else f"\\u{ord(found[0]):04x}"


def _script_of_visitor(value: str) -> str:
    """Return a number or a truth value unchanged, and anything else as a string of harmless letters."""
    text = value.strip()
    if _LITERAL.fullmatch(text):
        return text
    return f'"{_script_other(_plain(value))}"'


def _script_in_address(script: str) -> str:
    return _LETTERS.sub(_as_letter, script.replace("%", "\\u0025"))


def _as_letter(found: re.Match[str]) -> str:
    return str(json.loads(f'"{found[1]}"')) if found[1] else found[0]


# ---- style sheets


def _style(marked: re.Pattern[str]) -> Callable[[str], str]:
    """Return a function that writes the marked letters as hexadecimal numbers."""

    def write(value: str) -> str:
        return marked.sub(lambda found: "".join(f"\\{ord(letter):x} " for letter in found[0]), value)

    return write


def _sql_text(value: str) -> str:
    if "\\" in value:  # some readers take it for the beginning of an escape
        raise InvalidInput("invalid_value", "A value of a statement may not have a backslash.")
    return value.replace("'", "''")


def _sql_order(value: str) -> str:
    if not _ORDERS.issuperset(value.lower().split()):
        raise InvalidInput("invalid_value", "A visitor may only choose the keyword of an order.")
    return value


def _nowhere(value: str) -> str:
    raise InvalidInput("invalid_value", NO_PLACE)


def _sql_number(value: str) -> str:
    if not _NUMBER.fullmatch(value):
        raise InvalidInput("invalid_value", "A value of a statement that is no integer must be between quotes.")
    return value


SQL = frozenset([Encoding.SQL, Encoding.SQL_TEXT, Encoding.SQL_PART, Encoding.SQL_ORDER, Encoding.SQL_NOWHERE])
_BARE = (Encoding.UNQUOTED, Encoding.UNQUOTED_ALONE, Encoding.UNQUOTED_FIRST)
# Where HTML is read as HTML, or only decoded.
_PASSIVE = frozenset([Encoding.TEXT, Encoding.RAW, Encoding.COMMENT, Encoding.ATTRIBUTE, *_BARE])
_AS_WRITTEN = {
    **dict.fromkeys((Encoding.SCRIPT_CODE, Encoding.SCRIPT_NAME, Encoding.SCRIPT_OTHER), Encoding.SCRIPT),
    **dict.fromkeys((Encoding.STYLE_VALUE, Encoding.STYLE_ADDRESS), Encoding.STYLE),
    **dict.fromkeys((Encoding.TAG, Encoding.NAMED), Encoding.NONE),
}
_EMPTY = {Encoding.UNQUOTED_ALONE: '""', Encoding.UNQUOTED_FIRST: "&#32;"}
_ENCODERS: dict[Encoding, Callable[[str], str]] = {
    Encoding.RAW: lambda value: _TAG_BEGINNING.sub("&lt;", value),
    Encoding.COMMENT: lambda value: value.replace("<", "&lt;").replace(">", "&gt;"),
    Encoding.TAG: _tag_name,
    Encoding.ATTRIBUTE: attribute_text,
    **dict.fromkeys(_BARE, lambda value: _unquoted(_decode(value))),
    Encoding.NAMED: _plain,
    Encoding.SCRIPT: script_text,
    Encoding.SCRIPT_CODE: _script_value,
    Encoding.SCRIPT_NAME: _script_name,
    Encoding.SCRIPT_TEMPLATE: lambda value: _DOLLAR.sub(r"\\\g<0>", script_text(value).replace("\\$", "$")),
    Encoding.SCRIPT_OTHER: _script_other,
    Encoding.JSON: _script_value,
    Encoding.JSON_TEXT: _json_text,
    Encoding.STYLE: _style(re.compile(r"[<}]")),
    Encoding.STYLE_VALUE: _style(re.compile(r"[<};@\\]|\*/|/\*")),
    Encoding.STYLE_TEXT: _style(re.compile(r"""[<>&"'\\\n\r\f]""")),
    Encoding.STYLE_ADDRESS: _style(re.compile(r"""[<>&"'()\\{};\s]""")),
    Encoding.SQL: _sql_number,
    Encoding.SQL_TEXT: _sql_text,
    Encoding.SQL_NOWHERE: _nowhere,
}
_FOREIGN: dict[Encoding, Callable[[str], str]] = {
    **dict.fromkeys((Encoding.TEXT, Encoding.RAW, Encoding.COMMENT, Encoding.ATTRIBUTE), escape),
    Encoding.TAG: _tag_name,
    **dict.fromkeys(_BARE, _unquoted),
    **dict.fromkeys((Encoding.RESOURCE, Encoding.STYLE_ADDRESS), lambda value: _UNNAMED.sub("", value)),
    Encoding.HOST: lambda value: "",
    **dict.fromkeys((Encoding.SCRIPT_CODE, Encoding.SCRIPT_NAME, Encoding.JSON), _script_of_visitor),
    Encoding.SCRIPT_OTHER: lambda value: _script_other(_plain(value)),
    # They may be outside of a string after all.
    **dict.fromkeys((Encoding.NAMED, Encoding.SCRIPT, Encoding.SCRIPT_TEMPLATE, Encoding.JSON_TEXT), _plain),
    **dict.fromkeys((Encoding.STYLE, Encoding.STYLE_VALUE, Encoding.STYLE_TEXT), _plain),
    Encoding.SQL: _sql_number,
    Encoding.SQL_PART: _sql_number,
    Encoding.SQL_ORDER: _sql_order,
    Encoding.SQL_TEXT: _sql_text,
    Encoding.SQL_NOWHERE: _nowhere,
}
# Text encoded for one reader, encoded for the reader around it.
_OUTER: dict[Encoding, Callable[[str], str]] = {
    Encoding.PERCENT: _script_in_address,
    Encoding.ATTRIBUTE: escape,
    **dict.fromkeys(_BARE, _unquoted),
}
