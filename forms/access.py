"""Changes of who may see a form (forms.rights)."""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db import transaction

from channels_app.services import lock_tree
from core import audit
from core.lib.errors import InvalidInput, NotFound
from core.rest.names import to_wire
from forms.models import Form


class Access(NamedTuple):
    channel_id: int | None
    is_limited: bool
    groups: frozenset[int]  # ids


def access_of(form: Form) -> Access:
    groups = Form.groups.through.objects.filter(form=form).values_list("group", flat=True)
    return Access(form.channel_id, form.is_limited, frozenset(groups))


def stamp_of(access: Access) -> str:
    return "-".join(map(str, [access.channel_id or 0, int(access.is_limited), *sorted(access.groups)]))


@transaction.atomic
def change_access(form: Form, channel_id: int | None, is_limited: bool, groups: Collection[int], seen: str) -> None:
    """Store who may see the form. Raises NotFound, and InvalidInput unless its access has the stamp `seen`."""
    lock_tree(form.site_id)
    rows: Any = Form.objects.select_for_update().filter(pk=form.pk)
    stored = rows.first()
    if stored is None:
        raise NotFound("form_not_found", "The form does not exist.")
    before, wanted = access_of(stored), Access(channel_id, is_limited, frozenset(groups))
    if stamp_of(before) != seen:
        raise InvalidInput("changed_meanwhile", "The form has changed since it was read.")
    changed = [to_wire(name) for name in Access._fields if getattr(before, name) != getattr(wanted, name)]
    if changed:
        stored.channel_id, stored.is_limited = channel_id, is_limited
        stored.save(update_fields=["channel_id", "is_limited", "updated_at"])
        stored.groups.set(groups)
        audit.record("form.changed", stored, site_id=stored.site_id, changed=changed)
