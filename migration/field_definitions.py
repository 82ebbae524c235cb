"""Kinds of custom fields: TableStyle with its items."""

from collections import defaultdict
from typing import Any

import orjson
from django.db import transaction

from contents.models import CustomField
from core.rest.names import camelise
from migration.context import Context
from migration.layout import CHANNELS, SITES, Layout
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import number, settings, text
from sites.models import FieldDefinition, FieldOwner, Site
from transfer.columns import Columns
from transfer.field_definitions import MAX_CHOICES, offered_fields
from transfer.package import FieldRecord, PackageError

_STYLES = "siteserver_tablestyle"
_KIND = "kinds of custom fields"
_OWNERS = {SITES: FieldOwner.SITE, CHANNELS: FieldOwner.CHANNEL}


class FieldDefinitions:
    """The definitions in the source; `spellings` has the names of custom fields by their casefolded form."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._choices: dict[int, list[list[str]]] = defaultdict(list)
        for row in context.source.rows("siteserver_tablestyleitem"):
            title, value = text(row.get("itemtitle")), text(row.get("itemvalue"))
            self._choices[number(row.get("tablestyleid"))].append([title, value or title])
        self._rows = [row for row in context.rows(_STYLES, _KIND) if text(row.get("attributename")).strip()]
        self.spellings = {_name_of(row).casefold(): _name_of(row) for row in self._rows}

    def store(self, layout: Layout, sites: dict[int, int]) -> None:
        """Store the definitions of each site; of a field in several channels, that nearest to the home channel."""
        found: dict[int, dict[tuple[str, str], FieldRecord]] = defaultdict(dict)
        tables = {pk: table.casefold() for pk, table in Site.objects.values_list("pk", "table_name")}
        for row in sorted(
            self._rows, key=lambda row: (number(row.get("relatedidentity")) not in tables, number(row.get("id")))
        ):
            if (record := self._record(row, layout)) is None:
                continue
            table, related = text(row.get("tablename")).casefold(), number(row.get("relatedidentity"))
            of_sites = {sites[related]} if related in sites else {pk for pk in sites.values() if tables[pk] == table}
            for site_id in of_sites:
                found[site_id].setdefault((record.fields["owner"], record.fields["folded_name"]), record)
        for site_id in sorted(set(sites.values())):
            _store(self._context, site_id, list(found[site_id].values()))

    def _record(self, row: Row, layout: Layout) -> FieldRecord | None:
        table, place = text(row.get("tablename")).casefold(), f"siteserver_TableStyle {number(row['id'])}"
        owner = FieldOwner.CONTENT if table in layout.content_tables else _OWNERS.get(table)
        if owner is None:
            return None  # of members
        name = _name_of(row)
        fields: dict[str, Any] = {
            "owner": owner.value,
            "name": name,
            "folded_name": name.casefold(),
            "label": text(row.get("displayname")),
            "kind": text(row.get("inputtype")) or "Text",
            "default": text(row.get("defaultvalue")),
            "is_visible": True,
            "taxis": number(row.get("taxis")),
            "choices": (self._choices.get(number(row.get("id"))) or self._choices_in(row, place))[:MAX_CHOICES],
        }
        try:
            Columns(FieldDefinition).check(fields, place)
        except PackageError as error:
            self._context.report.find("The kind of a custom field was left out.", place, error.reason)
            return None
        return FieldRecord(fields, place)

    def _choices_in(self, row: Row, place: str) -> list[list[str]]:
        """Return the items that version 7 has in the settings."""
        found = settings(row.get("extendvalues"), lambda told, detail: self._context.report.find(told, place, detail))
        try:
            items = orjson.loads(found.get("itemValues") or "[]")
            return [[item, item] for item in items if isinstance(items, list) and isinstance(item, str)]
        except (ValueError, TypeError):
            self._context.report.find("The choices of a custom field cannot be read.", place)
            return []


def _name_of(row: Row) -> str:
    return camelise(text(row.get("attributename")).strip())


@transaction.atomic
def _store(context: Context, site_id: int, found: list[FieldRecord]) -> None:
    members = [field for field in FieldDefinition._meta.concrete_fields if field.name not in {"id", "site"}]
    stored = [
        {field.name: getattr(each, field.name) for field in members}
        for each in FieldDefinition.objects.filter(site_id=site_id).order_by("pk")
    ]
    if stored == [each.fields for each in found]:
        context.report.add(_KIND, Outcome.UNCHANGED, len(found))
        return
    context.report.add(_KIND, Outcome.UPDATED if stored else Outcome.NEW, len(found))
    FieldDefinition.objects.filter(site_id=site_id).delete()
    FieldDefinition.objects.bulk_create(FieldDefinition(site_id=site_id, **each.fields) for each in found)
    known = set(CustomField.objects.filter(site_id=site_id).values_list("folded_name", flat=True))
    offered = [field for field in offered_fields(found) if field.folded_name not in known]
    for field in offered:
        field.site_id = site_id
    CustomField.objects.bulk_create(offered)
