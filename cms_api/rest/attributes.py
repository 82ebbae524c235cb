"""Members of settings objects: each is declared once, with its type, its default and what it may hold."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import AddressField, invalid, read_boolean, read_date_time, read_integer, read_text

# How a date that never happened is answered and stored.
NEVER = "0001-01-01 00:00:00"
_ADDRESS = AddressField()


class Kind(StrEnum):
    """The types that the interface gives to members of settings."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    TEXT = "text"
    DATE_TIME = "date_time"


@dataclass(frozen=True, slots=True)
class TextForm:
    """What a text must look like as a whole, as a pattern and in words."""

    pattern: re.Pattern[str]
    words: str
    # Whether the pattern limits the length, which need not be told then.
    is_short: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One member of a settings object. A date and time is kept as the text in which it is answered."""

    name: str
    kind: Kind
    default: Any
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 2000
    # Each value with its name; a client may send either, in any letter case.
    choices: tuple[tuple[Any, str], ...] = ()
    form: TextForm | None = None
    # An address that ends up in links: no scheme that runs code.
    is_address: bool = False
    # Follows from other facts and is never stored.
    is_computed: bool = False
    group: str = ""
    # What people call it, in English; translated where it is shown.
    label: str = ""
    help_text: str = ""
    # Names that the member has had in other versions, for packages.
    former_names: tuple[str, ...] = ()

    def read(self, value: Any, name: str) -> Any:
        """The value as it is stored. Raises InvalidInput, with `name` and what is allowed."""
        try:
            read = _READERS[self.kind](self._chosen(value), name)
        except InvalidInput as error:
            raise invalid(name, self.expected) from error
        if not self._allows(read):
            raise invalid(name, self.expected)
        return read

    def fits(self, value: Any) -> bool:
        """Whether the value can be stored as it is: of the right type, in range and in its one spelling."""
        try:
            read = self.read(value, self.name)
        except InvalidInput:
            return False
        return type(read) is type(value) and bool(read == value)

    @property
    def expected(self) -> str:
        """What is allowed, for a sentence: `an integer from 1 to 9`."""
        if self.choices:
            return "one of " + ", ".join(_choice_words(value, name) for value, name in self.choices)
        if self.kind == Kind.INTEGER:
            return f"an integer from {self.minimum} to {self.maximum}"
        if self.kind == Kind.TEXT:
            return self._expected_text()
        return "true or false" if self.kind == Kind.BOOLEAN else "a date and time such as 2026-11-20 09:30:00"

    def _expected_text(self) -> str:
        if self.form and self.form.is_short:
            return self.form.words
        words = self.form.words if self.form else "a text"
        schemes = " and without a javascript: or data: scheme" if self.is_address else ""
        return f"{words} of at most {self.max_length} characters{schemes}"

    def _chosen(self, value: Any) -> Any:
        if not self.choices or not isinstance(value, str):
            return value
        word = value.strip().casefold()
        return next((each for each, name in self.choices if word in (str(each).casefold(), name.casefold())), value)

    def _allows(self, value: Any) -> bool:
        if self.choices:
            return any(value == each for each, _ in self.choices)
        if self.kind == Kind.INTEGER:
            return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)
        return self.kind != Kind.TEXT or self._allows_text(value)

    def _allows_text(self, text: str) -> bool:
        if self.is_address:
            try:
                _ADDRESS.read(text, self.name)
            except InvalidInput:
                return False
        return len(text) <= self.max_length and (self.form is None or bool(self.form.pattern.fullmatch(text)))


class AttributeRegistry:
    """The members of one kind of settings object, in the order of the answer."""

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
        """The member of that name, in any letter case and also by a former name."""
        return self._by_any_name.get(name.casefold())

    def values(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Every member with its value; the default where none is stored, or one of a wrong type.

        Stored names count in their own spelling only. Costs a copy of the defaults and a look at each
        stored entry, of which there are few.
        """
        values, types = self._defaults.copy(), self._types
        for name, value in settings.items():
            if type(value) is types.get(name):
                values[name] = value
        return values

    def custom(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The entries that are no members, in whatever letter case."""
        return {name: value for name, value in settings.items() if name.casefold() not in self.by_folded_name}

    def without_defaults(self, values: dict[str, Any]) -> dict[str, Any]:
        """What has to be stored of the values."""
        return {name: value for name, value in values.items() if value != self._defaults[name]}

    def problems(self, settings: dict[str, Any]) -> list[str]:
        """What is wrong with settings that are to be stored, a sentence per entry; entries of other names are free."""
        return [problem for name, value in settings.items() if (problem := self._problem(name, value))]

    def _problem(self, name: str, value: Any) -> str:
        attribute = self.by_folded_name.get(name.casefold())
        if attribute is None:
            return ""
        if name != attribute.name:
            return f"{name} must be spelt {attribute.name}."
        if attribute.is_computed:
            return f"{name} is computed and cannot be set."
        return "" if attribute.fits(value) else f"{name} must be {attribute.expected}."


def _choice_words(value: Any, name: str) -> str:
    if value == "":
        return "empty"
    return str(value) if str(value) == name else f"{value} ({name})"


def _read_date_text(value: Any, name: str) -> str:
    moment = read_date_time(value, name)
    return moment.isoformat(" ") if moment else NEVER


_READERS: dict[Kind, Callable[[Any, str], Any]] = {
    Kind.BOOLEAN: read_boolean,
    Kind.INTEGER: read_integer,
    Kind.TEXT: read_text,
    Kind.DATE_TIME: _read_date_text,
}
