"""Kinds of custom fields in a package: Table/<table>/<name>/<number>.xml."""

import re
from collections.abc import Iterable
from datetime import tzinfo
from typing import Any

from django.utils.translation import gettext_lazy as _

from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from core.rest.names import camelise
from sites.models import FieldDefinition, FieldOwner
from transfer import names
from transfer.columns import Columns
from transfer.names import ElementSorter, Fields
from transfer.package import FieldRecord, PackageError, filled
from transfer.template_files import TemplateFiles

MAX_DEFINITIONS = 1_000
MAX_CHOICES = 1_000
# SiteServer's input types; of other types the admin shows one line.
_KINDS = {
    "textarea": CustomField.Kind.TEXT,
    "texteditor": CustomField.Kind.TEXT,
    "date": CustomField.Kind.DAY,
    "datetime": CustomField.Kind.DATE,
    "selectone": CustomField.Kind.CHOICE,
    "radio": CustomField.Kind.CHOICE,
    "image": CustomField.Kind.IMAGE,
    "video": CustomField.Kind.VIDEO,
    "file": CustomField.Kind.FILE,
}
_FILE = re.compile(r"table/([^/]+)/[^/]+/[^/]+\.xml")
# Other tables are of contents.
_OWNERS = {
    "siteserver_publishmentsystem": FieldOwner.SITE,
    "siteserver_site": FieldOwner.SITE,
    "siteserver_node": FieldOwner.CHANNEL,
    "siteserver_channel": FieldOwner.CHANNEL,
}


def read_definitions(files: TemplateFiles, time_zone: tzinfo, table_name: str) -> tuple[FieldRecord, ...]:
    """One definition of each field, from the topmost channel in the site's own table. Raises PackageError."""
    tables = {name: match[1] for path, name in files.described.items() if (match := _FILE.fullmatch(path))}
    if len(tables) > MAX_DEFINITIONS:
        raise PackageError(filled(_("The site has more than %(count)d custom fields."), count=MAX_DEFINITIONS))
    columns = Columns(FieldDefinition)
    ranked = []
    for file, table in tables.items():
        place, fields = _read(files, file, time_zone)
        if fields["name"]:
            fields |= {"owner": _OWNERS.get(table, FieldOwner.CONTENT).value}
            columns.check(fields, file)
            ranked.append(((table != table_name.casefold(), place.count("_"), place, file), FieldRecord(fields, file)))
    found: dict[tuple[str, str], FieldRecord] = {}
    for _rank, record in sorted(ranked, key=lambda each: each[0]):
        found.setdefault((record.fields["owner"], record.fields["folded_name"]), record)
    return tuple(found.values())


def offered_fields(records: Iterable[FieldRecord]) -> list[CustomField]:
    """Return how the admin offers the fields of contents to editors, in order and without a site."""
    ordered = sorted((record.fields for record in records), key=lambda fields: fields.get("taxis", 0))
    own = [fields for fields in ordered if fields["owner"] == FieldOwner.CONTENT and _is_custom(fields["folded_name"])]
    return [
        CustomField(
            name=fields["name"],
            folded_name=fields["folded_name"],
            label=fields.get("label", ""),
            kind=_KINDS.get(fields.get("kind", "").casefold(), CustomField.Kind.LINE),
            choices="\n".join(str(value) for _title, value in fields["choices"]),
            taxis=taxis,
            is_offered=fields.get("is_visible", True),
        )
        for taxis, fields in enumerate(own, start=1)
    ]


def _is_custom(folded: str) -> bool:
    return folded not in BY_FOLDED_WIRE and not folded.startswith("check_")


def _read(files: TemplateFiles, file: str, time_zone: tzinfo) -> tuple[str, Fields]:
    """The place of the field's channel in the tree, and the definition without its owner."""
    choices: list[list[Any]] = []
    sorter = ElementSorter(names.CHOICE, None, time_zone)
    with files.feed(file) as feed:
        fields, _custom = ElementSorter(names.FIELD, None, time_zone).sort(feed.head, file)
        for number, elements in enumerate(feed.entries(), start=1):
            choice, _custom = sorter.sort(elements, file, f"entry {number}")
            title = choice.get("title", "")
            choices.append([title, choice.get("value", title)])
            if number > MAX_CHOICES:
                raise PackageError(filled(_("A field has more than %(count)d choices."), count=MAX_CHOICES), file=file)
    place, name = fields.pop("place", ""), camelise(fields.pop("name", "").strip())
    return place, fields | {"name": name, "folded_name": name.casefold(), "choices": choices}
