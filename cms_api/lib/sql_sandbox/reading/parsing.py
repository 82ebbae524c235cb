"""The second fence: exactly one SELECT, as sqlglot's tree, in the quoting that the text tells."""

import logging
import re
from collections.abc import Container

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from cms_api.lib.sql_sandbox.reading.dialect import BacktickSql, StrangersSql
from cms_api.lib.sql_sandbox.reading.text import check_text
from cms_api.lib.sql_sandbox.reading.tokens import check_tokens
from cms_api.lib.sql_sandbox.refusals import BadSyntax, Refused, TooLarge
from cms_api.lib.sql_sandbox.wording import shown

# sqlglot writes statements to its log.
logging.getLogger("sqlglot").disabled = True

QUERIES = (exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery)
QUOTED = re.compile(r"""'[^']*+'|"[^"]*+\"""")


def parse_statement(text: str, functions: Container[str]) -> exp.Query:
    """The tree of the one query of the text; `functions` has the upper-case names that may stand before a bracket.

    Raises BadSyntax with the place, or the Refused of the fence before. The other quoting is tried after a BadSyntax
    only: a statement that was understood and refused would be misunderstood by it.
    """
    check_text(text)
    first, second = StrangersSql, BacktickSql
    if "`" in QUOTED.sub("", text):
        first, second = second, first
    try:
        return _parse(text, first, functions)
    except BadSyntax as error:
        try:
            return _parse(text, second, functions)
        except Refused:
            raise error from None


def _parse(text: str, dialect: type[Dialect], functions: Container[str]) -> exp.Query:
    try:
        tokens = check_tokens(text, dialect.tokenizer_class(dialect).tokenize(text), functions)
        trees = dialect.parser_class(dialect=dialect, error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)
    except (Refused, MemoryError):
        raise
    except TokenError:
        raise BadSyntax("The statement cannot be read: a quote is not closed.") from None
    except ParseError as error:
        raise BadSyntax(_reason(error)) from None
    except RecursionError:
        raise TooLarge("The statement is nested too deeply.") from None
    except Exception:  # noqa: BLE001 - whatever a parser of many dialects stumbles over is the text's fault
        raise BadSyntax("The statement cannot be read.") from None
    if len(trees) != 1 or not isinstance(trees[0], QUERIES):
        raise BadSyntax("The statement cannot be read as one SELECT.")
    return trees[0]


def _reason(error: ParseError) -> str:
    place = error.errors[0] if error.errors else {}
    near = f" near {shown(str(place['highlight']))}" if place.get("highlight") else ""
    return f"The statement cannot be read{near}, line {place.get('line', 1)}, column {place.get('col', 1)}."
