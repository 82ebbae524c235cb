"""Values as another type: CAST, `::`, CONVERT with its styles, and DATE before a text."""

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading import dates
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.reading.type_names import TYPES
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MAX_LENGTH = 8000


def read_cast(reading: Reading, node: exp.Cast) -> tree.Expression:
    """A value as another type, cut or rounded as the type's sizes say; raises Refused."""
    name = str(node.to.args["kind"])
    kind = TYPES.get(name)
    if kind is None:
        raise NotAllowed(f"The type {shown(name)} is not known here.")
    operand = reading.expression(node.this)
    sizes = _sizes(node.to.expressions, 2 if kind.rounds else 1)
    if style := node.args.get("format"):
        operand = _with_style(operand, kind.kind, dates.style_of(style))
    if kind.kind == Kind.TEXT:
        return tree.Cast(operand, kind.kind, length=sizes[0] if sizes else None)
    number = tree.Cast(operand, kind.kind, day_only=kind.day_only, may_fail=isinstance(node, exp.TryCast))
    if kind.rounds and sizes:
        return tree.Call("round", (number, tree.Literal(sizes[1] if len(sizes) > 1 else 0)))
    return number


def _sizes(nodes: list[exp.Expr], most: int) -> list[int | None]:
    if len(nodes) > most:
        raise BadSyntax("A type has too many sizes.")
    return [_size(one) for one in nodes]


def _size(node: exp.Expr | None) -> int | None:
    if isinstance(node, exp.Var):
        return None  # MAX
    if not isinstance(node, exp.Literal) or not node.name.isdecimal() or len(node.name) > 5:
        raise BadSyntax("The size of a type is a whole number.")
    return min(int(node.name), MAX_LENGTH)


def _with_style(operand: tree.Expression, kind: Kind, style: int) -> tree.Expression:
    if kind == Kind.TEXT:
        return tree.Call("format_date", (operand, tree.Literal(dates.STYLES[style])))
    if kind != Kind.DATE or style not in dates.YEAR_FIRST:
        raise NotAllowed(f"The style {style} of CONVERT is not possible with this type.")
    return operand
