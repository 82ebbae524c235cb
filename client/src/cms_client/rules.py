"""Where and Order rules of the list of contents, as small values that combine.

`where("author", "=", "Press office") | where("hits", ">", 1000)` is either of two, `&` both, `~` the opposite. Combined
rules need a server that knows groups of rules; plain ones go to any. Plain dicts of the wire are rules as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cms_client.wire import Value, text_of, texts_of

Operator = Literal[
    "=",
    "!=",
    ">",
    ">=",
    "<",
    "<=",
    "In",
    "NotIn",
    "Like",
    "NotLike",
    "Between",
    "IsNull",
    "StartsWith",
    "EndsWith",
    "Contains",
]
WireRule = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule or a group of rules, in the form of the wire."""

    wire: WireRule

    def __or__(self, other: "Rule") -> "Rule":
        return any_of(self, other)

    def __and__(self, other: "Rule") -> "Rule":
        return all_of(self, other)

    def __invert__(self) -> "Rule":
        return not_(self)


AnyRule = Rule | WireRule
Rules = AnyRule | Iterable[AnyRule]
Orders = WireRule | Iterable[WireRule]


def where(column: str, operator: Operator = "=", value: Value = None) -> Rule:
    """A rule on a member of contents; In, NotIn and Between take several values. Raises ValueError and TypeError."""
    rule: dict[str, Any] = {"column": column, "operator": operator}
    if value is None and operator != "IsNull":
        raise ValueError(f"A rule with {operator} needs a value; for no value at all there is IsNull.")
    return Rule(rule if value is None else {**rule, "value": _text_of(value)})


def any_of(*rules: AnyRule) -> Rule:
    """At least one of the rules holds."""
    return Rule({"any": list(_parts(rules, "any"))})


def all_of(*rules: AnyRule) -> Rule:
    """Each of the rules holds."""
    return Rule({"all": list(_parts(rules, "all"))})


def not_(rule: AnyRule) -> Rule:
    """The rule does not hold."""
    return Rule({"not": wire_of(rule)})


def order(column: str, *, desc: bool = False) -> dict[str, Any]:
    """A sort rule on a member of contents."""
    return {"column": column, "desc": desc}


def wire_of(rule: AnyRule) -> WireRule:
    """The rule in the form of the wire."""
    return rule.wire if isinstance(rule, Rule) else rule


def wheres_of(rules: Rules | None) -> list[WireRule] | None:
    """One or several rules as the member `wheres`."""
    if rules is None:
        return None
    return [wire_of(rules)] if isinstance(rules, Rule | Mapping) else list(map(wire_of, rules))


def orders_of(rules: Orders | None) -> list[WireRule] | None:
    """One or several rules as the member `orders`."""
    if rules is None:
        return None
    return [rules] if isinstance(rules, Mapping) else list(rules)


def _parts(rules: Iterable[AnyRule], word: str) -> Iterable[WireRule]:
    # A chain of the same word is one group: nesting is limited.
    for rule in map(wire_of, rules):
        yield from rule[word] if set(rule) == {word} else [rule]


def _text_of(value: Value) -> str:
    texts = texts_of(value)
    if texts is None:
        return text_of(value)
    if any("," in text for text in texts):
        raise ValueError("A value with a comma cannot be one of several: the interface joins them by commas.")
    return ",".join(texts)
