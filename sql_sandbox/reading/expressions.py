"""The sqlglot nodes that may occur in expressions, and how each becomes one of ours."""

from dataclasses import replace
from math import isfinite

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.reading import dates
from sql_sandbox.reading.functions import FUNCTIONS, WINDOW_FUNCTIONS, read_function
from sql_sandbox.reading.grammar import TYPES
from sql_sandbox.reading.predicates import read_between, read_escape, read_in, read_is, read_like
from sql_sandbox.reading.rules import Reading, Rule, Rules, check_filled, rule
from sql_sandbox.reading.tokens import NUMBER
from sql_sandbox.refusals import BadSyntax, NotAllowed, shown

LARGEST = 2**63 - 1
MAX_LENGTH = 8000  # of a type


def _literal(reading: Reading, node: exp.Literal) -> tree.Literal:
    text = node.name
    if node.is_string:
        return tree.Literal(text)
    if not NUMBER.fullmatch(text):
        raise BadSyntax(f"{shown(text)} is not a number.")  # .5.25
    is_whole = text.isdecimal()
    number = int(text) if is_whole and len(text) <= len(str(LARGEST)) else float(text)
    if number <= LARGEST if is_whole else isfinite(number):
        return tree.Literal(number)
    raise NotAllowed(f"The number {shown(text)} is too large.")


def _column(reading: Reading, node: exp.Column) -> tree.ColumnName:
    if not isinstance(node.this, exp.Identifier):
        raise NotAllowed("* is allowed only in the column list of a SELECT and in COUNT(*).")
    check_schema(node)
    return tree.ColumnName(node.name, node.table, is_quoted=bool(node.this.args.get("quoted")))


def check_schema(node: exp.Column | exp.Table) -> None:
    """Raise NotAllowed if a table or column name has a schema other than dbo."""
    if node.db and node.db.casefold() != "dbo":
        raise NotAllowed(f"{shown(node.db)} is not allowed before a table's name; only dbo is.")


def _binary(operator: tree.Operator) -> Rule:
    def read(reading: Reading, node: exp.Binary) -> tree.Expression:
        if isinstance(node.right, exp.Interval) and operator in ("+", "-"):
            return dates.add_interval(reading, reading.expression(node.left), node.right, 1 if operator == "+" else -1)
        if isinstance(node.left, exp.Interval) and operator == "+":
            return dates.add_interval(reading, reading.expression(node.right), node.left)
        return tree.Binary(operator, reading.expression(node.left), reading.expression(node.right))

    return rule(read, "this expression safe typed")


def _negative(reading: Reading, node: exp.Neg) -> tree.Expression:
    operand = reading.expression(node.this)
    if isinstance(operand, tree.Literal) and type(operand.value) in (int, float):
        return tree.Literal(-operand.value)  # type: ignore[operator]  # a number, as the line above says
    return tree.Unary("-", operand)


def _not(reading: Reading, node: exp.Not) -> tree.Expression:
    operand = reading.expression(node.this)
    if isinstance(operand, tree.IsNull | tree.Between | tree.Like | tree.InList | tree.InQuery):
        return replace(operand, negated=not operand.negated)
    return tree.Unary("not", operand)


def _case(reading: Reading, node: exp.Case) -> tree.Expression:
    operand = node.this and reading.expression(node.this)
    branches = []
    for branch in node.args["ifs"]:
        check_filled(branch, "this", "true")
        condition = reading.expression(branch.this)
        if operand is not None:
            condition = tree.Binary("=", operand, condition)
        branches.append((condition, reading.expression(branch.args.get("true"))))
    if not branches:
        raise BadSyntax("A CASE has no WHEN.")
    default = node.args.get("default")
    return tree.Case(tuple(branches), None if default is None else reading.expression(default))


def _cast(reading: Reading, node: exp.Cast) -> tree.Expression:
    """Read CAST, `::`, CONVERT with its styles, and DATE before a text."""
    name = str(node.to.args["kind"])
    type_ = TYPES.get(name)
    if type_ is None:
        raise NotAllowed(f"The type {shown(name)} is not supported.")
    kind, day_only, rounds = type_
    operand = reading.expression(node.this)
    if len(node.to.expressions) > (2 if rounds else 1):
        raise BadSyntax("A type has too many sizes.")
    sizes = [_size(one) for one in node.to.expressions]
    if written := node.args.get("format"):
        style = dates.style_of(written)
        if kind == ValueKind.TEXT:
            operand = tree.Call("format_date", (operand, tree.Literal(dates.STYLES[style])))
        elif kind != ValueKind.DATE or style not in dates.YEAR_FIRST:
            raise NotAllowed(f"The style {style} of CONVERT is not supported with this type.")
    if kind == ValueKind.TEXT:
        return tree.Cast(operand, kind, length=sizes[0] if sizes else None)
    cast = tree.Cast(operand, kind, day_only=day_only, may_fail=isinstance(node, exp.TryCast))
    if rounds and sizes:
        return tree.Call("round", (cast, tree.Literal(sizes[1] if len(sizes) > 1 else 0)))
    return cast


def _size(node: exp.Expr | None) -> int | None:
    if isinstance(node, exp.Var):
        return None  # MAX
    if not isinstance(node, exp.Literal) or not node.name.isdecimal() or len(node.name) > 5:
        raise BadSyntax("The size of a type must be a whole number.")
    return min(int(node.name), MAX_LENGTH)


def _window(reading: Reading, node: exp.Window) -> tree.Expression:
    if not isinstance(node.this, exp.Anonymous):
        raise NotAllowed("Only a function is allowed before OVER.")
    reading.count()
    function = read_function(reading, node.this, FUNCTIONS | WINDOW_FUNCTIONS)
    if not isinstance(function, tree.Aggregate) and str(node.this.this).upper() not in WINDOW_FUNCTIONS:
        raise NotAllowed(f"The function {shown(str(node.this.this))} is not supported before OVER.")
    partition = tuple(reading.expression(one) for one in node.args.get("partition_by") or ())
    spec = node.args.get("spec")
    order = read_order(reading, node.args.get("order"))
    return tree.Window(function, partition, order, spec and _frame(spec))  # type: ignore[arg-type]  # checked above


_EDGES = {
    ("UNBOUNDED", "PRECEDING"): tree.Edge.UNBOUNDED_PRECEDING,
    ("CURRENT ROW", ""): tree.Edge.CURRENT_ROW,
    ("UNBOUNDED", "FOLLOWING"): tree.Edge.UNBOUNDED_FOLLOWING,
}


def _frame(node: exp.WindowSpec) -> tree.Frame:
    check_filled(node, "kind", "start", "start_side", "end", "end_side")
    start, end = _edge(node, "start"), _edge(node, "end") if node.args.get("end") else tree.Edge.CURRENT_ROW
    unit = str(node.args["kind"]).upper()
    if start is None or end is None or unit not in ("ROWS", "RANGE"):
        raise NotAllowed("A frame must be ROWS or RANGE with UNBOUNDED PRECEDING, CURRENT ROW or UNBOUNDED FOLLOWING.")
    return tree.Frame("ROWS" if unit == "ROWS" else "RANGE", start, end)


def _edge(node: exp.WindowSpec, name: str) -> tree.Edge | None:
    value, side = node.args.get(name), node.args.get(f"{name}_side")
    return _EDGES.get((value, str(side or "").upper())) if isinstance(value, str) else None


def read_order(reading: Reading, node: exp.Order | None) -> tuple[tree.OrderItem, ...]:
    if node is None:
        return ()
    check_filled(node, "expressions")
    if not node.expressions:
        raise BadSyntax("Something is missing after ORDER BY.")
    items = []
    for item in node.expressions:
        # `nulls_first` is sqlglot's own guess: the words NULLS FIRST never get here.
        check_filled(item, "this", "desc", "nulls_first")
        items.append(tree.OrderItem(reading.expression(item.this), bool(item.args.get("desc"))))
    return tuple(items)


EXPRESSIONS: Rules = {
    exp.Literal: rule(_literal, "this is_string"),
    exp.Boolean: rule(lambda reading, node: tree.Literal(bool(node.this))),
    exp.Null: rule(lambda reading, node: tree.Literal(None)),
    exp.Column: rule(_column, "this table db"),
    exp.Paren: rule(lambda reading, node: reading.expression(node.this)),
    exp.Neg: rule(_negative),
    exp.Not: rule(_not),
    exp.Add: _binary("+"),
    exp.Sub: _binary("-"),
    exp.Mul: _binary("*"),
    exp.Div: _binary("/"),
    exp.Mod: _binary("%"),
    exp.DPipe: _binary("||"),
    exp.EQ: _binary("="),
    exp.NEQ: _binary("<>"),
    exp.LT: _binary("<"),
    exp.LTE: _binary("<="),
    exp.GT: _binary(">"),
    exp.GTE: _binary(">="),
    exp.And: _binary("and"),
    exp.Or: _binary("or"),
    exp.Is: rule(read_is, "this expression negate"),
    exp.Between: rule(read_between, "this low high"),
    exp.In: rule(read_in, "this expressions query"),
    exp.Like: rule(read_like, "this expression negate"),
    exp.ILike: rule(read_like, "this expression negate"),
    exp.Escape: rule(read_escape, "this expression"),
    exp.Exists: rule(lambda reading, node: tree.Exists(reading.query(node.this))),
    exp.Subquery: rule(lambda reading, node: tree.Scalar(reading.query(node)), "this order limit offset"),
    exp.Case: rule(_case, "this ifs default"),
    exp.Cast: rule(_cast, "this to format"),
    exp.TryCast: rule(_cast, "this to format"),
    exp.Anonymous: rule(read_function, "this expressions"),
    exp.Window: rule(_window, "this partition_by order spec over"),
}
