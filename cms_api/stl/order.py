"""The stl parameter `order`: columns with directions, in the words of SQL."""

from cms_api.rest.rules import OrderRule
from cms_api.stl.where import Tokens

MAX_COLUMNS = 10
_KEYWORDS = frozenset({"ORDER", "BY", "ASC", "DESC"})


def parse_order(text: str) -> list[OrderRule]:
    """The columns to sort by, the first one first. Raises InvalidInput saying at which character it cannot be read."""
    tokens = Tokens(text, "order", _KEYWORDS)
    if tokens.skip("ORDER") and not tokens.skip("BY"):
        tokens.refuse("BY")
    rules = [_take_rule(tokens)]
    while tokens.skip(","):
        if len(rules) == MAX_COLUMNS:
            tokens.stop(f"has one more column at character {tokens.current.start}; at most are {MAX_COLUMNS}")
        rules.append(_take_rule(tokens))
    if not tokens.is_at_end:
        tokens.refuse("ASC, DESC, a comma or the end")
    return rules


def _take_rule(tokens: Tokens) -> OrderRule:
    column = tokens.take_column()
    descending = tokens.skip("DESC")
    if not descending:
        tokens.skip("ASC")
    return OrderRule(column, descending)
