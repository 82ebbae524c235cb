"""What a key may do: seven scopes, each for reading or for reading and writing (design §6)."""

from enum import Enum

from django.core.exceptions import ValidationError

READ, WRITE = "read", "write"


class Scope(Enum):
    """An authorization scope; the value is its spelling on the command line and in the admin."""

    CHANNELS = "Channels"
    CONTENTS = "Contents"
    ADMINISTRATORS = "Administrators"
    USERS = "Users"
    STL = "STL"
    SQL = "SQL"
    SYSTEM = "System"

    @property
    def has_sites(self) -> bool:
        """Whether what the scope opens belongs to a site, so that a site list can limit it."""
        return self not in {Scope.ADMINISTRATORS, Scope.USERS, Scope.SYSTEM}


_BY_FOLDED_NAME = {scope.value.casefold(): scope for scope in Scope}


def parse_scope(text: str) -> tuple[Scope, str]:
    """`Contents:read` → (CONTENTS, "read"); without a suffix it is `write`. Raises ValidationError."""
    name, _, access = text.strip().partition(":")
    scope, access = _BY_FOLDED_NAME.get(name.casefold()), access.casefold() or WRITE
    if scope is None or access not in {READ, WRITE}:
        known = ", ".join(scope.value for scope in Scope)
        raise ValidationError(f"{text!r} is not a scope. Scopes are {known}, each with :read or :write.")
    return scope, access


def parse_scopes(text: str) -> dict[Scope, str]:
    """The scopes of a comma-separated text; of one named twice the wider access counts."""
    scopes: dict[Scope, str] = {}
    for part in filter(str.strip, text.split(",")):
        scope, access = parse_scope(part)
        if scopes.get(scope) != WRITE:
            scopes[scope] = access
    return scopes


def format_scopes(scopes: dict[Scope, str]) -> str:
    """The text that is stored, in the order in which the scopes are declared."""
    return ",".join(f"{scope.value}:{scopes[scope]}" for scope in Scope if scope in scopes)
