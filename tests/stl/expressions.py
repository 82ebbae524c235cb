"""Conditions for tests: as the client writes them, and as plain Python understands them."""

from hypothesis import strategies as st

from core.rest.rules import AllOf, AnyOf, Negation, Rule
from core.stl.where import IS_NULL


def write(expression):
    """The expression as the text of `where`, every part in parentheses."""
    if isinstance(expression, Rule):
        if expression.operator == IS_NULL:
            return f"[{expression.column}] IS NULL"
        operator = {"NotLike": "NOT LIKE"}.get(expression.operator, expression.operator)
        value = expression.value.replace("'", "''")
        return f"[{expression.column}] {operator} '{value}'"
    if isinstance(expression, Negation):
        return f"NOT ({write(expression.part)})"
    word = " AND " if isinstance(expression, AllOf) else " OR "
    return word.join(f"({write(part)})" for part in expression.parts)


def expressions(rules):
    """Strategy of expressions over the rules that a strategy makes."""

    def join(parts):
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.builds(AllOf, several) | st.builds(AnyOf, several) | st.builds(Negation, parts)

    return st.recursive(rules, join, max_leaves=8)
