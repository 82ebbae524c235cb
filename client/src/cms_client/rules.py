"""Where and Order rules for lists of contents, as small values that combine.

`where("author", "=", "Press office") | where("hits", ">", 1000)` matches either rule; `&` requires both, and `~`
negates. Combined rules need a server that supports groups of rules; single rules work on every server. Plain dicts in
the JSON form of a rule work too.
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
    """A rule or a group of rules; `wire` is its JSON form."""

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
    """Return a rule on a member of contents; In, NotIn and Between take several values.

    Raises ValueError for a missing value or a comma in one of several, and TypeError for an unsupported type.
    """
    rule: dict[str, Any] = {"column": column, "operator": operator}
    if value is None and operator != "IsNull":
        raise ValueError(f"A rule with {operator} needs a value; for no value at all there is IsNull.")
    return Rule(rule if value is None else {**rule, "value": _text_of(value)})


def any_of(*rules: AnyRule) -> Rule:
    """Return a rule that matches if at least one of the rules matches."""
    return Rule({"any": list(_parts(rules, "any"))})


def all_of(*rules: AnyRule) -> Rule:
    """Return a rule that matches if all of the rules match."""
    return Rule({"all": list(_parts(rules, "all"))})


def not_(rule: AnyRule) -> Rule:
    """Return a rule that matches if the given rule does not."""
    return Rule({"not": wire_of(rule)})


def order(column: str, *, desc: bool = False) -> dict[str, Any]:
    """Return a rule that sorts by a member of contents."""
    return {"column": column, "desc": desc}


def wire_of(rule: AnyRule) -> WireRule:
    """Return the JSON form of a rule."""
    return rule.wire if isinstance(rule, Rule) else rule


def wheres_of(rules: Rules | None) -> list[WireRule] | None:
    """Return one or more rules as the list for the member `wheres`."""
    if rules is None:
        return None
    return [wire_of(rules)] if isinstance(rules, Rule | Mapping) else list(map(wire_of, rules))


def orders_of(rules: Orders | None) -> list[WireRule] | None:
    """Return one or more rules as the list for the member `orders`."""
    if rules is None:
        return None
    return [rules] if isinstance(rules, Mapping) else list(rules)


def _parts(rules: Iterable[AnyRule], word: str) -> Iterable[WireRule]:
    # Flatten a chain of the same operator into one group, because servers limit the nesting depth.
    for rule in map(wire_of, rules):
        yield from rule[word] if set(rule) == {word} else [rule]


def _text_of(value: Value) -> str:
    texts = texts_of(value)
    if texts is None:
        return text_of(value)
    if any("," in text for text in texts):
        raise ValueError("A value with a comma cannot be one of several: the interface joins them by commas.")
    return ",".join(texts)
