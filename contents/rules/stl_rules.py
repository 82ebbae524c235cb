"""The stl parameter `where` as SQL over contents."""

from operator import itemgetter

from cms_api.stl.where import IS_NULL, AllOf, Expression, Negation, Rule
from contents.rules.conditions import Condition, join, negate
from contents.rules.writer import Rules


def to_condition(expression: Expression, rules: Rules) -> Condition:
    """The expression over `c`, `b` and `s`, values bound. Raises BadRequest naming what is wrong with a rule."""
    if isinstance(expression, Rule):
        column = rules.column(expression.column, "where")
        if expression.operator == IS_NULL:
            return Condition(f"{column.sql} {'= %s' if column.is_text else 'IS NULL'}", ("",) if column.is_text else ())
        return rules.condition(column, expression.operator, expression.value, column.wire)
    if isinstance(expression, Negation):
        return negate(to_condition(expression.part, rules))
    parts = [(_weight(part), to_condition(part, rules)) for part in expression.parts]
    # SQLite's parser refuses what needs more than 100 places of its stack, and an opened parenthesis
    # needs a place besides those of what stands before it: the heaviest part goes first.
    parts.sort(key=itemgetter(0), reverse=True)
    return join((part for _, part in parts), " AND " if isinstance(expression, AllOf) else " OR ")


def _weight(expression: Expression) -> int:
    """About how many places of the parser's stack the expression needs."""
    if isinstance(expression, Rule):
        return 1
    if isinstance(expression, Negation):
        return 1 + _weight(expression.part)
    first, second, *_ = sorted(map(_weight, expression.parts), reverse=True)
    return max(1 + first, 3 + second)
