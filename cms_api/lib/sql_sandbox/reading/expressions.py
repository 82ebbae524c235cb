"""The rules of expressions: which of sqlglot's nodes may be there, and what they become."""

from dataclasses import replace
from math import isfinite
from typing import Literal

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.reading import dates
from cms_api.lib.sql_sandbox.reading.casts import read_cast
from cms_api.lib.sql_sandbox.reading.functions import FUNCTIONS, WINDOW_FUNCTIONS, read_function
from cms_api.lib.sql_sandbox.reading.predicates import read_between, read_escape, read_in, read_is, read_like
from cms_api.lib.sql_sandbox.reading.rules import Reading, Rule, Rules, check_filled, rule
from cms_api.lib.sql_sandbox.reading.tokens import NUMBER
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MAX_DIGITS = 19
LARGEST = 2**63 - 1
SCHEMA = "dbo"  # the only qualifier, which is dropped

Operator = Literal["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "and", "or"]


def _literal(reading: Reading, node: exp.Literal) -> tree.Literal:
    return tree.Literal(node.name if node.is_string else _number(node.name))


def _number(text: str) -> int | float:
    if not NUMBER.fullmatch(text):
        raise BadSyntax(f"{shown(text)} is not a number.")  # .5.25
    is_whole = text.isdecimal()
    number = int(text) if is_whole and len(text) <= MAX_DIGITS else float(text)
    if number <= LARGEST if is_whole else isfinite(number):
        return number
    raise NotAllowed(f"The number {shown(text)} is too large.")


def _column(reading: Reading, node: exp.Column) -> tree.ColumnName:
    if not isinstance(node.this, exp.Identifier):
        raise NotAllowed("* is possible only among the columns of a SELECT, and in COUNT(*).")
    return tree.ColumnName(node.name, relation_of(node), is_quoted=bool(node.this.args.get("quoted")))


def relation_of(node: exp.Column) -> str:
    """The name of a column's relation; raises NotAllowed for a schema that is not dbo."""
    check_schema(node)
    return node.table


def check_schema(node: exp.Column | exp.Table) -> None:
    """Raises NotAllowed if the name of a table or column has a schema that is not dbo."""
    if node.db and node.db.casefold() != SCHEMA:
        raise NotAllowed(f"{shown(node.db)} is not possible before a table's name; only dbo is.")


def _binary(operator: Operator) -> Rule:
    def read(reading: Reading, node: exp.Binary) -> tree.Expression:
        return tree.Binary(operator, reading.expression(node.left), reading.expression(node.right))

    return rule(read, "this expression safe typed")


def _sum(operator: Literal["+", "-"]) -> Rule:
    def read(reading: Reading, node: exp.Binary) -> tree.Expression:
        if isinstance(node.right, exp.Interval):
            return dates.add_interval(reading, reading.expression(node.left), node.right, 1 if operator == "+" else -1)
        if isinstance(node.left, exp.Interval) and operator == "+":
            return dates.add_interval(reading, reading.expression(node.right), node.left)
        return tree.Binary(operator, reading.expression(node.left), reading.expression(node.right))

    return rule(read, "this expression")


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
    branches = tuple(_branch(reading, operand, one) for one in node.args["ifs"])
    if not branches:
        raise BadSyntax("A CASE has no WHEN.")
    default = node.args.get("default")
    return tree.Case(branches, None if default is None else reading.expression(default))


def _branch(reading: Reading, operand: tree.Expression | None, node: exp.If) -> tuple[tree.Expression, tree.Expression]:
    check_filled(node, frozenset({"this", "true"}))
    condition = reading.expression(node.this)
    if operand is not None:
        condition = tree.Binary("=", operand, condition)
    return condition, reading.expression(node.args.get("true"))


# ---- Windows and sort keys


def _window(reading: Reading, node: exp.Window) -> tree.Expression:
    """A function with its window; raises Refused."""
    if not isinstance(node.this, exp.Anonymous):
        raise NotAllowed("Only a function is possible before OVER.")
    reading.count()
    function = read_function(reading, node.this, FUNCTIONS | WINDOW_FUNCTIONS)
    if not isinstance(function, tree.Aggregate) and str(node.this.this).upper() not in WINDOW_FUNCTIONS:
        raise NotAllowed(f"The function {shown(str(node.this.this))} is not possible before OVER.")
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
    check_filled(node, frozenset({"kind", "start", "start_side", "end", "end_side"}))
    start, end = _edge(node, "start"), _edge(node, "end") if node.args.get("end") else tree.Edge.CURRENT_ROW
    unit = str(node.args["kind"]).upper()
    if start is None or end is None or unit not in ("ROWS", "RANGE"):
        raise NotAllowed("A frame is ROWS or RANGE with UNBOUNDED PRECEDING, CURRENT ROW, UNBOUNDED FOLLOWING here.")
    return tree.Frame("ROWS" if unit == "ROWS" else "RANGE", start, end)


def _edge(node: exp.WindowSpec, name: str) -> tree.Edge | None:
    value, side = node.args.get(name), node.args.get(f"{name}_side")
    return _EDGES.get((value, str(side or "").upper())) if isinstance(value, str) else None


def read_order(reading: Reading, node: exp.Order | None) -> tuple[tree.OrderItem, ...]:
    """The sort keys of an ORDER BY, none for none."""
    if node is None:
        return ()
    check_filled(node, frozenset({"expressions"}))
    if not node.expressions:
        raise BadSyntax("Something is missing behind ORDER BY.")
    items = []
    for item in node.expressions:
        # `nulls_first` is sqlglot's own guess: the words NULLS FIRST do not come as far as this.
        check_filled(item, frozenset({"this", "desc", "nulls_first"}))
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
    exp.Add: _sum("+"),
    exp.Sub: _sum("-"),
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
    exp.Cast: rule(read_cast, "this to format"),
    exp.TryCast: rule(read_cast, "this to format"),
    exp.Anonymous: rule(read_function, "this expressions"),
    exp.Window: rule(_window, "this partition_by order spec over"),
}
