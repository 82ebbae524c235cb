import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.lib.errors import InvalidInput
from core.rest.fields import AddressField, invalid, read_boolean, read_date_time, read_integer, read_text

# Of the help text of a setting that has no effect here.
STORED_ONLY = "Not used by this service; kept for API clients."
# The text for "never", stored and sent.
NEVER = "0001-01-01 00:00:00"
_ADDRESS = AddressField()


class AttributeKind(StrEnum):
    BOOLEAN = "boolean"
    INTEGER = "integer"
    TEXT = "text"
    DATE_TIME = "date_time"


@dataclass(frozen=True, slots=True)
class TextForm:
    pattern: re.Pattern[str]
    words: str
    # The pattern limits the length, so that `expected` need not name it.
    is_short: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One member of a settings object. Dates and times are stored as the text that is sent."""

    name: str
    kind: AttributeKind
    default: Any
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 2000
    # Values with their names; clients may send either, in any letter case.
    choices: tuple[tuple[Any, str], ...] = ()
    form: TextForm | None = None
    # An address used in links: schemes that run code are refused.
    is_address: bool = False
    # Derived, never stored.
    is_computed: bool = False
    # Only of this service: in the admin, and not among the members that clients get.
    is_hidden: bool = False
    group: str = ""
    label: str = ""
    help_text: str = ""
    # Names of the member in other versions, for packages.
    former_names: tuple[str, ...] = ()

    def read(self, value: Any, name: str) -> Any:
        """Return the stored form of the value. Raises `InvalidInput` with `name` and the expected form."""
        if self.choices and isinstance(value, str):
            word = value.strip().casefold()
            chosen = (each for each, name in self.choices if word in (str(each).casefold(), name.casefold()))
            value = next(chosen, value)
        try:
            read = _READERS[self.kind](value, name)
            if self.is_address:
                _ADDRESS.read(read, name)
        except InvalidInput as error:
            raise invalid(name, self.expected) from error
        if not self._allows(read):
            raise invalid(name, self.expected)
        return read

    def fits(self, value: Any) -> bool:
        """Return true if the value can be stored unchanged: right type, in range, canonical spelling."""
        try:
            read = self.read(value, self.name)
        except InvalidInput:
            return False
        return type(read) is type(value) and bool(read == value)

    @property
    def expected(self) -> str:
        if self.choices:
            values = [(str(value) or "empty", name or "empty") for value, name in self.choices]
            return "one of " + ", ".join(value if value == name else f"{value} ({name})" for value, name in values)
        if self.kind == AttributeKind.INTEGER:
            return f"an integer from {self.minimum} to {self.maximum}"
        if self.kind == AttributeKind.BOOLEAN:
            return "true or false"
        if self.kind == AttributeKind.DATE_TIME:
            return "a date and time such as 2026-11-20 09:30:00"
        if self.form and self.form.is_short:
            return self.form.words
        words = self.form.words if self.form else "a text"
        schemes = " and without a javascript: or data: scheme" if self.is_address else ""
        return f"{words} of at most {self.max_length} characters{schemes}"

    def _allows(self, value: Any) -> bool:
        if self.choices:
            return any(value == each for each, _ in self.choices)
        if self.kind == AttributeKind.INTEGER:
            return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)
        is_text, form = self.kind == AttributeKind.TEXT, self.form
        return not is_text or (len(value) <= self.max_length and (form is None or bool(form.pattern.fullmatch(value))))


class AttributeRegistry:
    def __init__(self, attributes: Iterable[Attribute]) -> None:
        self.by_name = {attribute.name: attribute for attribute in attributes}
        self.by_folded_name = {name.casefold(): attribute for name, attribute in self.by_name.items()}
        former = {name.casefold(): attribute for attribute in self for name in attribute.former_names}
        self._by_any_name = former | self.by_folded_name
        self._defaults = {name: attribute.default for name, attribute in self.by_name.items()}
        self._types = {name: type(default) for name, default in self._defaults.items()}

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.by_name.values())

    def find(self, name: str) -> Attribute | None:
        """Return the member with that name or former name, in any letter case."""
        return self._by_any_name.get(name.casefold())

    def values(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return all members with their values; stored ones of another spelling or type are replaced by the default."""
        values, types = self._defaults.copy(), self._types
        for name, value in settings.items():
            if type(value) is types.get(name):
                values[name] = value
        return values

    def custom(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the entries whose name, in any letter case, is not a member's."""
        return {name: value for name, value in settings.items() if name.casefold() not in self.by_folded_name}

    def without_defaults(self, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value != self._defaults[name]}

    def problems(self, settings: dict[str, Any]) -> list[str]:
        """Return a sentence for each invalid entry; entries of other names are accepted."""
        problems = []
        for name, value in settings.items():
            if (attribute := self.by_folded_name.get(name.casefold())) is None:
                continue
            if name != attribute.name:
                problems.append(f"{name} must be spelt {attribute.name}.")
            elif attribute.is_computed:
                problems.append(f"{name} is computed and cannot be set.")
            elif not attribute.fits(value):
                problems.append(f"{name} must be {attribute.expected}.")
        return problems


def _read_date_text(value: Any, name: str) -> str:
    moment = read_date_time(value, name)
    return moment.isoformat(" ") if moment else NEVER


_READERS: dict[AttributeKind, Callable[[Any, str], Any]] = {
    AttributeKind.BOOLEAN: read_boolean,
    AttributeKind.INTEGER: read_integer,
    AttributeKind.TEXT: read_text,
    AttributeKind.DATE_TIME: _read_date_text,
}
