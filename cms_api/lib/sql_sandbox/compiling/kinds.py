"""Brings values to one kind, so that both engines compare and combine them alike."""

from collections.abc import Iterable, Sequence
from functools import reduce

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import literals
from cms_api.lib.sql_sandbox.compiling.bound import Constant, Expression, Operation, Reference
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

_TEXTS = frozenset({Kind.TEXT, Kind.JSON, Kind.FLAG})
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})
_WORDS = {
    Kind.INTEGER: "a whole number",
    Kind.NUMBER: "a number",
    Kind.TEXT: "a text",
    Kind.FLAG: "True or False",
    Kind.JSON: "a JSON object",
    Kind.DATE: "a date",
    Kind.BOOLEAN: "a condition",
    Kind.NULL: "NULL",
}

# From one kind to another in one step; other ways lead through the kind given here.
_STEPS: dict[tuple[Kind, Kind], str] = {
    (Kind.INTEGER, Kind.NUMBER): "integer as number",
    (Kind.INTEGER, Kind.TEXT): "integer as text",
    (Kind.INTEGER, Kind.BOOLEAN): "integer as condition",
    (Kind.NUMBER, Kind.INTEGER): "number as integer",
    (Kind.NUMBER, Kind.TEXT): "number as text",
    (Kind.NUMBER, Kind.BOOLEAN): "integer as condition",
    (Kind.TEXT, Kind.INTEGER): "text as integer",
    (Kind.TEXT, Kind.NUMBER): "text as number",
    (Kind.TEXT, Kind.DATE): "text as date",
    (Kind.DATE, Kind.TEXT): "date as text",
    (Kind.FLAG, Kind.TEXT): "as text",
    (Kind.FLAG, Kind.INTEGER): "flag as integer",
    (Kind.FLAG, Kind.BOOLEAN): "flag as condition",
    (Kind.JSON, Kind.TEXT): "as text",
    (Kind.BOOLEAN, Kind.INTEGER): "condition as integer",
    (Kind.BOOLEAN, Kind.FLAG): "condition as flag",
}
_THROUGH = {
    (Kind.FLAG, Kind.NUMBER): Kind.INTEGER,
    (Kind.BOOLEAN, Kind.NUMBER): Kind.INTEGER,
    (Kind.BOOLEAN, Kind.TEXT): Kind.FLAG,
    (Kind.JSON, Kind.INTEGER): Kind.TEXT,
    (Kind.JSON, Kind.NUMBER): Kind.TEXT,
    (Kind.JSON, Kind.DATE): Kind.TEXT,
}


def convert(expression: Expression, kind: Kind) -> Expression:
    """The expression as another kind; a constant is read when compiling. Raises NotAllowed where there is no way."""
    if expression.kind is kind:
        return expression
    if isinstance(expression, Constant):
        return _convert_constant(expression, kind)
    if step := _STEPS.get((expression.kind, kind)):
        return Operation(step, (expression,), kind)
    if through := _THROUGH.get((expression.kind, kind)):
        return convert(convert(expression, through), kind)
    raise NotAllowed(f"{described(expression)} is {_WORDS[expression.kind]} and cannot be used as {_WORDS[kind]}.")


def _convert_constant(constant: Constant, kind: Kind) -> Expression:
    if constant.kind is Kind.NUMBER and kind in (Kind.TEXT, Kind.INTEGER) and constant.value is not None:
        return Operation(_STEPS[Kind.NUMBER, kind], (constant,), kind)
    if constant.kind is Kind.DATE and kind is Kind.TEXT:
        return Constant(constant.value, kind)
    if constant.kind is Kind.BOOLEAN and kind is Kind.FLAG and constant.value is not None:
        return Constant(str(constant.value), kind)
    read = literals.read(constant, kind)
    if read is None:
        raise NotAllowed(f"{shown(str(constant.value))} cannot be read as {_WORDS[kind]}.")
    return convert(read, kind) if read.kind in _NUMBERS else read


def described(expression: Expression) -> str:
    """How a refusal names an expression: a column by its name, a constant by its value."""
    if isinstance(expression, Reference):
        return f"Column {shown(expression.offer.name)}"
    return shown(str(expression.value)) if isinstance(expression, Constant) else "A value"


def condition(expression: Expression) -> Expression:
    """The expression where the statement needs a condition: flags and numbers may be ones."""
    if expression.kind in (Kind.TEXT, Kind.JSON, Kind.DATE):
        raise NotAllowed(f"{described(expression)} is {_WORDS[expression.kind]}, where a condition is needed.")
    return convert(expression, Kind.BOOLEAN)


def numeric(expression: Expression) -> Expression:
    """The expression as a number: texts are read, NULL where that is not possible."""
    if expression.kind in _NUMBERS:
        return expression
    if isinstance(expression, Constant):
        read = literals.read(expression, Kind.INTEGER)
        if read is None or expression.kind is Kind.DATE:
            raise NotAllowed(f"{shown(str(expression.value))} is not a number.")
        return read
    return convert(expression, Kind.NUMBER if expression.kind in (Kind.TEXT, Kind.JSON) else Kind.INTEGER)


def common(first: Kind, second: Kind) -> Kind:
    """The kind that values of both kinds can be brought to."""
    pair = {first, second} - {Kind.NULL}
    if len(pair) < 2:
        return next(iter(pair), Kind.NULL)
    if pair <= {Kind.FLAG, Kind.BOOLEAN}:
        return Kind.BOOLEAN
    if pair <= _NUMBERS | {Kind.FLAG, Kind.BOOLEAN}:
        return Kind.NUMBER if Kind.NUMBER in pair else Kind.INTEGER
    if Kind.BOOLEAN in pair and Kind.DATE in pair:
        raise NotAllowed("A condition and a date do not go together.")
    return Kind.TEXT


def merge(values: Sequence[Expression]) -> tuple[Kind, tuple[Expression, ...]]:
    """Alternatives of one value, as the branches of a CASE are, brought to one kind."""
    kind = reduce(common, (one.kind for one in values if not isinstance(one, Constant)), Kind.NULL)
    for value in values:
        if isinstance(value, Constant) and value.value is not None:
            kind = _widened(kind, value)
    kind = Kind.TEXT if kind is Kind.NULL else kind
    return kind, tuple(convert(one, kind) for one in values)


def _widened(kind: Kind, constant: Constant) -> Kind:
    """The kind that a constant leaves: its neighbours' when it can be read so, else one that has room for it."""
    read = None if kind in (Kind.NULL, Kind.TEXT) else literals.read(constant, kind)
    return common(kind, read.kind if read else constant.kind)


# ---- Comparing


def comparable(left: Expression, right: Expression, ordered: bool = False) -> tuple[Expression, Expression]:
    """Two values as they are compared; `ordered` when it matters which one is greater.

    A constant is read as the kind of what it stands beside. Raises NotAllowed where it cannot be.
    """
    left, right = _plain(left), _plain(right)
    if isinstance(left, Constant) and not isinstance(right, Constant):
        second, first = comparable(right, left, ordered)
        return first, second
    if isinstance(right, Constant):
        left, right = _beside_constant(left, right, ordered)
    kind = common(left.kind, right.kind)
    kind = Kind.TEXT if kind is Kind.NULL else kind
    return convert(left, kind), convert(right, kind)


def _plain(expression: Expression) -> Expression:
    return convert(expression, Kind.TEXT) if expression.kind is Kind.JSON else expression


def _beside_constant(left: Expression, right: Constant, ordered: bool) -> tuple[Expression, Expression]:
    if right.value is None or left.kind is right.kind:
        return left, right
    if left.kind is Kind.TEXT and right.kind in _NUMBERS and ordered:
        return numeric(left), right
    # Between constants, '5' and 5, it is the text that is read.
    if left.kind is Kind.TEXT and isinstance(left, Constant):
        return literals.read(left, right.kind) or left, right
    read = literals.read(right, left.kind)
    if read is None and left.kind not in _TEXTS | {Kind.NULL}:
        text = shown(str(right.value))
        hint = "" if text else " IS NULL and IS NOT NULL ask whether there is a value."
        raise NotAllowed(
            f"{described(left)} is {_WORDS[left.kind]}, and {text or 'an empty text'} cannot be compared with it.{hint}"
        )
    return left, read or right


def in_order(expression: Expression) -> Expression:
    """The expression where its place among others matters: texts go by code points on both engines."""
    if expression.kind in _TEXTS:
        return Operation("sorted", (convert(expression, Kind.TEXT),), Kind.TEXT)
    return expression


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right` as a condition."""
    ordered = operator not in ("=", "<>")
    first, second = comparable(left, right, ordered)
    first = in_order(first) if ordered else first
    return Operation(operator, (first, second), Kind.BOOLEAN)


def all_of(conditions: Iterable[Expression], operator: str = "and") -> Expression:
    """Conditions joined by AND or OR; at least one."""
    return reduce(lambda left, right: Operation(operator, (left, right), Kind.BOOLEAN), conditions)
