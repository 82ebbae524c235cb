"""Forms of version 7, and of the extension for version 6, with what visitors have sent if that is asked for."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import orjson
from django.db import transaction

from core.rest.names import camelise
from forms.models import Entry, Field, Form
from migration import records
from migration.context import Context
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import flag, moment, number, settings, text
from transfer.form_records import Choice, InputSource, Rule, Titles, entry_record, form_record, named_apart, titles_of
from transfer.form_writers import entries_of, fields_of, store_fields
from transfer.package import EntryRecord, FormRecord

_KIND, _ENTRIES = "forms", "entries of forms"
_AT_A_TIME = 500


@dataclass(frozen=True)
class _Tables:
    """Tables of a version: forms, entries, and the column of an entry that has its values in JSON."""

    forms: str
    entries: str
    values: str
    origin: Form.Origin


_OF_EXTENSION = _Tables("ss_form", "ss_form_log", "attributevalues", Form.Origin.PLUGIN)
_VERSIONS = (
    _OF_EXTENSION,
    _Tables("sscms_form", "sscms_form_data", "extendvalues", Form.Origin.FORM),
    _Tables("siteserver_form", "siteserver_formdata", "extendvalues", Form.Origin.FORM),
)


def migrate_forms(context: Context, site_ids: frozenset[int]) -> set[str]:
    """Store the forms of the chosen sites; return the tables that were read.

    The product's own forms of version 7 win over those of its extension before, which have the same numbers.
    """
    read: set[str] = set()
    present = set(context.source.tables())
    for tables in _VERSIONS:
        if tables.forms not in present or (tables.forms == "sscms_form" and "siteserver_form" in present):
            continue
        forms = _Forms(context, tables)
        stored = forms.store(site_ids)
        read |= forms.tables
        if context.options.with_entries and tables.entries in present:
            forms.store_entries(stored)
            read.add(tables.entries)
    return read


class _Forms:
    def __init__(self, context: Context, tables: _Tables) -> None:
        self._context, self._tables = context, tables
        self.tables = {tables.forms}
        self._fields: dict[int, list[tuple[Row, list[Row]]]] = defaultdict(list)
        if tables is _OF_EXTENSION:
            self._read_fields("ss_form_field", "formid", "ss_form_field_item", "fieldid")
        else:
            self._read_fields("siteserver_tablestyle", "relatedidentity", "siteserver_tablestyleitem", "tablestyleid")

    def _read_fields(self, table: str, form: str, items: str, field: str) -> None:
        self.tables |= {table, items}
        choices: dict[int, list[Row]] = defaultdict(list)
        for row in self._context.source.rows(items):
            choices[number(row.get(field))].append(row)
        for row in self._context.source.rows(table):
            if text(row.get("tablename")).casefold() in ("", self._tables.entries):
                self._fields[number(row.get(form))].append((row, choices[number(row.get("id"))]))

    def store(self, site_ids: frozenset[int]) -> dict[int, tuple[Form, FormRecord, Titles]]:
        """Store the forms, and return them by the ids of their rows."""
        stored = {}
        known = records.find(self._tables.forms, [number(row.get("id")) for row in self._rows(site_ids)])
        for row in self._rows(site_ids):
            pk, site_id = number(row.get("id")), number(row.get("siteid"))
            sources = [self._source(*field) for field in sorted(self._fields[pk], key=_place)]
            record = form_record(
                {
                    "name": text(row.get("title")),
                    "description": text(row.get("description")),
                    "taxis": min(max(number(row.get("taxis")), 0), 2**31 - 1),
                    "origin": self._tables.origin.value,
                    "origin_id": pk,
                },
                sources,
                self._tell,
            )
            digest = records.digest_of(row | {"fields": repr(self._fields[pk])})
            if form := self._write(site_id, pk, record, digest, known.get(pk)):
                stored[pk] = (form, record, titles_of(sources))
        return stored

    def _rows(self, site_ids: frozenset[int]) -> Iterator[Row]:
        for row in self._context.source.rows(self._tables.forms):
            if number(row.get("siteid")) in site_ids and number(row.get("id")) > 0:
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
            Field.objects.update_or_create(form=form, folded_key=field["key"].casefold(), defaults=field)
        form.description = record.fields["description"]
        form.save(update_fields=["description", "updated_at"])

    def _source(self, row: Row, items: list[Row]) -> InputSource:
        place = f"{self._tables.forms}: {text(row.get('title') or row.get('attributename'))[:60]}"
        if self._tables is _OF_EXTENSION:
            title = text(row.get("title")).strip()
            rules = [Rule(*each.partition(":")[::2]) for each in text(row.get("validate")).split("|") if each]
            return InputSource(
                key=title,
                label=title,
                kind=text(row.get("fieldtype")) or "Text",
                help_text=text(row.get("description")) or text(row.get("placeholder")),
                choices=[Choice(value := text(i.get("value")), value, flag(i.get("isselected"))) for i in items],
                **_required(rules),
            )
        more = settings(row.get("extendvalues"), partial(self._note, place))
        more = {name.casefold(): value for name, value in more.items()}
        rules = [
            Rule(text(each.get("type")), text(each.get("value")), text(each.get("message")))
            for each in self._listed(more.get("rulevalues"), place)
            if isinstance(each, dict)
        ]
        return InputSource(
            key=camelise(text(row.get("attributename")).strip()),
            label=text(row.get("displayname")),
            kind=text(row.get("inputtype")) or "Text",
            help_text=text(row.get("helptext")),
            default=text(row.get("defaultvalue")),
            choices=[_choice(each) for each in self._listed(more.get("itemvalues"), place) or items],
            **_required(rules),
        )

    def _listed(self, written: Any, place: str) -> list[Any]:
        try:
            found = orjson.loads(written or "[]")
        except (ValueError, TypeError):
            self._tell("Choices or rules of a form cannot be read and were left out", place)
            return []
        return found if isinstance(found, list) else []

    def store_entries(self, forms: dict[int, tuple[Form, FormRecord, Titles]]) -> None:
        """Store the entries that no earlier run has stored."""
        table = self._tables.entries
        keys = {pk: fields_of(form) for pk, (form, _record, _titles) in forms.items()}
        rows = (row for row in self._context.rows(table, _ENTRIES) if number(row.get("formid")) in forms)
        while batch := list(islice(rows, _AT_A_TIME)):
            known = records.find(table, [number(row.get("id")) for row in batch])
            new = [row for row in batch if number(row.get("id")) not in known]
            with transaction.atomic():
                entries: list[Entry] = []
                for row in new:
                    form, record, titles = forms[number(row.get("formid"))]
                    read = self._entry(record, row, titles)
                    entries += entries_of(form, [read], keys[number(row.get("formid"))])
                Entry.objects.bulk_create(entries)
                done = zip(new, entries, strict=True)
                self._context.store(table, [(number(row.get("id")), entry.pk, "") for row, entry in done])
            self._context.report.add(_ENTRIES, Outcome.NEW, len(new))
            self._context.report.add(_ENTRIES, Outcome.UNCHANGED, len(batch) - len(new))

    def _entry(self, record: FormRecord, row: Row, titles: Titles) -> EntryRecord:
        place = f"{self._tables.entries} {number(row.get('id'))}"
        sent = {
            name.casefold(): _joined(value)
            for name, value in settings(row.get(self._tables.values), partial(self._note, place)).items()
        }
        zone = self._context.options.time_zone
        is_replied = flag(row.get("isreplied"))
        fields = {
            "created_at": moment(row.get("createddate") or row.get("adddate"), zone),
            "state": (Entry.State.READ if is_replied else Entry.State.NEW).value,
            "reply": text(row.get("replycontent")) if is_replied else "",
            "replied_at": moment(row.get("replydate"), zone) if is_replied else None,
        }
        return entry_record(record, fields, sent, titles, zone, self._tell)

    def _note(self, place: str, told: str, detail: str) -> None:
        self._context.report.find(told, place, detail)

    def _tell(self, told: str, place: str) -> None:
        self._context.report.find(f"{told}.", f"{self._tables.forms} {place[:200]}")


def _place(field: tuple[Row, list[Row]]) -> tuple[bool, int, int]:
    taxis = number(field[0].get("taxis"))
    return taxis == 0, taxis, number(field[0].get("id"))


def _choice(item: Any) -> Choice:
    """Return a choice from a text or an object in JSON, or from a row."""
    if not isinstance(item, dict):
        return Choice(text(item), text(item))
    folded = {str(name).casefold(): value for name, value in item.items()}
    value = text(folded.get("value", folded.get("itemvalue")))
    title = text(folded.get("label", folded.get("itemtitle"))) or value
    return Choice(title, value or title, flag(folded.get("selected", folded.get("isselected"))))


def _required(rules: list[Rule]) -> dict[str, Any]:
    others = [rule for rule in rules if rule.name.casefold() != "required"]
    return {"is_required": len(others) < len(rules), "rules": others}


def _joined(value: str) -> str:
    """Return several values, which are a list in JSON, with commas between them."""
    if not value.startswith("["):
        return value
    try:
        found = orjson.loads(value)
    except ValueError:
        return value
    return ",".join(map(str, found)) if isinstance(found, list) else value
