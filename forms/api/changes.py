"""Changes of entries by keys: each is one transaction."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.lib.errors import NotFound
from core.rest.preconditions import Precondition
from forms import services
from forms.api.records import Record, represent
from forms.models import Entry
from sites.models import require_site


def find_entry(site_id: int, entry_id: int, *, is_locked: bool = False) -> Entry:
    """Raises NotFound."""
    require_site(site_id)
    rows = Entry.objects.select_related("form").filter(pk=entry_id, form__site=site_id)
    entry = (rows.select_for_update(of=["self"]) if is_locked else rows).first()
    if entry is None:
        raise NotFound("entry_not_found", f"Entry {entry_id} was not found.")
    return entry


@transaction.atomic
def change_entry(site_id: int, entry_id: int, values: Mapping[str, Any], check: Precondition | None) -> Entry:
    """Set the reply and the state, as far as they are in `values`. Raises NotFound, and the errors of `check`."""
    services.hold_lists(find_entry(site_id, entry_id))
    entry = find_entry(site_id, entry_id, is_locked=True)
    if check is not None:
        check(entry)
    if (reply := values.get("reply_content", entry.reply)) != entry.reply:
        services.reply(entry, reply, entry.reply)
    if (state := values.get("state", entry.state)) != entry.state:
        services.change_state(entry, state, entry.state)
        entry.refresh_from_db(fields=["state", "spam_at"])
    return entry


@transaction.atomic
def delete_entry(site_id: int, entry_id: int, check: Precondition | None) -> Record:
    """Return the record as it was. Raises NotFound, and the errors of `check`."""
    services.hold_lists(find_entry(site_id, entry_id))
    entry = find_entry(site_id, entry_id, is_locked=True)
    if check is not None:
        check(entry)
    _tag, record = represent(entry)
    services.delete_entry(entry)
    return record
