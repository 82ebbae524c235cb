import re

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.reading.rules import Reading, check_filled
from sql_sandbox.refusals import BadSyntax, NotAllowed, TooLarge, shown

MAX_ITEMS = 200
MAX_LIKE = 100
MAX_WILDCARDS = 8


def read_is(reading: Reading, node: exp.Is) -> tree.Expression:
    if not isinstance(node.expression, exp.Null):
        raise NotAllowed("Only NULL and NOT NULL are allowed after IS.")
    return tree.IsNull(reading.expression(node.this), bool(node.args.get("negate")))


def read_between(reading: Reading, node: exp.Between) -> tree.Expression:
    operand, low, high = (reading.expression(node.args.get(name)) for name in ("this", "low", "high"))
    return tree.Between(operand, low, high)


def read_in(reading: Reading, node: exp.In) -> tree.Expression:
    operand = reading.expression(node.this)
    query = node.args.get("query")
    if query is None and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Subquery):
        query = node.expressions[0]  # IN ((SELECT …))
    if query is not None:
        return tree.InQuery(operand, reading.query(query))
    if not node.expressions:
        raise BadSyntax("The list after IN is empty.")
    if len(node.expressions) > MAX_ITEMS:
        raise TooLarge(f"A list after IN has more than {MAX_ITEMS} values.")
    return tree.InList(operand, tuple(reading.expression(one) for one in node.expressions))


def read_escape(reading: Reading, node: exp.Escape) -> tree.Expression:
    escape = node.expression
    if not isinstance(node.this, exp.Like | exp.ILike) or not isinstance(escape, exp.Literal) or len(escape.name) > 1:
        raise NotAllowed("ESCAPE must be a single quoted character after a LIKE.")
    check_filled(node.this, "this", "expression", "negate")
    return read_like(reading, node.this, escape.name)


def read_like(reading: Reading, node: exp.Like | exp.ILike, escape: str = "") -> tree.Expression:
    """Read a LIKE; raise Refused for a pattern that is computed, too long or has too many wildcards."""
    pattern = _written(reading, node.expression)
    if pattern is None:
        raise NotAllowed(
            "The pattern after LIKE must be a text literal; use CHARINDEX to search for the text of a column."
        )
    if len(pattern) > MAX_LIKE:
        raise TooLarge(f"A pattern after LIKE is longer than {MAX_LIKE} characters.")
    pieces = like_pieces(pattern, escape)
    if sum(not isinstance(piece, str) for piece in pieces) > MAX_WILDCARDS:
        raise TooLarge(f"A pattern after LIKE has more than {MAX_WILDCARDS} wildcards.")
    return tree.Like(reading.expression(node.this), pieces, bool(node.args.get("negate")))


def _written(reading: Reading, node: exp.Expr) -> str | None:
    """Return a pattern joined from literal texts; None for any other node."""
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


# A literal character in MySQL's or T-SQL's form, or any other character.
_LIST = r"(?P<list>\[[^\]]+\])"
_PIECE = rf"\\(?P<backslashed>[%_])|\[(?P<bracketed>[%_[])\]|{_LIST}|(?P<plain>.)"


def like_pieces(pattern: str, escape: str) -> tuple[str | bool | None, ...]:
    """Return a LIKE pattern in the form of tree.Like.

    Without ESCAPE, % and _ are escaped by a backslash (MySQL), and %, _ and [ by brackets (T-SQL). Any other brackets
    are refused: they mean a list of characters in T-SQL only.
    """
    form = rf"{re.escape(escape)}(?P<escaped>.)|{_LIST}|(?P<plain>.)" if escape else _PIECE
    pieces: list[str | bool | None] = []
    for match in re.finditer(form, pattern, re.DOTALL):
        character = str(match[match.lastgroup or 0])
        if match["list"]:
            raise NotAllowed(
                f"A list of characters such as {shown(character)} is not supported in LIKE patterns; write "
                f"{escape + '[' if escape else '[[]'} for the bracket itself."
            )
        if match["plain"] == "%":
            pieces += [] if pieces and pieces[-1] is None else [None]
        elif match["plain"] == "_":
            pieces.append(True)
        elif pieces and isinstance(last := pieces[-1], str):
            pieces[-1] = last + character
        else:
            pieces.append(character)
    return tuple(pieces)
