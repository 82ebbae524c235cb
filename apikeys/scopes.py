from enum import Enum

from django.core.exceptions import ValidationError

READ, WRITE = "read", "write"


class Scope(Enum):
    """A scope; the value is its spelling on the command line and in the admin."""

    CHANNELS = "Channels"
    CONTENTS = "Contents"
    MEDIA = "Media"
    FORMS = "Forms"
    ADMINISTRATORS = "Administrators"
    USERS = "Users"
    STL = "STL"
    SQL = "SQL"
    SYSTEM = "System"

    @property
    def has_sites(self) -> bool:
        return self not in {Scope.ADMINISTRATORS, Scope.USERS, Scope.SYSTEM}


_BY_FOLDED_NAME = {scope.value.casefold(): scope for scope in Scope}


def parse_scopes(text: str) -> dict[Scope, str]:
    """Read `Contents:read,STL`: no suffix means `write`; the wider of two counts. Raises ValidationError."""
    scopes: dict[Scope, str] = {}
    for part in filter(str.strip, text.split(",")):
        name, _, access = part.strip().partition(":")
        scope, access = _BY_FOLDED_NAME.get(name.casefold()), access.casefold() or WRITE
        if scope is None or access not in {READ, WRITE}:
            known = ", ".join(scope.value for scope in Scope)
            raise ValidationError(f"{part!r} is not a scope. Scopes are {known}, each with :read or :write.")
        if scopes.get(scope) != WRITE:
            scopes[scope] = access
    return scopes


def format_scopes(scopes: dict[Scope, str]) -> str:
    return ",".join(f"{scope.value}:{scopes[scope]}" for scope in Scope if scope in scopes)
