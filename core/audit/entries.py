import getpass
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from django.apps import apps
from django.db import connection, models

from core.audit.actions import actions
from core.audit.middleware import current_request
from core.lib import clock
from core.lib.bulk import insert_records
from core.lib.client_address import client_address

if TYPE_CHECKING:
    from core.audit.models import AuditEntry

MAX_CHANGED = 100  # members of a record; custom ones may be more
_present_actor: "ContextVar[Actor | None]" = ContextVar("core.audit.actor", default=None)


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor and their origin. `kind` is a value of AuditEntry.ActorKind."""

    kind: str
    administrator_id: int | None = None
    name: str = ""  # of the administrator; for a command, of the operating system's account
    key_id: int | None = None
    key_name: str = ""
    address: str = ""
    request_id: str = ""

    def signing_in(self, administrator: Any) -> Self:
        return replace(self, kind="administrator", administrator_id=administrator.pk, name=administrator.user_name)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Act on behalf of `actor` within the block; for work that was ordered earlier."""
    token = _present_actor.set(actor)
    try:
        yield
    finally:
        _present_actor.reset(token)


def current_actor(*, with_address: bool = True) -> Actor:
    """Return the request's API key or administrator; without a request, the command.

    Callers that do not store the address need not read it.
    """
    if (actor := _present_actor.get()) is not None:
        return actor
    request = current_request.get()
    if request is None:
        try:
            return Actor("command", name=getpass.getuser())
        except (OSError, KeyError):  # an account without a name, as in some containers
            return Actor("command")
    address = client_address(request) if with_address else ""
    origin = Actor("stranger", address=address, request_id=getattr(request, "request_id", ""))
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
    """Return the name of the request's API key, or ""; cheap enough for every request."""
    grant = getattr(current_request.get(), "grant", None)
    return grant.key_name if grant else ""


def command_name() -> str:
    program = Path(sys.argv[0]).name
    return sys.argv[1] if program == "manage.py" and len(sys.argv) > 1 else program


def record(
    action: str,
    target: models.Model | None = None,
    *,
    site_id: int | None = None,
    changed: Iterable[str] = (),
    actor: Actor | None = None,
    **details: Any,
) -> "AuditEntry":
    """Note that the actor, by default the current one, did this to the target, in the act's transaction.

    `changed` has names of members, `details` few short values without secrets. Raises `RuntimeError` for an unknown
    action or outside a transaction.
    """
    _raise_if_unregistered(action)
    entry = _make(action, target, site_id, changed, actor or current_actor(), details)
    entry.save(force_insert=True)
    return entry


def record_each(
    action: str,
    targets: Sequence[models.Model],
    *,
    site_id: int | None = None,
    changed: Mapping[Any, Iterable[str]] | None = None,
    **details: Any,
) -> None:
    """Note the same act on each target; `changed` is keyed by primary key."""
    _raise_if_unregistered(action)
    actor, names = current_actor(), changed or {}
    entries = [_make(action, target, site_id, names.get(target.pk, ()), actor, details) for target in targets]
    insert_records(entries)


def _model() -> "type[AuditEntry]":
    # This package may be imported before models are ready.
    return apps.get_model("audit", "AuditEntry")


def _raise_if_unregistered(action: str) -> None:
    if action not in actions():
        raise RuntimeError(f"Unknown audit action {action}; see core.audit.actions.")
    if not connection.in_atomic_block:
        raise RuntimeError(f"Record the action {action} within its transaction.")


def _make(
    action: str,
    target: models.Model | None,
    site_id: int | None,
    changed: Iterable[str],
    actor: Actor,
    details: dict[str, Any],
) -> "AuditEntry":
    if actor.kind == _model().ActorKind.COMMAND:
        details = {"command": command_name()} | details
    return _model()(
        at=clock.now(),
        action=action,
        actor_kind=actor.kind,
        administrator_id=actor.administrator_id,
        actor_name=actor.name[:255],
        key_id=actor.key_id,
        key_name=actor.key_name,
        address=actor.address,
        request_id=actor.request_id,
        object_type=target._meta.label_lower if target is not None else "",
        object_id=str(target.pk) if target is not None else "",
        object_name=str(target)[:255] if target is not None else "",
        site_id=site_id,
        changed=sorted(changed)[:MAX_CHANGED],
        details=details,
    )
