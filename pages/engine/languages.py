"""Parse scripts and style sheets just far enough to know the context of a value in them."""

import re
from dataclasses import dataclass, field

from pages.engine.nodes import Encoding

# A comment of HTML is a line comment in a script.
_CODE = re.compile(r"""//|/\*|<!--|[/'"`{}]|[\w$]+|\s+|[^\w\s$]""")
_TEXTS = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*", re.DOTALL) for quote in "'\""}
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_PATTERN = re.compile(r"(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*")
# After these, a slash begins a regular expression.
_KEYWORDS = frozenset(
    [
        "await",
        "case",
        "delete",
        "do",
        "else",
        "in",
        "instanceof",
        "new",
        "of",
        "return",
        "throw",
        "typeof",
        "void",
        "yield",
    ]
)
_CONDITIONS = frozenset(["for", "if", "while", "with"])
_IN_NAME = re.compile(r"[\w$]")
_STYLE = re.compile(r"""/\*|url\(\s*(?!["'\s])|["';:{}]|\\.|\s+|[^"';:{}\\\s/u]+|.""", re.IGNORECASE | re.DOTALL)
_SQL = re.compile(r"""--|/\*|\$\w*\$|[eE](?=')|['"`\[]|\w+|.""", re.DOTALL)
_SQL_ENDS = {"--": "\n", "/*": "*/", "[": "]"}
_ADDRESS = re.compile(r"(?:[^)\\]|\\.)*", re.DOTALL)


@dataclass(slots=True)
class Script:
    """The state after the read part of a script."""

    is_json: bool = False
    mode: str = ""  # "" in code, a quote, "//", "/*", "/" in a regular expression, or "?" where it depends on values
    depths: list[int] = field(default_factory=list)  # of braces, in each open `${`
    is_operand: bool = False  # a slash here divides
    conditions: list[bool] = field(default_factory=list)  # of open brackets, whether a statement follows them
    last: str = ""  # the last character
    word: str = ""  # the last one in code, if nothing followed it
    is_escaped: bool = False  # it is a backslash

    def copy(self) -> "Script":
        copied = Script(self.is_json, self.mode, [*self.depths], self.is_operand, [*self.conditions], self.last)
        copied.word, copied.is_escaped = self.word, self.is_escaped
        return copied

    def join(self, other: "Script") -> None:
        """Make this one either of both."""
        if (self.mode, self.depths, self.is_escaped) != (other.mode, other.depths, other.is_escaped):
            self.mode = "?"

    def insert(self) -> None:
        self.is_operand, self.last, self.is_escaped = True, "\0", False

    def encoding(self, after: str) -> Encoding:
        if self.is_escaped or self.mode in {"//", "/*", "/", "?"}:
            return Encoding.SCRIPT_OTHER
        if self.mode:
            if self.is_json:
                return Encoding.JSON_TEXT
            return Encoding.SCRIPT_TEMPLATE if self.mode == "`" else Encoding.SCRIPT
        if self.is_json:
            return Encoding.JSON
        is_in_name = _IN_NAME.match(self.last) or _IN_NAME.match(after)
        return Encoding.SCRIPT_NAME if is_in_name else Encoding.SCRIPT_CODE

    def read(self, text: str) -> None:
        if not text or self.mode == "?":
            return
        at, self.last = 0, text[-1]
        if self.is_escaped:
            at, self.is_escaped = 1, False
        while at < len(text):
            at = self._step(text, at)

    def _step(self, text: str, at: int) -> int:
        if self.mode == "":
            return self._read_code(text, at)
        if self.mode in {"//", "/*"}:
            closing = "\n" if self.mode == "//" else "*/"
            end = text.find(closing, at)
            self.mode = self.mode if end < 0 else ""
            return len(text) if end < 0 else end + len(closing)
        pattern = {"`": _TEMPLATE, "/": _PATTERN}.get(self.mode) or _TEXTS[self.mode]
        end = pattern.match(text, at).end()  # type: ignore[union-attr]
        if end == len(text):
            return end
        if text[end] == "\\":  # the last character
            self.is_escaped = True
        elif self.mode == "`" and text[end] == "$":
            self.mode, self.is_operand = "", False
            self.depths.append(0)
            return end + 2
        elif not (self.mode == "/" and text[end] == "["):  # of a class that a value is in
            self.mode, self.is_operand = "", True
        return end + 1

    def _read_code(self, text: str, at: int) -> int:
        found = _CODE.match(text, at)
        mark = found[0]  # type: ignore[index]
        if mark in {"//", "<!--"}:
            self.mode = "//"
        elif mark in {"/*", "'", '"', "`"}:
            self.mode = mark
        elif mark == "/" and not self.is_operand:
            self.mode = "/"
        elif mark == "{" and self.depths:
            self.depths[-1] += 1
        elif mark == "}" and self.depths:
            self.depths[-1] -= 1
            if self.depths[-1] < 0:
                self.depths.pop()
                self.mode = "`"
        if not mark.isspace():
            self._note(mark)
        return at + len(mark)

    def _note(self, mark: str) -> None:
        """Note whether an operand ends here, since a slash then divides."""
        if mark == "(":
            self.conditions.append(self.word in _CONDITIONS)
        is_condition = mark == ")" and bool(self.conditions) and self.conditions.pop()
        is_word = _IN_NAME.match(mark) is not None
        self.word = mark if is_word else ""
        self.is_operand = (mark in {")", "]", "}"} and not is_condition) or (is_word and mark not in _KEYWORDS)


@dataclass(slots=True)
class Style:
    """The state after the read part of a style sheet, or of an attribute `style`."""

    depth: int = 0  # of braces; 1 at the start of an attribute
    mode: str = ""  # "" where a rule or declaration begins, ":" in it, a quote, "/*", "(" in an address
    outer: str = ""  # the mode around a quote, comment or address
    is_escaped: bool = False

    def copy(self) -> "Style":
        return Style(self.depth, self.mode, self.outer, self.is_escaped)

    def join(self, other: "Style") -> None:
        if self.mode != other.mode:
            self.mode = self.outer = ":"

    def insert(self) -> None:
        self.mode = self.mode or ":"
        self.is_escaped = False

    @property
    def encoding(self) -> Encoding:
        if self.mode in {"'", '"'}:
            return Encoding.STYLE_TEXT
        if self.mode == "(":
            return Encoding.STYLE_ADDRESS
        return Encoding.STYLE_VALUE if self.mode and self.depth else Encoding.STYLE

    def read(self, text: str) -> None:
        at = 0
        while at < len(text):
            at = self._step(text, at)

    def _step(self, text: str, at: int) -> int:
        if self.mode in {"", ":"}:
            return self._read_rules(text, at)
        if self.mode == "/*":
            end = text.find("*/", at)
            self.mode = self.mode if end < 0 else self.outer
            return len(text) if end < 0 else end + 2
        end = (_ADDRESS if self.mode == "(" else _TEXTS[self.mode]).match(text, at).end()  # type: ignore[union-attr]
        if end < len(text) and text[end] != "\\":
            self.mode = self.outer
        return end + 1

    def _read_rules(self, text: str, at: int) -> int:
        mark = _STYLE.match(text, at)[0]  # type: ignore[index]
        folded = mark[:4].lower()
        if mark in {"'", '"', "/*"} or folded == "url(":
            self.outer = self.mode if mark == "/*" else ":"
            self.mode = "(" if folded == "url(" else mark
        elif mark == "{":
            self.depth, self.mode = self.depth + 1, ""
        elif mark == "}":
            self.depth, self.mode = max(self.depth - 1, 0), ""
        elif mark == ";":
            self.mode = ""
        elif not mark.isspace():
            self.mode = ":"
        return at + len(mark)


@dataclass(slots=True)
class Sql:
    """The state after the read part of a statement."""

    mode: str = ""  # "" between texts, names and comments, else the opening of one, or "?" where readers differ

    def encoding(self, between: Encoding) -> Encoding:
        if self.mode in {"", '"', "`", "["}:
            return between
        return Encoding.SQL_TEXT if self.mode == "'" else Encoding.SQL_NOWHERE

    def read(self, text: str) -> None:
        at = 0
        while at < len(text) and self.mode != "?":
            at = self._step(text, at)

    def _step(self, text: str, at: int) -> int:
        if self.mode == "":
            mark = _SQL.match(text, at)[0]  # type: ignore[index]
            if mark in {"e", "E"} or mark[0] in "'\"`[$" or mark in _SQL_ENDS:
                self.mode = "?" if mark in {"e", "E"} and text[at + 1 : at + 2] == "'" else mark
                self.mode = "" if self.mode in {"e", "E", "$"} else self.mode
            return at + len(mark)
        closing = _SQL_ENDS.get(self.mode, self.mode)
        end = text.find(closing, at)
        stop = len(text) if end < 0 else end
        inside = text[at:stop]
        # A backslash before a quote, a quote in brackets, and a comment in a comment mean something to some readers.
        doubts = {"[": "'", "/*": "/*"}.get(self.mode, "\0") in inside
        is_doubtful = inside.endswith("\\") if self.mode == "'" else doubts
        self.mode = "?" if is_doubtful else self.mode if end < 0 else ""
        return stop + len(closing)
