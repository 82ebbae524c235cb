"""Members of a body beyond those of the interface, which contents and channels keep (design §4.4)."""

from typing import Any

import orjson

from cms_api.rest.errors import BadRequest
from cms_api.rest.names import camelise

MAX_NAME = 255  # characters
MAX_MEMBERS = 500  # beyond those of the interface, in one record


def name_custom(unknown: dict[str, Any], what: str) -> dict[str, Any]:
    """The members by the names under which they are kept and answered.

    Raises BadRequest for a name that is too long and for too many members; `what` has them.
    """
    found = {camelise(name): value for name, value in unknown.items()}
    found.pop("", None)
    refuse_many(found, what)
    for name in found:
        # Some letters are two without their case, and the name is kept in that form too.
        if max(len(name), len(name.casefold())) > MAX_NAME:
            raise BadRequest("invalid_value", f"A member's name has at most {MAX_NAME} characters, not {len(name)}.")
    return found


def refuse_many(members: dict[str, Any], what: str) -> None:
    """Raises BadRequest for more custom members than a record may have."""
    if len(members) > MAX_MEMBERS:
        raise BadRequest("too_many_entries", f"A {what} has at most {MAX_MEMBERS} custom members.")


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
