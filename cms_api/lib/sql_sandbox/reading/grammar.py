"""What a stranger's SQL may consist of, as sqlglot's parser with few tables filled.

sqlglot's own parsers know thousands of constructs, hide some in arguments, and try some readings one after the other,
which takes exponential time. This one starts from empty tables: what is not put into them is no syntax. Functions stay
a name and their arguments, so that `reading_functions` decides on them in one place.
"""

from collections.abc import Callable, Collection
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from cms_api.lib.sql_sandbox.reading.casts import SECOND_WORDS, TYPES

# The word before a text that is a date: `DATE '2020-01-31'`.
DATE_WORDS = frozenset({"DATE", "DATETIME", "TIMESTAMP"})
INTERVAL_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})


class Grammar(Parser):
    """One SELECT with what it may contain; every method here replaces one that reads more, or twice."""

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
        TokenType.CURRENT_DATE: lambda: exp.Anonymous(this="CURRENT_DATE"),
        TokenType.CURRENT_TIMESTAMP: lambda: exp.Anonymous(this="CURRENT_TIMESTAMP"),
        TokenType.LOCALTIMESTAMP: lambda: exp.Anonymous(this="LOCALTIMESTAMP"),
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

    UNARY_PARSERS: ClassVar = {
        kind: Parser.UNARY_PARSERS[kind] for kind in (TokenType.PLUS, TokenType.DASH, TokenType.NOT)
    }
    FACTOR: ClassVar = {TokenType.STAR: exp.Mul, TokenType.SLASH: exp.Div, TokenType.MOD: exp.Mod}
    TERM: ClassVar = {TokenType.PLUS: exp.Add, TokenType.DASH: exp.Sub}
    BITWISE: ClassVar = {}
    ASSIGNMENT: ClassVar = {}
    RANGE_PARSERS: ClassVar = {
        kind: Parser.RANGE_PARSERS[kind]
        for kind in (TokenType.BETWEEN, TokenType.IN, TokenType.IS, TokenType.LIKE, TokenType.ILIKE)
    }
    PRIMARY_PARSERS: ClassVar = {
        **{
            kind: Parser.PRIMARY_PARSERS[kind]
            for kind in (TokenType.STRING, TokenType.NUMBER, TokenType.NULL, TokenType.TRUE, TokenType.FALSE)
        },
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
    QUERY_MODIFIER_PARSERS: ClassVar = {
        kind: Parser.QUERY_MODIFIER_PARSERS[kind]
        for kind in (
            *(TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY),
            *(TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH),
        )
    }
    QUERY_MODIFIER_TOKENS: ClassVar = set(QUERY_MODIFIER_PARSERS)

    # ---- Queries

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
            # What the client wrote names the column of the answer.
            item.meta["text"] = self._find_sql(first, self._prev)
        return item

    def _can_parse_limit_or_offset(self) -> bool:
        # The original reads the whole clause to find out, and then again: LIMIT is no name here.
        return self._match_set(self.AMBIGUOUS_ALIAS_TOKENS, advance=False)

    def _parse_connect(self, skip_start_token: bool = False) -> exp.Connect | None:
        # The original changes its class's table of functions on the way.
        return None

    def _parse_join(
        self,
        skip_join_token: bool = False,
        parse_bracket: bool = False,
        alias_tokens: Collection[TokenType] | None = None,
    ) -> exp.Join | None:
        # The original reads what follows a join without ON twice.
        if self._match(TokenType.COMMA):
            return self.expression(exp.Join(this=self._parse_table(), kind="CROSS"))
        index = self._index
        _, side, kind = self._parse_join_parts()
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

    # ---- Expressions

    def _parse_type(self, parse_interval: bool = True, fallback_to_identifier: bool = False) -> exp.Expr | None:
        # The original tries to read every operand as a type first; the time doubles with each level.
        if self._next.token_type == TokenType.STRING and self._is_word(DATE_WORDS):
            to = self._parse_types()
            return self.expression(exp.Cast(this=self._parse_primary(), to=to))
        return self._parse_atom() or self._parse_interval() or self._parse_column()

    def _parse_interval(
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Add | exp.Interval | None:
        if not self._match(TokenType.INTERVAL):
            return None
        amount = self._parse_unary()
        unit = None
        if self._is_word(INTERVAL_UNITS):
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

    # ---- Casts

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

    def _parse_types(
        self,
        check_func: bool = False,
        schema: bool = False,
        allow_identifiers: bool = True,
        with_collation: bool = False,
    ) -> exp.Expr | None:
        if self._curr.token_type != TokenType.VAR:
            self.raise_error("Expected a type")
        name = self._curr.text.upper()
        self._advance()
        if self._is_word(SECOND_WORDS):
            name = f"{name} {self._curr.text.upper()}"
            self._advance()
        sizes = self._parse_wrapped_csv(self._parse_type_size) if self._match(TokenType.L_PAREN, False) else None
        return self.expression(exp.DataType(this=exp.DType.USERDEFINED, kind=name, expressions=sizes))

    def _parse_type_size(self) -> Any:
        if self._is_word({"MAX"}):
            self._advance()
            return exp.var("MAX")
        return self._parse_number()

    # ---- Words

    def _is_word(self, words: Collection[str]) -> bool:
        return self._curr.token_type == TokenType.VAR and self._curr.text.upper() in words

    def _expect(self, kind: TokenType, text: str, advance: bool = True) -> None:
        if not self._match(kind, advance=advance):
            self.raise_error(f"Expected {text}")
