"""The permitted words, quotes and types, and sqlglot's parser with few tables filled: the rest is no syntax."""
# sqlglot's own parsers know thousands of constructs and try some readings one after the other, in exponential time.
# Functions stay names with arguments, so that only `functions` decides on them.

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Tokenizer as SqlglotTokenizer

from sql_sandbox.catalogue import ValueKind

OPERATORS = {
    "||": TokenType.DPIPE,
    "::": TokenType.DCOLON,
    "->>": TokenType.DARROW,
    "<>": TokenType.NEQ,
    "!=": TokenType.NEQ,
    ">=": TokenType.GTE,
    "<=": TokenType.LTE,
    "==": TokenType.EQ,
}
_PLAIN_KEYWORDS = """
    SELECT FROM WHERE HAVING LIMIT OFFSET WITH DISTINCT ALL TOP FETCH OVER JOIN INNER LEFT RIGHT FULL OUTER CROSS ON
    USING UNION EXCEPT INTERSECT AND OR NOT IN IS NULL LIKE ILIKE ESCAPE BETWEEN EXISTS CASE WHEN THEN ELSE END TRUE
    FALSE INTERVAL ASC DESC FIRST NEXT ROWS RANGE CURRENT_DATE CURRENT_TIMESTAMP LOCALTIMESTAMP
"""
KEYWORDS = {
    **{word: TokenType[word] for word in _PLAIN_KEYWORDS.split()},
    "AS": TokenType.ALIAS,
    "GROUP BY": TokenType.GROUP_BY,
    "ORDER BY": TokenType.ORDER_BY,
    "PARTITION BY": TokenType.PARTITION_BY,
}


class Type(NamedTuple):
    """The type of a cast; `rounds`: (precision, scale) may follow and limit the decimals."""

    kind: ValueKind
    day_only: bool = False
    rounds: bool = False


TYPES: dict[str, Type] = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT"), Type(ValueKind.INTEGER)),
    **dict.fromkeys(("INT2", "INT4", "INT8"), Type(ValueKind.INTEGER)),
    **dict.fromkeys(("SIGNED", "SIGNED INTEGER", "UNSIGNED", "UNSIGNED INTEGER"), Type(ValueKind.INTEGER)),
    **dict.fromkeys(("FLOAT", "REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT4", "FLOAT8"), Type(ValueKind.NUMBER)),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC", "NUMBER"), Type(ValueKind.NUMBER, rounds=True)),
    **dict.fromkeys(("VARCHAR", "NVARCHAR", "CHAR", "NCHAR", "CHARACTER", "CHARACTER VARYING"), Type(ValueKind.TEXT)),
    **dict.fromkeys(("CHAR VARYING", "TEXT", "NTEXT", "LONGTEXT", "STRING"), Type(ValueKind.TEXT)),
    "DATE": Type(ValueKind.DATE, day_only=True),
    **dict.fromkeys(("DATETIME", "DATETIME2", "SMALLDATETIME", "TIMESTAMP"), Type(ValueKind.DATE)),
}
_SECOND_WORDS = frozenset(name.split()[1] for name in TYPES if " " in name)
# Words before a text that is a date: `DATE '2020-01-31'`.
_DATE_WORDS = frozenset({"DATE", "DATETIME", "TIMESTAMP"})
_INTERVAL_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})


def _only(parsers: Mapping[TokenType, Any], *names: str) -> dict[TokenType, Any]:
    return {TokenType[name]: parsers[TokenType[name]] for name in names}


class Grammar(Parser):
    """The grammar of one SELECT; methods that replace sqlglot's read less, and only once."""

    STATEMENT_PARSERS: ClassVar = {}
    FUNCTIONS: ClassVar = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
        "CAST": lambda self: self._parse_cast(True),
        "CONVERT": lambda self: self._parse_convert(True),
        "TRY_CAST": lambda self: self._parse_cast(False),
        "TRY_CONVERT": lambda self: self._parse_convert(False),
        "EXTRACT": lambda self: self._parse_extract_part(),
        "POSITION": lambda self: self._parse_position_in(),
        "SUBSTRING": lambda self: self._parse_substring_from(),
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {"CASE": lambda self: self._parse_case()}
    NO_PAREN_FUNCTIONS: ClassVar = {
        TokenType[name]: partial(exp.Anonymous, this=name)
        for name in ("CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP")
    }
    SUBQUERY_PREDICATES: ClassVar = {TokenType.EXISTS: exp.Exists}
    FUNC_TOKENS: ClassVar = {TokenType.VAR, TokenType.EXISTS, *NO_PAREN_FUNCTIONS}
    LAMBDAS: ClassVar = {}

    ID_VAR_TOKENS: ClassVar = {TokenType.VAR}
    ALIAS_TOKENS: ClassVar = {TokenType.VAR}
    TABLE_ALIAS_TOKENS: ClassVar = {TokenType.VAR}
    WINDOW_ALIAS_TOKENS: ClassVar = {TokenType.VAR}
    FETCH_TOKENS: ClassVar = {TokenType.VAR}
    STRING_ALIASES = True
    OPTIONAL_ALIAS_TOKEN_CTE = False

    UNARY_PARSERS: ClassVar = _only(Parser.UNARY_PARSERS, "PLUS", "DASH", "NOT")
    FACTOR: ClassVar = {TokenType.STAR: exp.Mul, TokenType.SLASH: exp.Div, TokenType.MOD: exp.Mod}
    TERM: ClassVar = {TokenType.PLUS: exp.Add, TokenType.DASH: exp.Sub}
    BITWISE: ClassVar = {}
    ASSIGNMENT: ClassVar = {}
    RANGE_PARSERS: ClassVar = _only(Parser.RANGE_PARSERS, "BETWEEN", "IN", "IS", "LIKE", "ILIKE")
    PRIMARY_PARSERS: ClassVar = {
        **_only(Parser.PRIMARY_PARSERS, "STRING", "NUMBER", "NULL", "TRUE", "FALSE"),
        TokenType.NATIONAL_STRING: Parser.PRIMARY_PARSERS[TokenType.STRING],
        TokenType.STAR: lambda self, token: self.expression(exp.Star(), token),
    }
    PLACEHOLDER_PARSERS: ClassVar = {}
    COLUMN_OPERATORS: ClassVar = {
        TokenType.DOT: None,
        TokenType.DCOLON: lambda self, this, to: self.expression(exp.Cast(this=this, to=to)),
        TokenType.DARROW: lambda self, this, path: self.expression(exp.Anonymous(this="->>", expressions=[this, path])),
    }

    JOIN_METHODS: ClassVar = set()
    JOIN_KINDS: ClassVar = {TokenType.INNER, TokenType.OUTER, TokenType.CROSS}
    QUERY_MODIFIER_PARSERS: ClassVar = _only(
        Parser.QUERY_MODIFIER_PARSERS, "WHERE", "GROUP_BY", "HAVING", "ORDER_BY", "LIMIT", "OFFSET", "FETCH"
    )
    QUERY_MODIFIER_TOKENS: ClassVar = set(QUERY_MODIFIER_PARSERS)

    def _parse_statement(self) -> exp.Expr | None:
        query = self._parse_select(nested=True, parse_subquery_alias=False)
        if query is None:
            self.raise_error("Expected SELECT")
        return self._parse_query_modifiers(self._parse_set_operations(query))

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        return self._parse_csv(self._parse_projection), None

    def _parse_projection(self) -> exp.Expr | None:
        first = self._curr
        item = self._parse_expression()
        if item is not None:
            # The client's text names the column of the response.
            item.meta["text"] = self._find_sql(first, self._prev)
        return item

    def _can_parse_limit_or_offset(self) -> bool:
        # sqlglot reads the whole clause to find out, and then again. LIMIT is no name here.
        return self._match_set(self.AMBIGUOUS_ALIAS_TOKENS, advance=False)

    def _parse_connect(self, skip_start_token: bool = False) -> exp.Connect | None:
        # sqlglot changes its class's table of functions on the way.
        return None

    def _parse_join(self, *_: Any, **__: Any) -> exp.Join | None:
        # sqlglot reads the text after a join without ON twice.
        if self._match(TokenType.COMMA):
            return self.expression(exp.Join(this=self._parse_table(), kind="CROSS"))
        index = self._index
        _method, side, kind = self._parse_join_parts()
        if not self._match(TokenType.JOIN):
            self._retreat(index)
            return None
        join = exp.Join(this=self._parse_table(), side=side and side.text.upper(), kind=kind and kind.text.upper())
        if self._match(TokenType.ON):
            join.set("on", self._parse_disjunction())
        elif self._match(TokenType.USING):
            join.set("using", self._parse_wrapped_id_vars())
        return self.expression(join)

    def _parse_function_parameter(self) -> exp.Expr | None:
        return self._parse_id_var(any_token=False)

    def _parse_type(self, parse_interval: bool = True, fallback_to_identifier: bool = False) -> exp.Expr | None:
        # sqlglot first tries to read every operand as a type; the time doubles with each level.
        if self._next.token_type == TokenType.STRING and self._is_word(_DATE_WORDS):
            to = self._parse_types()
            return self.expression(exp.Cast(this=self._parse_primary(), to=to))
        return self._parse_atom() or self._parse_interval() or self._parse_column()

    def _parse_interval(self, *_: Any, **__: Any) -> exp.Add | exp.Interval | None:
        if not self._match(TokenType.INTERVAL):
            return None
        amount = self._parse_unary()
        unit = None
        if self._is_word(_INTERVAL_UNITS):
            unit = exp.var(self._curr.text)
            self._advance()
        return self.expression(exp.Interval(this=amount, unit=unit))

    def _parse_function_args(self, alias: bool = False) -> list[exp.Expr]:
        if self._match(TokenType.DISTINCT):
            return [self.expression(exp.Distinct(expressions=self._parse_csv(self._parse_disjunction)))]
        self._match(TokenType.ALL)
        return self._parse_csv(self._parse_disjunction)

    def _parse_extract_part(self) -> exp.Expr:
        unit = self._parse_id_var(any_token=False)
        self._expect(TokenType.FROM, "FROM")
        return self._call("EXTRACT", unit and exp.column(unit), self._parse_disjunction())

    def _parse_position_in(self) -> exp.Expr:
        needle = self._parse_bitwise()
        if not self._match(TokenType.IN):
            self._expect(TokenType.COMMA, "IN")
        return self._call("POSITION", needle, self._parse_bitwise())

    def _parse_substring_from(self) -> exp.Expr:
        arguments: list[exp.Expr | None] = [*self._parse_function_args()]
        if self._match(TokenType.FROM):
            arguments.append(self._parse_bitwise())
            if self._match_text_seq("FOR"):
                arguments.append(self._parse_bitwise())
        return self._call("SUBSTRING", *arguments)

    def _call(self, name: str, *arguments: exp.Expr | None) -> exp.Expr:
        self._expect(TokenType.R_PAREN, ")", advance=False)
        if None in arguments:
            self.raise_error("Expected an argument")
        return self.expression(exp.Anonymous(this=name, expressions=list(arguments)))

    def _parse_cast(self, strict: bool, safe: bool | None = None) -> exp.Expr:
        this = self._parse_disjunction()
        self._expect(TokenType.ALIAS, "AS")
        to = self._parse_types()
        self._expect(TokenType.R_PAREN, ")", advance=False)
        return self.expression((exp.Cast if strict else exp.TryCast)(this=this, to=to))

    def _parse_convert(self, strict: bool, safe: bool | None = None) -> exp.Expr | None:
        # CONVERT(type, x [, style]) in T-SQL, CONVERT(x, type) in MySQL.
        type_first = self._is_word(TYPES) and self._next.token_type in (TokenType.COMMA, TokenType.L_PAREN)
        first = self._parse_types() if type_first else self._parse_disjunction()
        self._expect(TokenType.COMMA, ",")
        second = self._parse_disjunction() if type_first else self._parse_types()
        style = self._parse_number() if type_first and self._match(TokenType.COMMA) else None
        self._expect(TokenType.R_PAREN, ")", advance=False)
        this, to = (second, first) if type_first else (first, second)
        return self.expression((exp.Cast if strict else exp.TryCast)(this=this, to=to, format=style))

    def _parse_types(self, *_: Any, **__: Any) -> exp.Expr | None:
        if self._curr.token_type != TokenType.VAR:
            self.raise_error("Expected a type")
        name = self._curr.text.upper()
        self._advance()
        if self._is_word(_SECOND_WORDS):
            name = f"{name} {self._curr.text.upper()}"
            self._advance()
        sizes = self._parse_wrapped_csv(self._parse_type_size) if self._match(TokenType.L_PAREN, False) else None
        return self.expression(exp.DataType(this=exp.DType.USERDEFINED, kind=name, expressions=sizes))

    def _parse_type_size(self) -> Any:
        if self._is_word({"MAX"}):
            self._advance()
            return exp.var("MAX")
        return self._parse_number()

    def _is_word(self, words: Collection[str]) -> bool:
        return self._curr.token_type == TokenType.VAR and self._curr.text.upper() in words

    def _expect(self, kind: TokenType, text: str, advance: bool = True) -> None:
        if not self._match(kind, advance=advance):
            self.raise_error(f"Expected {text}")


class StrangersSql(Dialect):
    """Names in double quotes or square brackets, texts in single quotes."""

    class Tokenizer(SqlglotTokenizer):
        IDENTIFIERS: ClassVar = ['"', ("[", "]")]
        SINGLE_TOKENS: ClassVar = {**SqlglotTokenizer.SINGLE_TOKENS, "!": TokenType.EXCLAMATION}
        KEYWORDS: ClassVar = {**OPERATORS, **KEYWORDS}
        COMMANDS: ClassVar = set()
        NESTED_COMMENTS = False

    Parser = Grammar


class BacktickSql(StrangersSql):
    """MySQL's quoting: names in backticks, texts in either quote, with backslashes."""

    class Tokenizer(StrangersSql.Tokenizer):
        IDENTIFIERS: ClassVar = ["`"]
        QUOTES: ClassVar = ["'", '"']
        STRING_ESCAPES: ClassVar = ["'", '"', "\\"]
        DROP_UNKNOWN_ESCAPES = True

    # MySQL's escapes that differ from sqlglot's; the backslash before a wildcard stays.
    UNESCAPED_SEQUENCES = {
        "\\%": "\\%",
        "\\_": "\\_",
        "\\0": "\0",
        "\\Z": "\x1a",
        "\\a": "a",
        "\\f": "f",
        "\\v": "v",
    }
