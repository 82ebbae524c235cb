"""From a client's text to our tree, in either quoting."""

import logging
import re

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from sql_sandbox import tree
from sql_sandbox.reading.expressions import EXPRESSIONS
from sql_sandbox.reading.functions import NAMES
from sql_sandbox.reading.grammar import BacktickSql, StrangersSql
from sql_sandbox.reading.queries import QUERIES
from sql_sandbox.reading.rules import Reading
from sql_sandbox.reading.tokens import check_text, check_tokens
from sql_sandbox.refusals import BadSyntax, Refused, TooLarge, shown

# sqlglot writes statements to its log.
logging.getLogger("sqlglot").disabled = True

_QUOTED = re.compile(r"""'[^']*+'|"[^"]*+\"""")


def read_statement(text: str) -> tree.Query:
    """Return our tree of a client's statement, with nothing looked up yet. Only raise Refused."""
    try:
        return Reading(EXPRESSIONS, QUERIES).query(parse_statement(text))
    except RecursionError:
        raise TooLarge("The statement is nested too deeply.") from None


def parse_statement(text: str) -> exp.Query:
    """Return sqlglot's tree of the one query of the text. Raise BadSyntax with the place, or another Refused."""
    # The other quoting is tried after a BadSyntax only: it would misunderstand a statement that was refused.
    check_text(text)
    first, second = StrangersSql, BacktickSql
    if "`" in _QUOTED.sub("", text):
        first, second = second, first
    try:
        return _parse(text, first)
    except BadSyntax as error:
        try:
            return _parse(text, second)
        except Refused:
            raise error from None


def _parse(text: str, dialect: type[Dialect]) -> exp.Query:
    try:
        tokens = check_tokens(text, dialect.tokenizer_class(dialect).tokenize(text), NAMES)
        trees = dialect.parser_class(dialect=dialect, error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)
    except (Refused, MemoryError):
        raise
    except TokenError:
        raise BadSyntax("The statement cannot be read: a quote is not closed.") from None
    except ParseError as error:
        place = error.errors[0] if error.errors else {}
        near = f" near {shown(str(place['highlight']))}" if place.get("highlight") else ""
        where = f"line {place.get('line', 1)}, column {place.get('col', 1)}"
        raise BadSyntax(f"The statement cannot be read{near}, {where}.") from None
    except RecursionError:
        raise TooLarge("The statement is nested too deeply.") from None
    except Exception:  # noqa: BLE001 - any failure of a parser of many dialects is the text's fault
        raise BadSyntax("The statement cannot be read.") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select | exp.Union | exp.Except | exp.Intersect | exp.Subquery):
        raise BadSyntax("The statement cannot be read as one SELECT.")
    return trees[0]
