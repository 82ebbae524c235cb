"""Variables of the examples: `{userId}` stands for what an earlier answer had, `{captcha}` for what a person reads."""

import re
from collections.abc import Iterator
from typing import Any

_VARIABLE = re.compile(r"\{(\w+)\}")


def variable_of(value: Any) -> str | None:
    """The name, where the whole value is a variable."""
    found = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def variables_in(value: Any) -> Iterator[str]:
    """The names of all variables of a JSON value, in their order."""
    if name := variable_of(value):
        yield name
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from variables_in(each)


def filled(value: Any, values: dict[str, Any]) -> Any:
    """The JSON value with what its variables stand for. Raises KeyError where that is not known."""
    if name := variable_of(value):
        return values[name]
    if isinstance(value, dict):
        return {key: filled(each, values) for key, each in value.items()}
    return [filled(each, values) for each in value] if isinstance(value, list) else value


def in_braces(value: Any) -> str:
    """The text of a single value; a variable as editors and Postman write it: `{{userId}}`."""
    name = variable_of(value)
    return f"{{{{{name}}}}}" if name else str(value)
