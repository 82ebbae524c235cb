"""Forms of all versions, with what visitors have sent if that is asked for.

Databases that came from version 5 keep its tables of forms, which later versions do not read.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from django.db import transaction

from forms.models import Entry, Field, Form
from migration import records
from migration.context import Context
from migration.report import Outcome
from migration.sources.source import Row, Value
from migration.values import number, settings, text
from transfer.form_records import InputSource, Titles, entry_record, form_record, named_apart, titles_of
from transfer.form_versions import (
    choice_of_version_5,
    entry_columns,
    entry_columns_of_version_5,
    form_columns,
    form_columns_of_version_5,
    input_of_version_5,
    input_of_version_6,
    input_of_version_7,
    with_listed,
)
from transfer.form_writers import entries_of, fields_of, store_fields
from transfer.package import EntryRecord, FormRecord

_KIND, _ENTRIES = "forms", "entries of forms"
_AT_A_TIME = 500


@dataclass(frozen=True)
class _Tables:
    """Tables of a version: forms, entries, and the column of an entry that has its values in JSON or pairs."""

    forms: str
    entries: str
    values: str
    origin: Form.Origin
    pk: str = "id"  # of a form
    site: str = "siteid"
    form: str = "formid"  # of an entry


_OF_VERSION_5 = _Tables(
    "siteserver_input",
    "siteserver_inputcontent",
    "settingsxml",
    Form.Origin.INPUT,
    pk="inputid",
    site="publishmentsystemid",
    form="inputid",
)
_OF_EXTENSION = _Tables("ss_form", "ss_form_log", "attributevalues", Form.Origin.PLUGIN)
_VERSIONS = (
    _OF_VERSION_5,
    _OF_EXTENSION,
    _Tables("sscms_form", "sscms_form_data", "extendvalues", Form.Origin.FORM),
    _Tables("siteserver_form", "siteserver_formdata", "extendvalues", Form.Origin.FORM),
)


def migrate_forms(context: Context, site_ids: frozenset[int], channels: Collection[int]) -> set[str]:
    """Store the forms of the chosen sites; return the tables that were read. `channels` are the ids of known ones.

    The product's own forms of version 7 win over those of its extension before, which have the same numbers.
    """
    read: set[str] = set()
    present = set(context.source.tables())
    for tables in _VERSIONS:
        if tables.forms not in present or (tables.forms == "sscms_form" and "siteserver_form" in present):
            continue
        forms = _Forms(context, tables, channels)
        stored = forms.store(site_ids)
        read |= forms.tables
        if context.options.with_entries and tables.entries in present:
            forms.store_entries(stored)
            read.add(tables.entries)
    return read


class _Forms:
    def __init__(self, context: Context, tables: _Tables, channels: Collection[int]) -> None:
        self._context, self._tables, self._channels = context, tables, channels
        self.tables = {tables.forms}
        self._fields: dict[int, list[tuple[Row, list[Row]]]] = defaultdict(list)
        if tables is _OF_EXTENSION:
            self._read_fields("ss_form_field", "formid", "ss_form_field_item", "fieldid")
        else:
            self._read_fields("siteserver_tablestyle", "relatedidentity", "siteserver_tablestyleitem", "tablestyleid")
        if tables is _OF_VERSION_5 and not self._fields:
            table = "bairong_tablestyle"
            self._read_fields(table, "relatedidentity", f"{table}item", "tablestyleid", pk="tablestyleid")

    def _read_fields(self, table: str, form: str, items: str, field: str, pk: str = "id") -> None:
        self.tables |= {table, items}
        choices: dict[int, list[Row]] = defaultdict(list)
        for row in self._context.source.rows(items):
            choices[number(row.get(field))].append(row)
        for row in self._context.source.rows(table):
            if text(row.get("tablename")).casefold() in ("", self._tables.entries):
                self._fields[number(row.get(form))].append((row, choices[number(row.get(pk))]))

    def store(self, site_ids: frozenset[int]) -> dict[int, tuple[Form, FormRecord, Titles]]:
        """Store the forms, and return them by the ids of their rows."""
        stored = {}
        pks = [number(row.get(self._tables.pk)) for row in self._rows(site_ids)]
        known = records.find(self._tables.forms, pks)
        for row in self._rows(site_ids):
            pk, site_id = number(row.get(self._tables.pk)), number(row.get(self._tables.site))
            sources = [self._source(*field) for field in sorted(self._fields[pk], key=self._place)]
            record = self._record(pk, row, sources)
            digest = records.digest_of(row | {"fields": repr(self._fields[pk])})
            if form := self._write(site_id, pk, record, digest, known.get(pk)):
                stored[pk] = (form, record, titles_of(sources))
        return stored

    def _record(self, pk: int, row: Row, sources: list[InputSource]) -> FormRecord:
        place, origin = f"{self._tables.forms} {pk}", {"origin": self._tables.origin.value, "origin_id": pk}
        if self._tables is _OF_VERSION_5:
            more = self._settings(row.get("settingsxml"), place)
            return form_record(form_columns_of_version_5(row, more, self._tell) | origin, sources, self._tell)
        more = self._settings(row.get("extendvalues") or row.get("settings"), place)
        columns = form_columns(row, more, self._context.options.time_zone, self._tell)
        record = form_record(columns | origin, sources, self._tell)
        return replace(record, inputs=with_listed(record.inputs, more))

    def _rows(self, site_ids: frozenset[int]) -> Iterator[Row]:
        for row in self._context.source.rows(self._tables.forms):
            if number(row.get(self._tables.site)) in site_ids and number(row.get(self._tables.pk)) > 0:
                yield row

    @transaction.atomic
    def _write(
        self, site_id: int, pk: int, record: FormRecord, digest: str, known: records.Migrated | None
    ) -> Form | None:
        form = Form.objects.filter(site_id=site_id, origin=self._tables.origin, origin_id=pk).first()
        if form is None and known:
            told = "A form has been deleted here; it is not created again."
            self._context.report.find(told, f"{self._tables.forms} {pk}")
            self._context.report.add(_KIND, Outcome.LEFT_OUT)
            return None
        if form is None:
            taken = Form.objects.filter(site_id=site_id).values_list("folded_name", flat=True)
            (record,) = named_apart([record], self._tell, taken)
            form = Form.objects.create(site_id=site_id, **record.fields)
            store_fields(form, record)
            outcome = Outcome.NEW
        elif known and known.digest == digest:
            outcome = Outcome.UNCHANGED
        else:
            self._update(form, record)
            outcome = Outcome.UPDATED
        self._context.report.add(_KIND, outcome)
        self._context.store(self._tables.forms, [(pk, form.pk, digest)])
        return form

    @staticmethod
    def _update(form: Form, record: FormRecord) -> None:
        """Bring the fields up to date by their names; fields that were added here stay."""
        for field in record.inputs:
            # Which fields everybody sees is decided here.
            known = {name: value for name, value in field.items() if name != "is_listed"}
            Field.objects.update_or_create(
                form=form, folded_key=field["key"].casefold(), defaults=known, create_defaults=field
            )
        form.description = record.fields["description"]
        form.save(update_fields=["description", "updated_at"])

    def _source(self, row: Row, items: list[Row]) -> InputSource:
        if self._tables is _OF_EXTENSION:
            return input_of_version_6(row, items)
        place = f"{self._tables.forms}: {text(row.get('attributename'))[:60]}"
        more = self._settings(row.get("extendvalues"), place)
        if self._tables is _OF_VERSION_5:
            return input_of_version_5(row, more, [choice_of_version_5(item) for item in items])
        return input_of_version_7(row, more, items, self._tell, place)

    def _place(self, field: tuple[Row, list[Row]]) -> tuple[bool, int, int]:
        """Return what fields are sorted by; version 5 showed those with a high Taxis first."""
        taxis, pk = number(field[0].get("taxis")), number(field[0].get("id"))
        return (False, -taxis, pk) if self._tables is _OF_VERSION_5 else (taxis == 0, taxis, pk)

    def _settings(self, value: Value, place: str) -> dict[str, str]:
        found = settings(value, partial(self._note, place))
        return {name.casefold(): text(each) for name, each in found.items()}

    def store_entries(self, forms: dict[int, tuple[Form, FormRecord, Titles]]) -> None:
        """Store the entries that no earlier run has stored."""
        table = self._tables.entries
        keys = {pk: fields_of(form) for pk, (form, _record, _titles) in forms.items()}
        of_form = self._tables.form
        rows = (row for row in self._context.rows(table, _ENTRIES) if number(row.get(of_form)) in forms)
        while batch := list(islice(rows, _AT_A_TIME)):
            known = records.find(table, [number(row.get("id")) for row in batch])
            new = [row for row in batch if number(row.get("id")) not in known]
            with transaction.atomic():
                entries: list[Entry] = []
                for row in new:
                    form, record, titles = forms[number(row.get(of_form))]
                    read = self._entry(record, row, titles)
                    entries += entries_of(form, [read], keys[number(row.get(of_form))])
                Entry.objects.bulk_create(entries)
                done = zip(new, entries, strict=True)
                self._context.store(table, [(number(row.get("id")), entry.pk, "") for row, entry in done])
            self._context.report.add(_ENTRIES, Outcome.NEW, len(new))
            self._context.report.add(_ENTRIES, Outcome.UNCHANGED, len(batch) - len(new))

    def _entry(self, record: FormRecord, row: Row, titles: Titles) -> EntryRecord:
        place = f"{self._tables.entries} {number(row.get('id'))}"
        sent, zone = self._settings(row.get(self._tables.values), place), self._context.options.time_zone
        columns_of = entry_columns_of_version_5 if self._tables is _OF_VERSION_5 else entry_columns
        channel = number(row.get("channelid"))
        columns = columns_of(row, zone) | {"channel_id": channel if channel in self._channels else None}
        return entry_record(record, columns, sent, titles, zone, self._tell)

    def _note(self, place: str, told: str, detail: str) -> None:
        self._context.report.find(told, place, detail)

    def _tell(self, told: str, place: str) -> None:
        self._context.report.find(f"{told}.", f"{self._tables.forms} {place[:200]}")
