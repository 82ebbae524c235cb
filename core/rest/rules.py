from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """A column compared with a value; `name` and `value_name` (default: the column) are used in errors."""

    column: str
    operator: str
    value: str
    name: str = "where"
    value_name: str = ""
    as_json: str = ""  # the JSON text of the value in custom fields, if it differs


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Negation:
    part: "Expression"


Expression = Rule | AllOf | AnyOf | Negation


@dataclass(frozen=True, slots=True)
class OrderRule:
    column: str
    desc: bool
    name: str = "order"
