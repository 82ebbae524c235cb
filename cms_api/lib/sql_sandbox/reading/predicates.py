"""What is true or false of a value: IS NULL, BETWEEN, IN, LIKE."""

import re

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.reading.rules import Reading, check_filled
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed, TooLarge
from cms_api.lib.sql_sandbox.wording import shown

MAX_ITEMS = 200
MAX_LIKE = 100
MAX_WILDCARDS = 8


def read_is(reading: Reading, node: exp.Is) -> tree.Expression:
    """Whether a value is NULL; raises NotAllowed for another IS."""
    if not isinstance(node.expression, exp.Null):
        raise NotAllowed("Only NULL and NOT NULL are possible behind IS.")
    return tree.IsNull(reading.expression(node.this), bool(node.args.get("negate")))


def read_between(reading: Reading, node: exp.Between) -> tree.Expression:
    operand, low, high = (reading.expression(node.args.get(name)) for name in ("this", "low", "high"))
    return tree.Between(operand, low, high)


def read_in(reading: Reading, node: exp.In) -> tree.Expression:
    """Whether a value is in a list or among a query's; raises TooLarge for a long list."""
    operand = reading.expression(node.this)
    query = node.args.get("query")
    if query is None and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Subquery):
        query = node.expressions[0]  # IN ((SELECT …))
    if query is not None:
        return tree.InQuery(operand, reading.query(query))
    if not node.expressions:
        raise BadSyntax("The list behind IN is empty.")
    if len(node.expressions) > MAX_ITEMS:
        raise TooLarge(f"A list behind IN has more than {MAX_ITEMS} values.")
    return tree.InList(operand, tuple(reading.expression(one) for one in node.expressions))


def read_like(reading: Reading, node: exp.Like | exp.ILike) -> tree.Expression:
    """Whether a text is like a pattern; raises Refused for one that is worked out, long or wild."""
    return _like_with(reading, node, "")


def read_escape(reading: Reading, node: exp.Escape) -> tree.Expression:
    """Whether a text is like a pattern with an escape of its own; raises Refused."""
    escape = node.expression
    if not isinstance(node.this, exp.Like | exp.ILike) or not isinstance(escape, exp.Literal) or len(escape.name) > 1:
        raise NotAllowed("ESCAPE is one character in quotes behind a LIKE here.")
    check_filled(node.this, _LIKE_ARGUMENTS)
    return _like_with(reading, node.this, escape.name)


def _like_with(reading: Reading, node: exp.Like | exp.ILike, escape: str) -> tree.Expression:
    pattern = _written(reading, node.expression)
    if pattern is None:
        raise NotAllowed(
            "The pattern behind LIKE is a text in single quotes here, nothing that is worked out; "
            "CHARINDEX looks for the text of a column."
        )
    if len(pattern) > MAX_LIKE:
        raise TooLarge(f"A pattern behind LIKE is longer than {MAX_LIKE} characters.")
    pieces = like_pieces(pattern, escape)
    if sum(not isinstance(piece, str) for piece in pieces) > MAX_WILDCARDS:
        raise TooLarge(f"A pattern behind LIKE has more than {MAX_WILDCARDS} wildcards.")
    return tree.Like(reading.expression(node.this), pieces, bool(node.args.get("negate")))


def _written(reading: Reading, node: exp.Expr) -> str | None:
    """The text that a pattern is, joined from texts of the statement if need be; None for any other."""
    reading.count()
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else None
    if isinstance(node, exp.Paren):
        return _written(reading, node.this)
    parts = [node.left, node.right] if isinstance(node, exp.Add | exp.DPipe) else []
    if isinstance(node, exp.Anonymous) and str(node.this).upper() == "CONCAT":
        parts = node.expressions
    texts = [_written(reading, part) for part in parts]
    return "".join(text for text in texts if text is not None) if texts and None not in texts else None


# A character that stands for itself, as MySQL and T-SQL write it, or any other.
_LIST = r"(?P<list>\[[^\]]+\])"
_PIECE = rf"\\(?P<backslashed>[%_])|\[(?P<bracketed>[%_[])\]|{_LIST}|(?P<plain>.)"
_LIKE_ARGUMENTS = frozenset({"this", "expression", "negate"})


def _no_list(text: str, escape: str) -> NotAllowed:
    written = f"{escape}[" if escape else "[[]"
    return NotAllowed(
        f"A list of characters such as {shown(text)} is not possible in a LIKE pattern here; "
        f"{written} stands for the bracket itself."
    )


def like_pieces(pattern: str, escape: str) -> tuple[str | bool | None, ...]:
    """A LIKE pattern as tree.Like has it.

    Without an ESCAPE, a backslash escapes % and _ only, as MySQL's does, and T-SQL's brackets around one of %, _
    and [ do. Any other pair of brackets is refused, since it means a list of characters in T-SQL alone.
    """
    form = rf"{re.escape(escape)}(?P<escaped>.)|{_LIST}|(?P<plain>.)" if escape else _PIECE
    pieces: list[str | bool | None] = []
    for match in re.finditer(form, pattern, re.DOTALL):
        character = str(match[match.lastgroup or 0])
        if match["list"]:
            raise _no_list(character, escape)
        if match["plain"] == "%":
            pieces += [] if pieces and pieces[-1] is None else [None]
        elif match["plain"] == "_":
            pieces.append(True)
        elif pieces and isinstance(last := pieces[-1], str):
            pieces[-1] = last + character
        else:
            pieces.append(character)
    return tuple(pieces)
