"""Writes forms with their fields, and their entries."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from forms.models import Entry, Field, Form
from transfer.package import EntryRecord, FormRecord

_BATCH = 500


def store_forms(
    site_id: int,
    records: Iterable[FormRecord],
    channels: Mapping[tuple[int, ...], int],
    *,
    with_entries: bool = False,
) -> int:
    """Store the forms and, only if asked for, their entries; return the number of the entries."""
    return sum(store_form(site_id, record, channels, with_entries=with_entries)[1] for record in records)


def store_form(
    site_id: int,
    record: FormRecord,
    channels: Mapping[tuple[int, ...], int] | None = None,
    *,
    with_entries: bool = False,
) -> tuple[Form, int]:
    """Store the form and, only if asked for, its entries; return it and the number of the entries."""
    channel_id = channels[record.channel] if channels and record.channel is not None else None
    form = Form.objects.create(site_id=site_id, channel_id=channel_id, **record.fields)
    stored = store_fields(form, record)
    return form, _store_entries(form, record.entries(), stored) if with_entries else 0


def store_fields(form: Form, record: FormRecord) -> dict[str, int]:
    """Return the ids of the fields by their folded keys."""
    fields = [Field(form=form, folded_key=each["key"].casefold(), **each) for each in record.inputs]
    return {field.folded_key: field.pk for field in Field.objects.bulk_create(fields)}


def fields_of(form: Form) -> dict[str, int]:
    """Return the ids of the fields by their folded keys."""
    return dict(form.fields.values_list("folded_key", "pk"))


def entries_of(form: Form, records: Iterable[EntryRecord], fields: dict[str, int]) -> list[Entry]:
    """Return entries that are not yet stored; `fields` are ids by folded key."""
    return [
        Entry(
            form=form,
            source=Entry.Source.IMPORT,
            values={str(fields[key]): value for key, value in record.values.items() if key in fields},
            **record.fields,
        )
        for record in records
    ]


def _store_entries(form: Form, records: Iterator[EntryRecord], fields: dict[str, int]) -> int:
    count = 0
    while batch := list(islice(records, _BATCH)):
        Entry.objects.bulk_create(entries_of(form, batch, fields))
        count += len(batch)
    return count
