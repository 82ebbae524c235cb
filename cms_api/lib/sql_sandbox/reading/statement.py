"""From a client's text to our own tree: the first three fences, one behind the other."""

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.reading.expressions import EXPRESSIONS
from cms_api.lib.sql_sandbox.reading.functions import NAMES
from cms_api.lib.sql_sandbox.reading.parsing import parse_statement
from cms_api.lib.sql_sandbox.reading.queries import QUERIES
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import TooLarge


def read_statement(text: str) -> tree.Query:
    """Our tree of a client's statement; nothing has been looked up yet. Raises Refused, and nothing else."""
    try:
        return Reading(EXPRESSIONS, QUERIES).query(parse_statement(text, NAMES))
    except RecursionError:
        raise TooLarge("The statement is nested too deeply.") from None
