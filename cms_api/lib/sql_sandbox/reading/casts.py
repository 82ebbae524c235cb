"""Values as another type: CAST, `::`, CONVERT with its styles, and DATE before a text; names of types."""

from dataclasses import dataclass

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading import dates
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MAX_LENGTH = 8000


@dataclass(frozen=True)
class Type:
    kind: Kind
    day_only: bool = False
    rounds: bool = False  # whether (precision, scale) may follow, and cut the number's decimals


INTEGER = Type(Kind.INTEGER)
NUMBER = Type(Kind.NUMBER)
EXACT = Type(Kind.NUMBER, rounds=True)
TEXT = Type(Kind.TEXT)
DAY = Type(Kind.DATE, day_only=True)
MOMENT = Type(Kind.DATE)

TYPES: dict[str, Type] = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "INT2", "INT4", "INT8"), INTEGER),
    **dict.fromkeys(("SIGNED", "SIGNED INTEGER", "UNSIGNED", "UNSIGNED INTEGER"), INTEGER),
    **dict.fromkeys(("FLOAT", "REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT4", "FLOAT8"), NUMBER),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "DEC", "NUMBER"), EXACT),
    **dict.fromkeys(("VARCHAR", "NVARCHAR", "CHAR", "NCHAR", "CHARACTER", "CHARACTER VARYING", "CHAR VARYING"), TEXT),
    **dict.fromkeys(("TEXT", "NTEXT", "LONGTEXT", "STRING"), TEXT),
    "DATE": DAY,
    **dict.fromkeys(("DATETIME", "DATETIME2", "SMALLDATETIME", "TIMESTAMP"), MOMENT),
}

# The second words of the names above.
SECOND_WORDS = frozenset(name.split()[1] for name in TYPES if " " in name)


def read_cast(reading: Reading, node: exp.Cast) -> tree.Expression:
    """A value as another type, cut or rounded as the type's sizes say; raises Refused."""
    name = str(node.to.args["kind"])
    kind = TYPES.get(name)
    if kind is None:
        raise NotAllowed(f"The type {shown(name)} is not known here.")
    operand = reading.expression(node.this)
    if len(node.to.expressions) > (2 if kind.rounds else 1):
        raise BadSyntax("A type has too many sizes.")
    sizes = [_size(one) for one in node.to.expressions]
    if style := node.args.get("format"):
        operand = _with_style(operand, kind.kind, dates.style_of(style))
    if kind.kind == Kind.TEXT:
        return tree.Cast(operand, kind.kind, length=sizes[0] if sizes else None)
    number = tree.Cast(operand, kind.kind, day_only=kind.day_only, may_fail=isinstance(node, exp.TryCast))
    if kind.rounds and sizes:
        return tree.Call("round", (number, tree.Literal(sizes[1] if len(sizes) > 1 else 0)))
    return number


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
