import json
from collections.abc import Mapping
from typing import Any

import orjson
from django.conf import settings as django_settings

from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.rest.names import camelise

MAX_NAME = 255  # characters
MAX_MEMBERS = 500  # per record
# All custom fields of a record together may have this many times CMS_MAX_CUSTOM_FIELD_BYTES.
SHARES_OF_A_RECORD = 8


def name_custom(unknown: dict[str, Any], what: str) -> dict[str, Any]:
    found = {camelise(name): value for name, value in unknown.items() if not is_blank(name)}
    raise_if_too_many(found, what)
    for name in found:
        # Case folding turns some letters into two, and the folded name is stored as well.
        if max(len(name), len(name.casefold())) > MAX_NAME:
            message = f"A member's name may have at most {MAX_NAME} characters, not {len(name)}."
            raise InvalidInput("invalid_value", message, member=name[:MAX_NAME])
    return found


def raise_if_too_many(members: dict[str, Any], what: str) -> None:
    if len(members) > MAX_MEMBERS:
        message = f"A {what} may have at most {MAX_MEMBERS} custom members."
        raise InvalidInput("too_many_entries", message, member=list(members)[MAX_MEMBERS])


def validate_values(
    changes: Mapping[str, Any], stored: Mapping[str, Any], what: str, *, are_numbers_limited: bool = True
) -> None:
    """Raises `InvalidInput` for too large numbers, fields or records; values equal to the stored ones always pass."""
    known = {name.casefold(): value for name, value in stored.items()}
    new = {
        name: value
        for name, value in changes.items()
        if name.casefold() not in known or differ(value, known[name.casefold()])
    }
    most = django_settings.CMS_MAX_CUSTOM_FIELD_BYTES
    for name, value in new.items():
        if (size := _size(value)) > most:
            allowed = f"a custom field may have at most {most} (CMS_MAX_CUSTOM_FIELD_BYTES)"
            message = f"{name} has {size} bytes as JSON; {allowed}."
            raise InvalidInput("custom_field_too_large", message, member=name)
        if are_numbers_limited:
            _raise_if_number_too_large(value, name)
    most *= SHARES_OF_A_RECORD
    if new and (size := _size(merge(dict(stored), new))) > max(most, _size(stored)):
        largest = max(new, key=lambda name: _size(new[name]))
        message = (
            f"With {largest}, all custom fields of the {what} would have {size} bytes as JSON; together they may "
            f"have at most {most}, {SHARES_OF_A_RECORD} times CMS_MAX_CUSTOM_FIELD_BYTES."
        )
        raise InvalidInput("custom_field_too_large", message, member=largest)


def _raise_if_number_too_large(value: Any, name: str) -> None:
    # PostgreSQL stores a float of this size as an integer with all its digits.
    if isinstance(value, int | float) and not -(2**63) <= value < 2**63:
        message = f"{name} contains a number beyond 64 bits; numbers must be from {-(2**63)} to {2**63 - 1}."
        raise InvalidInput("invalid_value", message, member=name)
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _raise_if_number_too_large(part, name)


def _size(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:  # an integer beyond 64 bits
        return len(json.dumps(value, ensure_ascii=False).encode())


def differ(one: Any, other: Any) -> bool:
    """Return true if the values differ as JSON; in Python True equals 1."""
    return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) != orjson.dumps(other, option=orjson.OPT_SORT_KEYS)


def changed_members(settings: dict[str, Any], before: dict[str, Any]) -> set[str]:
    """Return the names of the members that differ, as the audit shows them: `settings.pageSize`."""
    names = settings.keys() | before.keys()
    same = {name for name in settings.keys() & before.keys() if not differ(settings[name], before[name])}
    return {f"settings.{name}" for name in names - same}


def merge(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the changes; entries are replaced in any letter case."""
    changed = {name.casefold() for name in changes}
    return {name: value for name, value in settings.items() if name.casefold() not in changed} | changes
