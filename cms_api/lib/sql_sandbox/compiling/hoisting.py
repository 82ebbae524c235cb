"""Takes conditions out of a sub-query that speak of the query around it alone.

`x IN (SELECT id FROM t WHERE outer.ChannelId = 5)` asks the same of every row of `t`; left inside, engines read
`t` anew for each row outside. Integrators write it without knowing, where a derived table hides a column.
"""

from collections.abc import Iterator
from dataclasses import replace

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound, kinds
from cms_api.lib.sql_sandbox.compiling.bound import Choice, Constant, Expression, Nested, Operation, Select
from cms_api.lib.sql_sandbox.compiling.grouping import has_aggregates

_FALSE = Constant(False, Kind.BOOLEAN)


def hoist(test: Nested) -> Expression:
    """The test for being among a query's rows, with such conditions before it; a test without any as it is."""
    query = test.query
    if not isinstance(query, Select) or query.where is None or query.relation is None:
        return test
    if query.group or query.having is not None or any(map(has_aggregates, query.items)):
        return test  # such a query, a count for instance, may answer a row though its condition holds for none
    inside = {one.alias for one in (query.relation, *(join.relation for join in query.joins))}
    conditions = list(_conjuncts(query.where))
    outer = [one for one in conditions if _is_about_others(one, inside)]
    if not outer:
        return test
    rest = [one for one in conditions if one not in outer]
    inner = replace(test, query=replace(query, where=kinds.all_of(rest) if rest else None))
    # A choice and no AND: where a condition is NULL nothing is among the rows, which is false and not unknown.
    return Choice(((kinds.all_of(outer), inner),), _FALSE, Kind.BOOLEAN)


def queries_to_join(query: Select) -> Iterator[Nested]:
    """The queries in the condition of a SELECT that PostgreSQL joins with its relations, as no other ones."""
    inside = {one.alias for one in (query.relation, *(join.relation for join in query.joins)) if one is not None}
    for condition in _conjuncts(query.where) if query.where is not None else ():
        test = condition
        if isinstance(test, Operation) and test.name == "not":
            (test,) = test.arguments
        if not isinstance(test, Nested):
            continue
        operand = test.operand if test is condition else None
        columns = bound.references(operand) if operand and not bound.holds(operand, Nested) else ()
        if test.form == "exists" or any(one.relation in inside for one in columns):
            yield test


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Operation) and condition.name == "and":
        for part in condition.arguments:
            yield from _conjuncts(part)
    else:
        yield condition


def _is_about_others(condition: Expression, inside: set[str]) -> bool:
    aliases = {one.relation for one in bound.references(condition)}
    return bool(aliases) and not aliases & inside and not bound.holds(condition, Nested)
