"""Writes the entries of the audit."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import connection, models

from cms_api.audit.actions import actions
from cms_api.audit.actors import Actor, command_name, current_actor
from cms_api.lib import clock

if TYPE_CHECKING:
    from cms_api.audit.models import AuditEntry

MAX_CHANGED = 100  # members of a record; custom ones may be more


def note(
    action: str,
    target: models.Model | None = None,
    *,
    site_id: int | None = None,
    changed: Iterable[str] = (),
    actor: Actor | None = None,
    **details: Any,
) -> "AuditEntry":
    """An entry that the actor, by default whoever acts now, did this to the target.

    `action` is `<object>.<participle>`, such as `api_key.rotated`; `changed` names members and never tells values;
    `details` are few, short and no secrets. Raises RuntimeError for an unknown action, and outside of a transaction,
    since an act and its entry have to be stored together.
    """
    _refuse_wrong(action)
    entry = _make(action, target, site_id, changed, actor or current_actor(), details)
    entry.save(force_insert=True)
    return entry


def note_each(
    action: str,
    targets: Sequence[models.Model],
    *,
    site_id: int | None = None,
    changed: Mapping[Any, Iterable[str]] | None = None,
    **details: Any,
) -> None:
    """An entry for each of the targets, to all of which the same was done at once; `changed` by their primary keys."""
    _refuse_wrong(action)
    actor, names = current_actor(), changed or {}
    entries = [_make(action, target, site_id, names.get(target.pk, ()), actor, details) for target in targets]
    _model().objects.bulk_create(entries)


def _model() -> "type[AuditEntry]":
    # Whoever imports this package may do so before there are models.
    return apps.get_model("audit", "AuditEntry")


def _refuse_wrong(action: str) -> None:
    if action not in actions():
        raise RuntimeError(f"The audit knows no act {action}; see cms_api.audit.actions.")
    if not connection.in_atomic_block:
        raise RuntimeError(f"The act {action} is to be noted in its own transaction.")


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
