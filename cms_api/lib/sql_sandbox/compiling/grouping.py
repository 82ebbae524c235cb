"""What a SELECT with groups may show: a column outside GROUP BY has no single value in a group."""

from collections.abc import Iterable

from cms_api.lib.sql_sandbox.compiling import bound
from cms_api.lib.sql_sandbox.compiling.bound import Aggregated, Expression, Nested, Reference, Windowed
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown


def has_aggregates(expression: Expression) -> bool:
    """Whether an expression makes its SELECT one of groups; an aggregate over a window does not."""
    if isinstance(expression, Aggregated):
        return True
    if isinstance(expression, Windowed):
        inner = list(bound.parts(expression))[1:] + list(bound.parts(expression.function))
        return any(has_aggregates(one) for one in inner)
    return any(has_aggregates(part) for part in bound.parts(expression))


def check(expressions: Iterable[Expression], group: tuple[Expression, ...], own: frozenset[str]) -> None:
    """Raises NotAllowed for a column of the relations `own` that has no single value in a group."""
    for expression in expressions:
        _check(expression, group, own)


def _check(expression: Expression, group: tuple[Expression, ...], own: frozenset[str]) -> None:
    if expression in group or isinstance(expression, Aggregated):
        return
    for reference in _direct(expression):
        if reference.relation in own and reference not in group:
            raise NotAllowed(
                f"Column {shown(reference.offer.name)} is neither in GROUP BY nor inside an aggregate such as MAX."
            )
    if isinstance(expression, Windowed):
        check(list(bound.parts(expression))[1:] + list(bound.parts(expression.function)), group, own)
        return
    check(bound.parts(expression), group, own)


def _direct(expression: Expression) -> Iterable[Reference]:
    """The expression itself if it is a column, or the columns in the query that it is."""
    if isinstance(expression, Reference):
        return (expression,)
    return bound.references_of_query(expression.query) if isinstance(expression, Nested) else ()
