"""Reads the HTML of a template as browsers do, to find the place of each value in it."""

import re
from dataclasses import dataclass, field
from html import unescape

from pages.engine.languages import Script, Style
from pages.engine.nodes import TEXT, Encoding, Place

VALUE = "\0"  # placeholder of a value in the read text
_MAX_BEFORE = 8  # distinguished beginnings of an address
_MAX_ADDRESS = 2_000  # characters of one
_OPENING = re.compile(r"<(?:(!--)|(/?)(?=[a-z])|([!?])|/(?![a-z>]|\Z))", re.IGNORECASE)
_OPEN_END = re.compile(r"</?\Z")
_NAME = re.compile(r"[^\s/>]*")
_BETWEEN = re.compile(r"[\s/]*")
_BLANKS = re.compile(r"\s*")
_ATTRIBUTE = re.compile(r"[^\s/>=]*")
_UNQUOTED = re.compile(r"[^\s>]*")
_EMPTY_COMMENT = re.compile("-?>")
_COMMENT_END = re.compile(r"--!?>")
_RAW = ("script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp")
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_ESCAPED_SCRIPT = re.compile(r"<!--|-->|<script(?=[\s/>])|</script(?=[\s/>])", re.IGNORECASE)
_SCRIPTS = re.compile(r"|module|(?:text|application)/(?:x-)?(?:java|ecma|live|j)script[\d.]*|text/babel", re.IGNORECASE)
_REFRESH = re.compile(r"""http-equiv\s*=\s*["']?\s*(?:refresh|\{|<stl)""", re.IGNORECASE)
_URL = re.compile(r"""\burl\s*=?\s*["']?|^[\s\d.]*[;,]\s*["']?""", re.IGNORECASE)
_NAMES = """
    href src action formaction poster data background cite longdesc codebase manifest ping profile classid archive
    usemap lowsrc dynsrc icon to from by values code
"""
_ADDRESSES = frozenset(_NAMES.split())
# Tags that load a script, page or style sheet from an address, and the attributes with it.
_RESOURCES = {
    "script": {"src", "href", "xlink:href"},
    "link": {"href"},
    "base": {"href"},
    "object": {"data", "codebase", "classid"},
    "embed": {"src"},
    "applet": {"code", "codebase", "archive"},
}
_HOST = re.compile(r"\s*(?:[a-z][a-z\d+.-]*:)?[/\\]{2}[^/\\]*", re.IGNORECASE)
_HIDDEN = re.compile(r"[\x01-\x20]")
SCRIPTED = ("javascript", "vbscript")  # schemes that run scripts
HOSTILE = frozenset([*SCRIPTED, "data"])
# Data that runs nothing.
_PICTURE = re.compile(r"data:(?:image/(?!svg)|font/|audio/|video/)", re.IGNORECASE)


def scheme_of(before: str) -> str | None:
    """Return the scheme of an address that begins so, in lower case, or None if it is not complete yet."""
    head = _HIDDEN.sub("", before).lower()
    end = re.search(r"[:/?#]", head)
    return None if end is None else head[: end.start()] if end[0] == ":" else ""


def is_picture(address: str) -> bool:
    """Return whether the address itself is a picture, font, film or sound."""
    return _PICTURE.match(_HIDDEN.sub("", address)) is not None


def may_be(scheme: str, wanted: str) -> bool:
    """Return whether a scheme with values in it may be the one that is wanted."""
    pattern = ".*".join(re.escape(part) for part in scheme.split(VALUE))
    return VALUE in scheme and re.fullmatch(pattern, wanted) is not None


@dataclass(slots=True)
class Attribute:
    """The read part of an attribute's value."""

    tag: str
    name: str
    is_refresh: bool = False
    before: frozenset[str] = frozenset([""])
    language: "Script | Style | Reader | None" = None

    def __post_init__(self) -> None:
        if self.language is None:
            if self.name.startswith("on"):
                self.language = Script()
            elif self.name == "style":
                self.language = Style(depth=1)
            elif self.name == "srcdoc":
                self.language = Reader()

    def copy(self) -> "Attribute":
        language = self.language.copy() if self.language is not None else None
        return Attribute(self.tag, self.name, self.is_refresh, self.before, language)

    def join(self, other: "Attribute") -> None:
        joined = self.before | other.before
        self.before = joined if len(joined) <= _MAX_BEFORE else frozenset([VALUE])
        if type(self.language) is type(other.language) and self.language is not None:
            self.language.join(other.language)  # type: ignore[arg-type]

    @property
    def _may_have_any_name(self) -> bool:
        return VALUE in self.name and not self.name.startswith(("data-", "aria-"))

    def read(self, text: str) -> None:
        text = unescape(text)
        self.before = frozenset([(each + text)[:_MAX_ADDRESS] for each in self.before])
        if self.language is not None:
            self.language.read(text)

    def insert(self) -> None:
        self.before = frozenset([(each + VALUE)[:_MAX_ADDRESS] for each in self.before])
        if self.language is not None:
            self.language.insert()

    @property
    def text(self) -> str:
        return min(self.before)

    def place(self, after: str, outer: tuple[Encoding, ...], kind: Encoding) -> Place:
        if self._may_have_any_name:
            return Place(kind, (Encoding.NAMED, *outer))
        if isinstance(self.language, Script):
            is_plain = kind is Encoding.ATTRIBUTE
            step = self.language.encoding(after)
            return Place(Encoding.HANDLER if is_plain else kind, (step, *outer))
        if isinstance(self.language, Style):
            return Place(kind, (self.language.encoding, *outer))
        if isinstance(self.language, Reader):
            inner = self.language.place(after)
            return Place(kind, (*inner.steps, *outer), inner.before)
        if self.is_refresh or self.name in _ADDRESSES or self.name.endswith(":href"):
            return self._place_in_address(after, outer, kind)
        return Place(kind, outer)

    def _place_in_address(self, after: str, outer: tuple[Encoding, ...], kind: Encoding) -> Place:
        addresses = {after_url(each) for each in self.before} if self.is_refresh else self.before
        schemes = {scheme_of(each) for each in addresses}
        if any(scheme in SCRIPTED for scheme in schemes):
            if len(addresses) > 1:
                return Place(kind, (Encoding.NAMED, *outer))
            script = Script()
            script.read(min(addresses).partition(":")[2].replace(VALUE, "0"))
            return Place(kind, (script.encoding(after), Encoding.PERCENT, *outer))
        if any(scheme and (may_be(scheme, each)) for scheme in schemes for each in HOSTILE):
            return Place(kind, (Encoding.NAMED, *outer))
        if "data" in schemes:
            return Place(kind, (Encoding.RESOURCE if all(map(is_picture, addresses)) else Encoding.NAMED, *outer))
        if self.name in _RESOURCES.get(self.tag, ()):
            is_host = any(_HOST.fullmatch(each.replace(VALUE, "")) for each in addresses)
            return Place(kind, (Encoding.HOST if is_host else Encoding.RESOURCE, *outer), frozenset(addresses))
        if self.is_refresh:
            return Place(kind, (Encoding.REFRESH, *outer), self.before)
        if None in schemes:
            return Place(kind, (Encoding.ADDRESS, *outer), frozenset(addresses))
        return Place(kind, outer)


def after_url(text: str) -> str:
    """Return the address in the attribute `content` of a refresh."""
    ends = [found.end() for found in _URL.finditer(text)]
    return text[ends[-1] :] if ends else text


@dataclass(slots=True)
class Reader:
    """The state after the read HTML."""

    state: str = "text"  # or open, name, between, attribute, after, before, "'", '"', unquoted, comment, other, raw
    tag: str = ""
    is_end: bool = False
    name: str = ""  # of the attribute
    value: Attribute | None = None
    known: dict[str, str] = field(default_factory=dict)  # attributes of the tag that determine the kind of its text
    language: Script | Style | None = None  # of the raw text
    is_data: bool = False  # a script that is none
    ahead: str = ""
    escapes: int = 0  # in a script: 1 after `<!--`, 2 after `<script>` in it

    def copy(self) -> "Reader":
        return Reader(
            self.state,
            self.tag,
            self.is_end,
            self.name,
            self.value.copy() if self.value else None,
            {**self.known},
            self.language.copy() if self.language else None,
            self.is_data,
            "",
            self.escapes,
        )

    def join(self, other: "Reader") -> None:
        """Make this one either of both, as after a part that may be missing."""
        if self.state != other.state or (self.tag, self.name) != (other.tag, other.name):
            return
        if self.value is not None and other.value is not None:
            self.value.join(other.value)
        if self.language is not None and type(self.language) is type(other.language):
            self.language.join(other.language)  # type: ignore[arg-type]

    # ---- values

    def insert(self) -> None:
        """Note that a value is here."""
        if self.state == "open":
            self.state, self.tag = "name", VALUE
        elif self.state == "name":
            self.tag += VALUE
        elif self.state in {"between", "after"}:
            self.state, self.name = "attribute", VALUE
        elif self.state == "attribute":
            self.name += VALUE
        elif self.state == "before":
            self._begin_value("unquoted")
        if self.state in {"'", '"', "unquoted"} and self.value is not None:
            self.value.insert()
        elif self.state == "raw" and self.language is not None:
            self.language.insert()

    def place(self, after: str) -> Place:
        """Return the place of a value here; `after` is the character that follows it."""
        if self.state == "text":
            return TEXT
        if self.state in {"open", "name"}:
            return Place(Encoding.UNQUOTED, (Encoding.TAG,))
        if self.state in {"'", '"', "unquoted", "before"}:
            return self._place_of_value(after)
        if self.state in {"comment", "other"}:
            return Place(Encoding.TEXT, (Encoding.COMMENT,))
        if self.state == "raw":
            return self._place_in_raw(after)
        return Place(Encoding.UNQUOTED, (Encoding.UNQUOTED,))

    def _place_of_value(self, after: str) -> Place:
        value = self.value or Attribute("", "")
        if self.state in {"'", '"'}:
            return value.place(after, (Encoding.ATTRIBUTE,), Encoding.ATTRIBUTE)
        step = Encoding.UNQUOTED
        if self.state == "before":
            value = self._new_value()
            if after in {"", ">"} or after.isspace():
                step = Encoding.UNQUOTED_ALONE
            elif after in "{<":
                step = Encoding.UNQUOTED_FIRST
        return value.place(after, (step,), Encoding.UNQUOTED)

    def _place_in_raw(self, after: str) -> Place:
        if isinstance(self.language, Style):
            return Place(Encoding.STYLE, (self.language.encoding,))
        if self.tag == "script" and self.language is not None:
            step = Encoding.SCRIPT if self.is_data else self.language.encoding(after)
            return Place(Encoding.SCRIPT, (step,))
        return Place(Encoding.RAW, (Encoding.RAW,))

    # ---- text

    def read(self, text: str, ahead: str = "") -> None:
        """Continue reading; `ahead` follows the text."""
        self.ahead = ahead
        at = 0
        while at < len(text):
            at = getattr(self, f"_read_{_STEPS.get(self.state, self.state)}")(text, at)

    def _read_text(self, text: str, at: int) -> int:
        opening = _OPENING.search(text, at)
        if opening is None:
            if _OPEN_END.search(text, at):
                self.state, self.is_end = "open", text.endswith("/")
                self.known, self.tag, self.value = {}, "", None
            return len(text)
        if opening[1]:
            if (closed := _EMPTY_COMMENT.match(text, opening.end())) is not None:
                return closed.end()
            self.state = "comment"
        elif opening[2] is not None:
            self.state, self.is_end, self.tag = "name", bool(opening[2]), ""
            self.known, self.value = {}, None
        else:
            self.state = "other"
        return opening.end()

    def _read_open(self, text: str, at: int) -> int:
        self.state = "name" if text[at].isalpha() and text[at].isascii() else "text"
        return at

    def _read_comment(self, text: str, at: int) -> int:
        end = _COMMENT_END.search(text, at)
        if end is None:
            return len(text)
        self.state = "text"
        return end.end()

    def _read_other(self, text: str, at: int) -> int:
        end = text.find(">", at)
        if end < 0:
            return len(text)
        self.state = "text"
        return end + 1

    def _read_name(self, text: str, at: int) -> int:
        end = _NAME.match(text, at).end()  # type: ignore[union-attr]
        self.tag += text[at:end].lower()
        if end < len(text):
            self.state = "between"
        return end

    def _read_between(self, text: str, at: int) -> int:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        if text[at] == ">":
            return self._close(at + 1)
        self.state, self.name = "attribute", ""
        if text[at] == "=":
            self.name, at = "=", at + 1
        return at

    def _read_attribute(self, text: str, at: int) -> int:
        end = _ATTRIBUTE.match(text, at).end()  # type: ignore[union-attr]
        self.name += text[at:end].lower()
        if end < len(text):
            self.state = "between" if text[end] == "/" else "after"
        return end

    def _read_after(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at < len(text):
            self.state = "before" if text[at] == "=" else "between"
            at += text[at] == "="
        if self.state == "before":
            self.value = None
            self.known[self.name] = ""
            self._look_ahead(text, at)
        return at

    def _read_before(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        if text[at] == ">":
            return self._close(at + 1)
        if text[at] in "\"'":
            self._begin_value(text[at])
            return at + 1
        self._begin_value("unquoted")
        return at

    def _read_quoted(self, text: str, at: int) -> int:
        end = text.find(self.state, at)
        stop = len(text) if end < 0 else end
        self.value.read(text[at:stop])  # type: ignore[union-attr]
        if end < 0:
            return stop
        self._end_value()
        return end + 1

    def _read_unquoted(self, text: str, at: int) -> int:
        end = _UNQUOTED.match(text, at).end()  # type: ignore[union-attr]
        self.value.read(text[at:end])  # type: ignore[union-attr]
        if end < len(text):
            self._end_value()
        return end

    def _new_value(self) -> Attribute:
        is_refresh = self.tag == "meta" and self.name == "content" and "refresh" in self.known
        return Attribute(self.tag, self.name, is_refresh)

    def _begin_value(self, state: str) -> None:
        self.state, self.value = state, self._new_value()

    def _end_value(self) -> None:
        if self.value is not None and self.name in {"type", "language", "http-equiv"}:
            self.known[self.name] = self.value.text.strip().lower()
            if self.name == "http-equiv" and (VALUE in self.value.text or self.known[self.name] == "refresh"):
                self.known["refresh"] = ""
        self.state, self.value = "between", None

    def _look_ahead(self, text: str, at: int) -> None:
        """Note a refresh whose attribute `http-equiv` follows."""
        if self.tag == "meta" and self.name == "content":
            rest = (text[at:] + self.ahead).partition(">")[0]
            self.known |= {"refresh": ""} if _REFRESH.search(rest) else {}

    def _close(self, at: int) -> int:
        self.state = "text"
        if not self.is_end and self.tag in _RAW:
            self.state, self.language, self.escapes = "raw", None, 0
            kind = self.known.get("type", "") or self.known.get("language", "")
            if self.tag == "style":
                self.language = Style()
            elif self.tag == "script":
                self.language = Script(is_json=kind.endswith(("json", "importmap", "speculationrules")))
                self.is_data = not (self.language.is_json or VALUE in kind or _SCRIPTS.fullmatch(kind.strip()))
        elif not self.is_end and self.tag == "plaintext":
            self.state, self.language = "raw", None
        return at

    def _read_raw(self, text: str, at: int) -> int:
        if self.tag == "script":
            return self._read_script(text, at)
        ends = _RAW_ENDS.get(self.tag)
        closing = ends.search(text, at) if ends else None
        stop = closing.start() if closing else len(text)
        if self.language is not None:
            self.language.read(text[at:stop])
        return self._end_raw(closing.end()) if closing else stop

    def _read_script(self, text: str, at: int) -> int:
        found = _ESCAPED_SCRIPT.search(text, at)
        if found is None:
            self.language.read(text[at:])  # type: ignore[union-attr]
            return len(text)
        mark = found[0].lower()
        if mark == "</script" and self.escapes < 2:
            self.language.read(text[at : found.start()])  # type: ignore[union-attr]
            return self._end_raw(found.end())
        self.language.read(text[at : found.end()])  # type: ignore[union-attr]
        if mark == "<!--":
            self.escapes = self.escapes or 1
        elif mark == "-->":
            self.escapes = 0
        elif self.escapes:
            self.escapes = 2 if mark == "<script" else 1
        return found.end()

    def _end_raw(self, at: int) -> int:
        self.state, self.is_end, self.language, self.known = "between", True, None, {}
        return at


@dataclass(frozen=True, slots=True)
class Beginning:
    """The state before an include; equal after equal texts."""

    text: str
    reader: Reader = field(compare=False)


_STEPS = {"'": "quoted", '"': "quoted"}
