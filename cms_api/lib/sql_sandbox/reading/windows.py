"""Windows and sort keys: OVER, its frame, and ORDER BY."""

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.reading.functions import FUNCTIONS, WINDOW_FUNCTIONS, read_function
from cms_api.lib.sql_sandbox.reading.rules import Reading, check_filled
from cms_api.lib.sql_sandbox.refusals import BadSyntax, NotAllowed
from cms_api.lib.sql_sandbox.wording import shown


def read_window(reading: Reading, node: exp.Window) -> tree.Expression:
    """A function with its window; raises Refused."""
    if not isinstance(node.this, exp.Anonymous):
        raise NotAllowed("Only a function is possible before OVER.")
    reading.count_node()
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
    return tuple(_order_item(reading, one) for one in node.expressions)


def _order_item(reading: Reading, node: exp.Ordered) -> tree.OrderItem:
    # `nulls_first` is sqlglot's own guess: the words NULLS FIRST do not come as far as this.
    check_filled(node, frozenset({"this", "desc", "nulls_first"}))
    return tree.OrderItem(reading.expression(node.this), bool(node.args.get("desc")))
