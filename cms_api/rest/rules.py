"""Where and Order rules as lists of the API and elements of stl read them: conditions, and columns to sort by."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A column compared with a value; `operator` is one of the wire words of Where rules.

    `name` and `value_name` are what refusals call the rule and its value; without `value_name`, as the column.
    """

    column: str
    operator: str
    value: str
    name: str = "where"
    value_name: str = ""
    as_json: str = ""  # the text that a custom field has for the value, if it is another one


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The part does not hold."""

    part: "Expression"


Expression = Rule | AllOf | AnyOf | Negation


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A column to sort by; `name` is what refusals call the rule."""

    column: str
    desc: bool
    name: str = "order"
