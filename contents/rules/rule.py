"""The rules of a list: which contents it has, and in which order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WhereRule:
    """A condition on one member; `name` and `value_name` are what refusals call the rule and its value."""

    column: str
    value: str | None
    operator: str = ""
    name: str = "wheres"
    value_name: str = "value"
    as_json: str = ""  # the text that a custom field has for the value, if it is another one

    def plain(self) -> Any:
        """What the rule means, whatever its spelling and place."""
        return (self.column.strip().casefold(), self.operator.strip().casefold() or "=", self.value, self.as_json)


@dataclass(frozen=True, slots=True)
class WhereGroup:
    """Conditions of which any or all must hold, or one that must not."""

    word: str  # any, all, not
    entries: tuple["WhereEntry", ...]

    def plain(self) -> Any:
        """What the group means."""
        return (self.word, [entry.plain() for entry in self.entries])


WhereEntry = WhereRule | WhereGroup


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A sort rule; `name` is what refusals call it."""

    column: str
    desc: bool
    name: str = "orders"

    def plain(self) -> Any:
        """What the rule means, whatever its spelling and place."""
        return (self.column.strip().casefold(), self.desc)


def rules_of(entries: tuple[WhereEntry, ...]) -> Iterator[WhereRule]:
    """The rules of all entries, groups gone through."""
    for entry in entries:
        if isinstance(entry, WhereRule):
            yield entry
        else:
            yield from rules_of(entry.entries)
