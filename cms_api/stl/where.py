"""The stl parameter `where`: a condition in the words of SQL, read into rules.

Nothing of the client's text reaches a database: a rule names a column that the reader of the rules
looks up, and a value that is bound.
"""

import re
from dataclasses import dataclass
from typing import NoReturn

from cms_api.lib.errors import InvalidInput
from cms_api.rest.rules import AllOf, AnyOf, Expression, Negation, Rule

MAX_CHARACTERS = 4000
MAX_RULES = 100  # comparisons; each value of an IN is one, a BETWEEN is two
MAX_DEPTH = 20  # parentheses and NOTs inside each other


# A date that never was, an empty text; numbers and flags are never null.
IS_NULL = "IsNull"


def parse_where(text: str) -> Expression:
    """The condition that the text states. Raises InvalidInput saying at which character it cannot be read."""
    return _Condition(text).parse()


# ---- words and signs, of `order` too

# Possessive quantifiers: a text or a number is taken whole or not at all.
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<text>[Nn]?'(?:[^']|'')*+')
    | (?P<quoted>\[[^\]]*+\]|`[^`]*+`|"[^"]*+")
    | (?P<unclosed>[Nn]?'|[\[`"])
    | (?P<number>[+-]?[0-9]++(?:\.[0-9]++)?+(?![\w.]))
    | (?P<word>[^\W\d]\w*+)
    | (?P<sign><=|>=|<>|!=|[=<>(),.])
    | (?P<other>[\w.]++|--|/\*|\S)
    | \Z)""",
    re.VERBOSE,
)
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
_MAX_SHOWN = 20  # characters of the client's text in a message


@dataclass(frozen=True, slots=True)
class Token:
    """One word, sign or value; `start` is its first character, 1-based."""

    kind: str  # text, number, name, keyword, sign, other, end
    value: str
    start: int
    shown: str


class Tokens:
    """The words, signs and values of one parameter; `current` is the one to be read next.

    Raises InvalidInput with the code `bad_…` of the parameter.
    """

    def __init__(self, text: str, parameter: str, keywords: frozenset[str]) -> None:
        self._parameter, self._keywords = parameter, keywords
        if len(text) > MAX_CHARACTERS:
            self.stop(f"goes on at character {MAX_CHARACTERS + 1}, and may have {MAX_CHARACTERS} characters")
        if found := _UNSTORABLE.search(text):
            self.stop(f"has U+{ord(found[0]):04X} at character {found.start() + 1}, which no text may hold")
        self._matches = _TOKEN.finditer(text)
        self.current = self._read()

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self.current.kind == "end"

    def is_at(self, *words: str) -> bool:
        """Whether the next is one of the keywords or signs."""
        return self.current.kind in {"keyword", "sign"} and self.current.value in words

    def skip(self, word: str) -> bool:
        """Whether the next was this keyword or sign; then it is passed."""
        is_there = self.is_at(word)
        if is_there:
            self.take()
        return is_there

    def take(self) -> Token:
        """The next, which is passed."""
        token = self.current
        self.current = self._read()
        return token

    def take_column(self, expected: str = "a column") -> str:
        """The name of a column, without the table's before it."""
        name = self._take_name(expected)
        return self._take_name("a column") if self.skip(".") else name

    def refuse(self, expected: str) -> NoReturn:
        """Says what stands here in place of what was expected."""
        if self.is_at_end:
            self.stop(f"ends after character {self.current.start - 1}, where {expected} is expected")
        self.stop(f"has {self.current.shown} at character {self.current.start}, where {expected} is expected")

    def stop(self, problem: str) -> NoReturn:
        """Says what is wrong with the parameter."""
        raise InvalidInput(f"bad_{self._parameter}", f"{self._parameter} {problem}.", member=self._parameter)

    def _take_name(self, expected: str) -> str:
        if self.current.kind != "name":
            self.refuse(expected)
        return self.take().value

    def _read(self) -> Token:
        match = next(self._matches)
        kind = match.lastgroup or "end"
        raw = match[match.lastgroup or 0]
        start = match.end() - len(raw) + 1 if kind != "end" else match.end() + 1
        shown = raw if len(raw) <= _MAX_SHOWN else f"{raw[:_MAX_SHOWN]}…"
        if kind == "unclosed":
            self.stop(f"has {raw} at character {start}, and what it opens is not closed")
        return Token(*self._value(kind, raw), start, shown)

    def _value(self, kind: str, raw: str) -> tuple[str, str]:
        if kind == "text":
            return kind, raw[raw.index("'") + 1 : -1].replace("''", "'")
        if kind == "quoted":
            return "name" if raw[1:-1].strip() else "other", raw[1:-1]
        if kind == "word":
            # Letters such as ı become others in capitals, and are no part of a keyword.
            is_keyword = raw.isascii() and raw.upper() in self._keywords
            return ("keyword", raw.upper()) if is_keyword else ("name", raw)
        return kind, raw


# ---- the grammar of `where`

_KEYWORDS = frozenset({"WHERE", "AND", "OR", "NOT", "LIKE", "IN", "BETWEEN", "IS", "NULL", "TRUE", "FALSE"})
# As written: as a rule's operator, and as that of the rule turned around.
_COMPARISONS = {
    "=": ("=", "="),
    "!=": ("!=", "!="),
    "<>": ("!=", "!="),
    ">": (">", "<"),
    ">=": (">=", "<="),
    "<": ("<", ">"),
    "<=": ("<=", ">="),
}
_A_VALUE = "a text in single quotes, a number, TRUE or FALSE"


class _Condition:
    """Reads a condition by recursive descent: OR over AND over NOT over comparisons."""

    def __init__(self, text: str) -> None:
        self._tokens = Tokens(text, "where", _KEYWORDS)
        self._rules = 0

    def parse(self) -> Expression:
        self._tokens.skip("WHERE")
        expression = self._any_of(0)
        if not self._tokens.is_at_end:
            self._tokens.refuse("AND, OR or the end")
        return expression

    def _any_of(self, depth: int) -> Expression:
        parts = [self._all_of(depth)]
        while self._tokens.skip("OR"):
            parts.append(self._all_of(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self, depth: int) -> Expression:
        parts = [self._part(depth)]
        while self._tokens.skip("AND"):
            parts.append(self._part(depth))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _part(self, depth: int) -> Expression:
        if depth == MAX_DEPTH and self._tokens.is_at("NOT", "("):
            self._tokens.stop(f"is nested deeper than {MAX_DEPTH} levels at character {self._tokens.current.start}")
        if self._tokens.skip("NOT"):
            return Negation(self._part(depth + 1))
        if self._tokens.skip("("):
            expression = self._any_of(depth + 1)
            self._expect(")", "AND, OR or )")
            return expression
        return self._turned() if self._is_at_value() else self._comparison()

    def _turned(self) -> Expression:
        value = self._take_value()
        if not self._tokens.is_at(*_COMPARISONS):
            self._tokens.refuse("a comparison such as =")
        _, operator = _COMPARISONS[self._tokens.take().value]
        return Rule(self._tokens.take_column(), operator, value)

    def _comparison(self) -> Expression:
        column = self._tokens.take_column("a column, a value, NOT or (")
        if self._tokens.is_at(*_COMPARISONS):
            operator, _ = _COMPARISONS[self._tokens.take().value]
            return Rule(column, operator, self._take_value())
        if self._tokens.skip("IS"):
            return self._null(column)
        if self._tokens.skip("NOT"):
            return self._negatable(column, "LIKE, IN or BETWEEN", is_negated=True)
        return self._negatable(column, "an operator", is_negated=False)

    def _null(self, column: str) -> Expression:
        is_negated = self._tokens.skip("NOT")
        self._count()
        self._expect("NULL", "NULL" if is_negated else "NULL or NOT NULL")
        rule = Rule(column, IS_NULL, "true")
        return Negation(rule) if is_negated else rule

    def _negatable(self, column: str, expected: str, *, is_negated: bool) -> Expression:
        expression: Expression
        if self._tokens.skip("LIKE"):
            if self._tokens.current.kind != "text":
                self._tokens.refuse("a pattern in single quotes")
            return Rule(column, "NotLike" if is_negated else "Like", self._take_value())
        if self._tokens.skip("IN"):
            self._expect("(", "(")
            rules = [Rule(column, "=", self._take_value())]
            while self._tokens.skip(","):
                rules.append(Rule(column, "=", self._take_value()))
            self._expect(")", "a comma or )")
            expression = rules[0] if len(rules) == 1 else AnyOf(tuple(rules))
        elif self._tokens.skip("BETWEEN"):
            least = Rule(column, ">=", self._take_value())
            self._expect("AND", "AND")
            expression = AllOf((least, Rule(column, "<=", self._take_value())))
        else:
            self._tokens.refuse(expected)
        return Negation(expression) if is_negated else expression

    def _is_at_value(self) -> bool:
        return self._tokens.current.kind in {"text", "number"} or self._tokens.is_at("TRUE", "FALSE")

    def _take_value(self) -> str:
        if not self._is_at_value():
            self._tokens.refuse(_A_VALUE)
        self._count()
        token = self._tokens.take()
        return token.value.capitalize() if token.kind == "keyword" else token.value

    def _count(self) -> None:
        self._rules += 1
        if self._rules > MAX_RULES:
            start = self._tokens.current.start
            self._tokens.stop(f"has its comparison number {self._rules} at character {start}; at most are {MAX_RULES}")

    def _expect(self, word: str, expected: str) -> None:
        if not self._tokens.skip(word):
            self._tokens.refuse(expected)
