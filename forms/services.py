"""Changes of forms and entries: each is one transaction and writes to the audit, without values of entries."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from channels_app.services import lock_tree
from core import audit
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound
from core.rest.names import to_wire
from forms.models import Entry, Field, Form
from forms.purging import delete_entries

MEMBERS = (
    *("name", "title", "description", "is_open", "opens_at", "closes_at", "guard", "blocked_words", "success_text"),
    *("keep_days", "public_list", "page_size"),
    *("consent_text", "confirmation_subject", "confirmation_text", "confirmation_has_values"),
)
FIELD_MEMBERS = (
    *("key", "label", "help_text", "kind", "is_required", "rules", "choices", "default", "is_visible", "taxis"),
    *("is_listed", "is_sensitive", "gets_confirmation"),
)


def stamp_of(form: Form) -> str:
    """Return a digest of what the form and its fields say, by which a change since then is found."""
    stored = Form.objects.values_list(*MEMBERS).filter(pk=form.pk)
    fields = Field.objects.filter(form=form).values_list("pk", *FIELD_MEMBERS)
    return hashlib.sha256(repr([*stored, *fields]).encode()).hexdigest()


@transaction.atomic
def store_form(form: Form, fields: Sequence[Field], seen: str = "") -> None:
    """Create the form, or change it if it still has the stamp `seen`, with exactly these fields in their order.

    Raises NotFound, and InvalidInput for a name that is taken or after a change by others.
    """
    lock_tree(form.site_id)
    before = Form.objects.filter(pk=form.pk).first() if form.pk else None
    if form.pk and before is None:
        raise _gone()
    if before is not None and stamp_of(form) != seen:
        raise InvalidInput("changed_meanwhile", "The form has changed since it was read.")
    same = Form.objects.filter(site_id=form.site_id, folded_name=form.name.casefold()).exclude(pk=form.pk)
    if same.exists():
        raise InvalidInput("form_name_taken", "The site already has a form with this name.", member="name")
    changed = [to_wire(name) for name in MEMBERS if before and getattr(before, name) != getattr(form, name)]
    if before is None or changed:
        form.save()
    if _store_fields(form, fields):
        changed.append("fields")
    if before is None:
        audit.record("form.created", form, site_id=form.site_id)
    elif changed:
        audit.record("form.changed", form, site_id=form.site_id, changed=changed)


def _store_fields(form: Form, fields: Iterable[Field]) -> bool:
    """Return true if a field was added, changed or deleted."""
    stored = {field.pk: field for field in form.fields.all()}
    wanted = list(fields)
    number, _rows = form.fields.exclude(pk__in=[field.pk for field in wanted if field.pk]).delete()
    for field in wanted:
        if field.pk in stored and stored[field.pk].folded_key != field.key.casefold():
            # Freed first, so that fields may exchange their keys.
            Field.objects.filter(pk=field.pk).update(folded_key=f"\n{field.pk}")
    for place, field in enumerate(wanted):
        former = stored.get(field.pk)
        field.form, field.taxis, field.pk = form, place, former.pk if former else None
        if former is None or any(getattr(former, name) != getattr(field, name) for name in FIELD_MEMBERS):
            field.save()
            number += 1
    return number > 0


@transaction.atomic
def delete_form(form: Form, further: int = 0) -> None:
    """Delete the form with its entries, `further` of which are deleted already. Raises NotFound."""
    lock_tree(form.site_id)
    # Locked, so that no entry arrives in between.
    stored = Form.objects.select_for_update().filter(pk=form.pk).first()
    if stored is None:
        raise _gone()
    audit.record("form.deleted", stored, site_id=stored.site_id, entries=stored.entries.count() + further)
    stored.delete()


def _gone() -> NotFound:
    return NotFound("form_not_found", "The form does not exist.")


@transaction.atomic
def change_state(entry: Entry, state: str, was: str) -> None:
    """Raises InvalidInput if the state is not `was`."""
    hold_lists(entry)
    spam_at = clock.now() if state == Entry.State.SPAM else None
    if not Entry.objects.filter(pk=entry.pk, state=was).update(state=state, spam_at=spam_at):
        raise _changed_entry()
    audit.record("entry.changed", entry, site_id=entry.form.site_id, changed=["state"], state=state)


@transaction.atomic
def reply(entry: Entry, text: str, seen: str) -> None:
    """Store the text for the sender of the entry, which is then read.

    Raises InvalidInput if the entry has another reply than `seen`, or is gone.
    """
    hold_lists(entry)
    rows: Any = Entry.objects.select_for_update().filter(pk=entry.pk, reply=seen)
    stored = rows.first()
    if stored is None:
        raise _changed_entry()
    entry.reply, entry.replied_by = text, audit.current_actor().name if text else ""
    entry.replied_at = clock.now() if text else None
    entry.state = Entry.State.READ if stored.state == Entry.State.NEW else stored.state
    entry.save(update_fields=["reply", "replied_by", "replied_at", "state"])
    audit.record("entry.replied", entry, site_id=entry.form.site_id, characters=len(text))


@transaction.atomic
def delete_entry(entry: Entry) -> None:
    hold_lists(entry)
    audit.record("entry.deleted", entry, site_id=entry.form.site_id)
    delete_entries(Entry.objects.filter(pk=entry.pk))


def hold_lists(entry: Entry) -> None:
    """Take the lock of the site before that of the entry, as `delete_form` does, if its pages will be renewed."""
    if entry.form.public_list != Form.PublicList.NONE:
        lock_tree(entry.form.site_id)


def _changed_entry() -> InvalidInput:
    return InvalidInput("changed_meanwhile", "The entry has changed since it was read.")
