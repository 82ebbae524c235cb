"""Contents of a site archive: rows of some tables, and the files in the site's folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models

from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentGroup, ContentPicture, ContentTag, CustomField, LastTaxis
from core.archive.tables import Row, Table, place_of_row, table_of
from core.lib.media_storage import SITE_FILES
from forms.models import Entry, Field, Form
from media_library.models import MediaFile, MediaFolder
from pages.models import FormerAddress, FormerRule, Template
from sites.models import FieldDefinition, Site
from transfer.columns import Columns
from transfer.package import PackageError

_INT64 = range(-(2**63), 2**63)
Fields = dict[str, Any]  # by column


@dataclass(frozen=True, slots=True)
class Where:
    table: Table
    number: int

    def refuse(self, reason: str, field: str = "") -> PackageError:
        place = place_of_row(self.table, self.number)
        return PackageError(reason, file=place, element=f"field {field}" if field else "")


class SiteTable:
    """Rows of a model, without columns that are derived or specific to the installation."""

    def __init__(
        self, model: type[models.Model], left_out: set[str], site: str = "site_id", trash: Sequence[str] = ()
    ) -> None:
        self.model, self.table = model, table_of(model, left_out)
        self.site, self.trash = site, trash  # lookups of the site's id and of times of trashing
        self.names = [column.name for column in self.table.columns]
        self._fields: Any = {field.column: field for field in model._meta.concrete_fields}
        self._columns = Columns(model, str)

    def read(self, row: Row, where: Where) -> Fields:
        """The row's values by column. Raises PackageError for one that a database cannot hold."""
        fields = dict(zip(self.names, row, strict=True))
        for column in self.table.columns:
            problem = _problem(self._fields[column.name], column.kind, fields[column.name])
            if problem:
                raise where.refuse(problem, column.name)
        given = {name: value for name, value in fields.items() if value is not None}
        self._columns.check(given, place_of_row(self.table, where.number))
        return fields


def _problem(field: Any, kind: str, value: Any) -> str:
    if value is None:
        return "" if field.null else "It must not be null."
    if kind == "integer" and value not in _INT64:
        return "The number must fit into 64 bits."
    if isinstance(value, str) and "\0" in value:
        return "It has a NUL character, which cannot be stored."
    if field.choices and value not in (possible := [choice for choice, _ in field.choices]):
        return f"It must be one of {', '.join(sorted(possible))}."
    if kind == "time" and not _is_time(value):
        return "It must be a time such as 2026-01-31T08:00:00, without a time zone."
    return ""


def _is_time(text: str) -> bool:
    # A single format, since SQLite compares times as texts.
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is None and moment.isoformat() == text


def folder_of(site_id: int) -> str:
    return f"{SITE_FILES.folder}/{site_id}"


def is_file_of(site_id: int, name: str) -> bool:
    """Return whether the name is a valid one below the site's folder; hidden files are not."""
    below = name.removeprefix(f"{SITE_FILES.folder}/")
    return name.startswith(f"{folder_of(site_id)}/") and bool(SITE_FILES.names.fullmatch(below))


SITE = SiteTable(Site, {"parent_id", "taxis", "web_url", "trashed_at", "purge_began_at"}, site="id")
FIELD = SiteTable(CustomField, {"id", "site_id", "folded_name"})
DEFINITION = SiteTable(FieldDefinition, {"id", "site_id", "folded_name"})
GROUP = SiteTable(ContentGroup, {"id", "site_id", "is_own"})
TAG = SiteTable(ContentTag, {"id", "site_id"})
TEMPLATE = SiteTable(Template, {"site_id"})
CHANNEL = SiteTable(Channel, {"site_id"}, trash=["trashed_at"])
LAST_TAXIS = SiteTable(LastTaxis, set(), site="channel__site_id", trash=["channel__trashed_at"])
CONTENT = SiteTable(Content, {"site_id"}, trash=["trashed_at"])
BODY = SiteTable(ContentBody, set(), site="content__site_id", trash=["content__trashed_at"])
PICTURE = SiteTable(ContentPicture, {"id"}, site="content__site_id", trash=["content__trashed_at"])
FORMER_ADDRESS = SiteTable(FormerAddress, {"id", "site_id"}, trash=["channel__trashed_at", "content__trashed_at"])
FORMER_RULE = SiteTable(FormerRule, {"id", "site_id"})
FOLDER = SiteTable(MediaFolder, {"site_id", "folded_name"})
FILE = SiteTable(MediaFile, {"id", "site_id", "replaced_at"}, trash=["trashed_at"])
FORM = SiteTable(Form, {"site_id", "folded_name"})
FORM_FIELD = SiteTable(Field, {"folded_key"}, site="form__site_id")
# Senders know the token of their entry, so a copy has another one.
ENTRY = SiteTable(Entry, {"id", "token", "digest"}, site="form__site_id")
# In file order: referenced rows first.
TABLES: Mapping[str, SiteTable] = {
    each.table.name: each
    for each in (
        *(SITE, FIELD, DEFINITION, GROUP, TAG, TEMPLATE, CHANNEL, LAST_TAXIS, CONTENT, BODY, PICTURE),
        *(FORMER_ADDRESS, FORMER_RULE, FOLDER, FILE, FORM, FORM_FIELD, ENTRY),
    )
}
STORED = [each.table for each in TABLES.values()]
