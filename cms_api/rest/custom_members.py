"""Members of a body beyond those of the interface, which contents and channels keep (design §4.4)."""

import json
from collections.abc import Mapping
from typing import Any

import orjson
from django.conf import settings as django_settings

from cms_api.lib.errors import InvalidInput
from cms_api.rest.names import camelise

MAX_NAME = 255  # characters
MAX_MEMBERS = 500  # beyond those of the interface, in one record
# All custom fields of one record may have this many times the bytes of one (CMS_MAX_CUSTOM_FIELD_BYTES).
SHARES_OF_A_RECORD = 8
_LEAST, _MOST = -(2**63), 2**63 - 1


def name_custom(unknown: dict[str, Any], what: str) -> dict[str, Any]:
    """The members by the names under which they are kept and answered.

    Raises InvalidInput for a name that is too long and for too many members; `what` has them.
    """
    found = {camelise(name): value for name, value in unknown.items()}
    found.pop("", None)
    refuse_many(found, what)
    for name in found:
        # Some letters are two without their case, and the name is kept in that form too.
        if max(len(name), len(name.casefold())) > MAX_NAME:
            raise InvalidInput("invalid_value", f"A member's name has at most {MAX_NAME} characters, not {len(name)}.")
    return found


def refuse_many(members: dict[str, Any], what: str) -> None:
    """Raises InvalidInput for more custom members than a record may have."""
    if len(members) > MAX_MEMBERS:
        raise InvalidInput("too_many_entries", f"A {what} has at most {MAX_MEMBERS} custom members.")


def refuse_values(changes: Mapping[str, Any], stored: Mapping[str, Any], what: str) -> None:
    """Raises InvalidInput for a number beyond 64 bits, too large a custom field, and too many bytes in a record.

    A value that equals the stored one passes, so that an older record with a larger value can still be changed.
    """
    known = {name.casefold(): value for name, value in stored.items()}
    new = {
        name: value
        for name, value in changes.items()
        if name.casefold() not in known or differ(value, known[name.casefold()])
    }
    for name, value in new.items():
        _refuse_large(value, name)
        _refuse_number(value, name)
    if new:
        _refuse_sum(new, stored, what)


def _refuse_large(value: Any, name: str) -> None:
    most, size = django_settings.CMS_MAX_CUSTOM_FIELD_BYTES, _size(value)
    if size > most:
        message = f"{name} has {size} bytes as JSON; a custom field has at most {most} (CMS_MAX_CUSTOM_FIELD_BYTES)."
        raise InvalidInput("custom_field_too_large", message, member=name)


def _refuse_number(value: Any, name: str) -> None:
    # PostgreSQL keeps a float of this size as an integer, with all of its digits.
    if isinstance(value, int | float) and not _LEAST <= value <= _MOST:
        message = f"{name} holds a number beyond 64 bits; numbers are from {_LEAST} to {_MOST}."
        raise InvalidInput("invalid_value", message, member=name)
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _refuse_number(part, name)


def _refuse_sum(new: dict[str, Any], stored: Mapping[str, Any], what: str) -> None:
    most = SHARES_OF_A_RECORD * django_settings.CMS_MAX_CUSTOM_FIELD_BYTES
    size = _size(merge(dict(stored), new))
    if size > max(most, _size(stored)):
        largest = max(new, key=lambda name: _size(new[name]))
        message = (
            f"With {largest} all custom fields of the {what} would have {size} bytes as JSON; together they have at "
            f"most {most}, {SHARES_OF_A_RECORD} times CMS_MAX_CUSTOM_FIELD_BYTES."
        )
        raise InvalidInput("custom_field_too_large", message, member=largest)


def _size(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:  # an integer beyond 64 bits
        return len(json.dumps(value, ensure_ascii=False).encode())


def differ(one: Any, other: Any) -> bool:
    """Whether two values are not the same JSON; Python takes True for 1."""
    return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) != orjson.dumps(other, option=orjson.OPT_SORT_KEYS)


def changed_members(settings: dict[str, Any], before: dict[str, Any]) -> set[str]:
    """The names of the members that are other than before, as the audit tells them: `settings.pageSize`."""
    names = settings.keys() | before.keys()
    return {f"settings.{name}" for name in names if differ(*(_member(one, name) for one in (settings, before)))}


def _member(settings: dict[str, Any], name: str) -> list[Any]:
    return [settings[name]] if name in settings else []  # null is a value


def merge(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The settings with the changes made; an entry is replaced whatever its letter case."""
    changed = {name.casefold() for name in changes}
    return {name: value for name, value in settings.items() if name.casefold() not in changed} | changes
