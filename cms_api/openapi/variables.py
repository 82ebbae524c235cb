"""Handles variables in examples: `{userId}` is a value from an earlier response, `{captcha}` one that a user reads."""

import re
from collections.abc import Iterator
from typing import Any

_VARIABLE = re.compile(r"\{(\w+)\}")


def variable_of(value: Any) -> str | None:
    """Return the name of the variable if the whole value is one, otherwise None."""
    found = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def variables_in(value: Any) -> Iterator[str]:
    """Yield the names of all variables in a JSON value, in order."""
    if name := variable_of(value):
        yield name
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from variables_in(each)


def filled(value: Any, values: dict[str, Any]) -> Any:
    """Return the JSON value with its variables replaced by their values. Raises KeyError for an unknown variable."""
    if name := variable_of(value):
        return values[name]
    if isinstance(value, dict):
        return {key: filled(each, values) for key, each in value.items()}
    return [filled(each, values) for each in value] if isinstance(value, list) else value


def in_braces(value: Any) -> str:
    """Return a value as text, and a variable in the syntax of editors and Postman: `{{userId}}`."""
    name = variable_of(value)
    return f"{{{{{name}}}}}" if name else str(value)
