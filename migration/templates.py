"""Templates of the chosen sites: rows of the source with their texts in the sites' folders, and included files."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction

from core.archive import database
from core.lib import clock
from migration.columns import Fields
from migration.context import Context
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import flag, number, text
from pages.models import Template
from pages.services import store
from transfer.columns import Columns
from transfer.package import PackageError, template_key
from transfer.page_templates import TemplateReader
from transfer.template_files import SiteFolder
from transfer.values import TEMPLATE_KINDS, read_page_path
from transfer.whole_site.tables import TEMPLATE

_TABLE = "siteserver_template"
_KIND = "templates"


def migrate_templates(context: Context, folders: Mapping[int, SiteFolder]) -> dict[int, int]:
    """Store the templates of the sites with a folder, and return their ids here by ids of the source."""
    of_site: dict[int, list[Row]] = defaultdict(list)
    for row in context.rows(_TABLE, _KIND):
        of_site[number(row.get("siteid"))].append(row)
    found: dict[int, int] = {}
    highest = max((number(row.get("id")) for rows in of_site.values() for row in rows), default=0)
    # Includes, which have no ids in the source, come after its templates.
    database.go_on_after(connection, TEMPLATE.table, max(highest, database.last_number(connection, TEMPLATE.table)))
    for site_id in [site_id for site_id in of_site if folders and site_id not in folders]:
        if context.options.asks_for(site_id):
            for row in of_site[site_id]:
                told = "A template of no site that is here with a folder was left out."
                context.report.find(told, f"siteserver_Template {number(row.get('id'))}", f"site {site_id}")
                context.report.add(_KIND, Outcome.LEFT_OUT)
    for site_id, folder in folders.items():
        with transaction.atomic():
            found |= _SiteTemplates(context, site_id, folder).store(of_site[site_id])
    return found


class _SiteTemplates:
    def __init__(self, context: Context, site_id: int, folder: SiteFolder) -> None:
        self._context, self._site_id, self._reader = context, site_id, TemplateReader(folder)
        stored = Template.objects.filter(site_id=site_id)
        self._stored = {template_key(each.kind, each.name): each for each in stored}
        self._defaults: set[str] = set()

    def store(self, rows: list[Row]) -> dict[int, int]:
        ids: dict[int, int] = {}
        texts: list[str] = []
        for row in sorted(rows, key=lambda row: number(row.get("id"))):
            place = f"siteserver_Template {number(row['id'])}"
            if fields := self._read(row, place):
                texts.append(fields["text"])
                ids[number(row.get("id"))] = self._write(fields, number(row.get("id")))
        try:
            for record in self._reader.includes(texts):
                self._write(record.fields, 0)
        except PackageError as error:
            told = "A file that templates include cannot be read; it and those after it were left out."
            self._context.report.find(told, f"site {self._site_id}", str(error))
        self._context.store(_TABLE, [(source_id, pk, "") for source_id, pk in ids.items()])
        return ids

    def _read(self, row: Row, place: str) -> Fields:
        kind = TEMPLATE_KINDS.get(text(row.get("templatetype")).casefold(), "")
        is_default = flag(row.get("isdefault", row.get("defaulttemplate"))) and kind not in self._defaults
        fields = {
            "kind": kind,
            "name": text(row.get("templatename")),
            "file_name": text(row.get("relatedfilename")),
            "extension": text(row.get("createdfileextname")) or ".html",
            "is_default": is_default,
            "text": "",
        }
        try:
            fields["page_path"] = read_page_path(text(row.get("createdfilefullname")), self._context.options.time_zone)
            fields = self._reader.complete(fields, place)
            Columns(Template).check(fields, place)
        except ValueError as error:
            self._context.report.find("A template cannot be read and was left out.", place, str(error))
            self._context.report.add(_KIND, Outcome.LEFT_OUT)
            return {}
        if not fields["text"]:
            self._context.report.find(
                "A template has no text, since its file is missing or empty.", place, str(fields["file_name"])
            )
        self._defaults |= {kind} if is_default else set()
        return fields

    def _write(self, fields: dict[str, Any], wanted_id: int) -> int:
        template = self._stored.get(template_key(fields["kind"], fields["name"]))
        if template is None:
            is_free = wanted_id and not Template.objects.filter(pk=wanted_id).exists()
            template = Template(site_id=self._site_id, changed_at=clock.now(), **fields)
            template.pk = wanted_id if is_free else None
            template.save(force_insert=True)
            outcome = Outcome.NEW
        elif different := [name for name, value in fields.items() if getattr(template, name) != value]:
            for name in different:
                setattr(template, name, fields[name])
            store(template)
            outcome = Outcome.UPDATED
        else:
            outcome = Outcome.UNCHANGED
        self._context.report.add(_KIND, outcome)
        self._stored[template_key(fields["kind"], fields["name"])] = template
        return int(template.pk)
