"""One SQL for strangers of every dialect: the words and the quoting."""

from typing import ClassVar

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType
from sqlglot.tokens import Tokenizer as SqlglotTokenizer

from cms_api.lib.sql_sandbox.reading.grammar import Grammar

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

KEYWORDS = {
    **{
        kind.name: kind
        for kind in (
            *(TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.HAVING, TokenType.LIMIT, TokenType.OFFSET),
            *(TokenType.WITH, TokenType.DISTINCT, TokenType.ALL, TokenType.TOP, TokenType.FETCH, TokenType.OVER),
            *(TokenType.JOIN, TokenType.INNER, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.OUTER),
            *(TokenType.CROSS, TokenType.ON, TokenType.USING, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT),
            *(TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.IN, TokenType.IS, TokenType.NULL, TokenType.LIKE),
            *(TokenType.ILIKE, TokenType.ESCAPE, TokenType.BETWEEN, TokenType.EXISTS, TokenType.CASE, TokenType.WHEN),
            *(TokenType.THEN, TokenType.ELSE, TokenType.END, TokenType.TRUE, TokenType.FALSE, TokenType.INTERVAL),
            *(TokenType.ASC, TokenType.DESC, TokenType.FIRST, TokenType.NEXT, TokenType.ROWS, TokenType.RANGE),
            *(TokenType.CURRENT_DATE, TokenType.CURRENT_TIMESTAMP, TokenType.LOCALTIMESTAMP),
        )
    },
    "AS": TokenType.ALIAS,
    "GROUP BY": TokenType.GROUP_BY,
    "ORDER BY": TokenType.ORDER_BY,
    "PARTITION BY": TokenType.PARTITION_BY,
}


class StrangersSql(Dialect):
    """Names in double quotes or square brackets, texts in single quotes."""

    class Tokenizer(SqlglotTokenizer):
        """Words that are no keyword here are names."""

        IDENTIFIERS: ClassVar = ['"', ("[", "]")]
        SINGLE_TOKENS: ClassVar = {**SqlglotTokenizer.SINGLE_TOKENS, "!": TokenType.EXCLAMATION}
        KEYWORDS: ClassVar = {**OPERATORS, **KEYWORDS}
        COMMANDS: ClassVar = set()
        NESTED_COMMENTS = False

    Parser = Grammar


class BacktickSql(StrangersSql):
    """MySQL's quoting: names in backticks, texts in either quote, with backslashes."""

    class Tokenizer(StrangersSql.Tokenizer):
        """The same words in other quotes."""

        IDENTIFIERS: ClassVar = ["`"]
        QUOTES: ClassVar = ["'", '"']
        STRING_ESCAPES: ClassVar = ["'", '"', "\\"]
        DROP_UNKNOWN_ESCAPES = True

    # MySQL's escapes where they differ from sqlglot's; the backslash of a pattern's wildcard stays.
    UNESCAPED_SEQUENCES = {
        "\\%": "\\%",
        "\\_": "\\_",
        "\\0": "\0",
        "\\Z": "\x1a",
        "\\a": "a",
        "\\f": "f",
        "\\v": "v",
    }
