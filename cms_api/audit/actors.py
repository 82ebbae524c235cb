"""Who acts: the key or the administrator of the present request, or the command that runs."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from cms_api.audit.middleware import present_request
from cms_api.lib.client_address import client_address

_present_actor: "ContextVar[Actor | None]" = ContextVar("cms_api.audit.actor", default=None)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts and from where. `kind` is a value of AuditEntry.ActorKind."""

    kind: str
    administrator_id: int | None = None
    name: str = ""  # of the administrator; of the account of the operating system for a command
    key_id: int | None = None
    key_name: str = ""
    address: str = ""
    request_id: str = ""

    def signing_in(self, administrator: Any) -> Self:
        """The same, once it is known who signs in."""
        return replace(self, kind="administrator", administrator_id=administrator.pk, name=administrator.user_name)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Whatever a process does in the block is done on behalf of the actor, who has asked for it earlier."""
    token = _present_actor.set(actor)
    try:
        yield
    finally:
        _present_actor.reset(token)


def current_actor() -> Actor:
    """Who acts now: the key, else the administrator of the request; without a request the command."""
    if (actor := _present_actor.get()) is not None:
        return actor
    request = present_request.get()
    if request is None:
        return Actor("command", name=_account())
    origin = Actor("stranger", address=client_address(request), request_id=getattr(request, "request_id", ""))
    if grant := getattr(request, "grant", None):
        return replace(
            origin,
            kind="key",
            administrator_id=grant.administrator_id,
            name=grant.user_name,
            key_id=grant.key_id,
            key_name=grant.key_name,
        )
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return origin.signing_in(user)
    return origin


def current_key_name() -> str:
    """The name of the API key of the present request; without one, nothing. Cheap enough for every request."""
    grant = getattr(present_request.get(), "grant", None)
    return grant.key_name if grant else ""


def command_name() -> str:
    """What runs without a request: `create_api_key` of `manage.py create_api_key …`."""
    program = Path(sys.argv[0]).name
    return sys.argv[1] if program == "manage.py" and len(sys.argv) > 1 else program


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return ""
