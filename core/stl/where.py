"""The stl parameters `where` and `order`, parsed into rules: no client text reaches a database as SQL."""

import re
from dataclasses import dataclass
from typing import NoReturn

from core.lib.errors import InvalidInput
from core.rest.rules import AllOf, AnyOf, Expression, Negation, OrderRule, Rule

MAX_CHARACTERS = 4000
MAX_RULES = 100  # comparisons; each value of an IN is one, a BETWEEN is two
MAX_DEPTH = 20  # nested parentheses and NOTs
MAX_COLUMNS = 10  # of an order

# Matches "never" dates and empty texts; numbers and flags are never null.
IS_NULL = "IsNull"


def parse_where(text: str) -> Expression:
    """Parse a condition. Raises InvalidInput with the position of the first unreadable character."""
    return _Condition(text).parse()


def parse_order(text: str) -> list[OrderRule]:
    """Parse the columns to sort by. Raises InvalidInput with the position of the first unreadable character."""
    tokens = Tokens(text, "order", frozenset({"ORDER", "BY", "ASC", "DESC"}))
    if tokens.skip("ORDER") and not tokens.skip("BY"):
        tokens.refuse("BY")
    rules: list[OrderRule] = []
    while not rules or tokens.skip(","):
        if len(rules) == MAX_COLUMNS:
            tokens.stop(f"has too many columns at character {tokens.current.start}; at most {MAX_COLUMNS} are allowed")
        rules.append(OrderRule(tokens.take_column(), is_descending := tokens.skip("DESC")))
        if not is_descending:
            tokens.skip("ASC")
    if not tokens.is_at_end:
        tokens.refuse("ASC, DESC, a comma or the end")
    return rules


# Possessive quantifiers: a text or a number matches completely or not at all.
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


@dataclass(frozen=True, slots=True)
class Token:
    """One word, sign or value; `start` is its first character, 1-based."""

    kind: str  # text, number, name, keyword, sign, other, end
    value: str
    start: int
    shown: str


class Tokens:
    """The tokens of one parameter; `current` is next. Raises InvalidInput with the parameter's code `bad_…`."""

    def __init__(self, text: str, parameter: str, keywords: frozenset[str]) -> None:
        self._parameter, self._keywords = parameter, keywords
        if len(text) > MAX_CHARACTERS:
            self.stop(f"is too long: it may have at most {MAX_CHARACTERS} characters")
        if found := re.search(r"[\0\ud800-\udfff]", text):
            self.stop(f"has U+{ord(found[0]):04X} at character {found.start() + 1}, which is not allowed")
        self._matches = _TOKEN.finditer(text)
        self.current = self._read()

    @property
    def is_at_end(self) -> bool:
        return self.current.kind == "end"

    def is_at(self, *words: str) -> bool:
        return self.current.kind in {"keyword", "sign"} and self.current.value in words

    def skip(self, word: str) -> bool:
        """Return whether the next token is this keyword or sign, and consume it if so."""
        return self.is_at(word) and bool(self.take())

    def take(self) -> Token:
        token = self.current
        self.current = self._read()
        return token

    def take_column(self, expected: str = "a column") -> str:
        """Consume a column name, without its table's name."""
        name = self._take_name(expected)
        return self._take_name("a column") if self.skip(".") else name

    def refuse(self, expected: str) -> NoReturn:
        if self.is_at_end:
            self.stop(f"ends after character {self.current.start - 1}, where {expected} is expected")
        self.stop(f"has {self.current.shown} at character {self.current.start}, where {expected} is expected")

    def stop(self, problem: str) -> NoReturn:
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
        shown = raw if len(raw) <= 20 else f"{raw[:20]}…"
        if kind == "unclosed":
            self.stop(f"has {raw} at character {start}, which is not closed")
        value = raw
        if kind == "text":
            value = raw[raw.index("'") + 1 : -1].replace("''", "'")
        elif kind == "quoted":
            value = raw[1:-1]
            kind = "name" if value.strip() else "other"
        elif kind == "word":
            # Non-ASCII letters such as ı may become ASCII in upper case, but belong to no keyword.
            is_keyword = raw.isascii() and raw.upper() in self._keywords
            kind, value = ("keyword", raw.upper()) if is_keyword else ("name", raw)
        return Token(kind, value, start, shown)


# ---- the grammar of `where`

_KEYWORDS = frozenset({"WHERE", "AND", "OR", "NOT", "LIKE", "IN", "BETWEEN", "IS", "NULL", "TRUE", "FALSE"})
# The operator of a rule as written, and with its sides swapped.
_COMPARISONS = {
    "=": ("=", "="),
    "!=": ("!=", "!="),
    "<>": ("!=", "!="),
    ">": (">", "<"),
    ">=": (">=", "<="),
    "<": ("<", ">"),
    "<=": ("<=", ">="),
}


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
        if not self._is_at_value():
            return self._comparison()
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
        expression: Expression
        if self._tokens.skip("IS"):
            is_negated = self._tokens.skip("NOT")
            self._count()
            self._expect("NULL", "NULL" if is_negated else "NULL or NOT NULL")
            expression = Rule(column, IS_NULL, "true")
            return Negation(expression) if is_negated else expression
        is_negated = self._tokens.skip("NOT")
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
            self._tokens.refuse("LIKE, IN or BETWEEN" if is_negated else "an operator")
        return Negation(expression) if is_negated else expression

    def _is_at_value(self) -> bool:
        return self._tokens.current.kind in {"text", "number"} or self._tokens.is_at("TRUE", "FALSE")

    def _take_value(self) -> str:
        if not self._is_at_value():
            self._tokens.refuse("a text in single quotes, a number, TRUE or FALSE")
        self._count()
        token = self._tokens.take()
        return token.value.capitalize() if token.kind == "keyword" else token.value

    def _count(self) -> None:
        self._rules += 1
        if self._rules > MAX_RULES:
            start = self._tokens.current.start
            self._tokens.stop(f"has too many comparisons at character {start}; at most {MAX_RULES} are allowed")

    def _expect(self, word: str, expected: str) -> None:
        if not self._tokens.skip(word):
            self._tokens.refuse(expected)
