"""Which tables belong into a backup: those of all models in Django's registry, but for what is named here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models

from cms_api.operation.backup import kinds
from cms_api.operation.backup.faults import BackupFault

# Written anew after a restore, out of what was restored; stored they would take several times the space and as long.
DERIVED = {
    "contents.listedcontent": "the lists, out of the contents",
    "contents.listedcount": "their counts, out of the lists",
    "channels_app.treeversion": "numbers that must never come back",
}
# What a restore leaves as it is: it belongs to the servers that run, and to the moment.
LEFT_ALONE = {
    "accounts.knownaddress": "where accounts have signed in lately, under the secret key of these servers",
    "audit.auditretention": "always empty",
    "operation.node": "the servers that run",
    "operation.restartorder": "what they were asked to do",
    "cms_api.sharedcount": "failed sign-ins and used captchas of the last minutes",
}
# What a restore empties: it would mean something else beside other rows.
EMPTIED = {
    "jobs.job": "their files are in the folder of a node",
    "cms_api.kepttable": "files between a preview and an import, for a day at most",
    "sessions.session": "who is signed in: their numbers open the back end",
}
# What `migrate` fills by itself, so that an empty database has rows there.
OF_MIGRATIONS = {"contenttypes.contenttype", "auth.permission"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name in the database, with what it holds (cms_api.operation.backup.kinds)."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its name in the database, with its columns, of which the first ones tell rows apart."""

    name: str
    label: str  # of its model: "contents.content"
    columns: tuple[Column, ...]
    keys: int  # how many columns tell rows apart; whole numbers
    is_numbered: bool  # whether the database gives out the numbers


def stored_tables() -> list[Table]:
    """What a backup holds, each table after those that it refers to."""
    left_out = DERIVED.keys() | LEFT_ALONE.keys() | EMPTIED.keys()
    return [_table(model) for model in _in_order() if model._meta.label_lower not in left_out]


def names_of(labels: Any) -> list[str]:
    return [apps.get_model(label)._meta.db_table for label in labels]


def model_of(table: Table) -> type[models.Model]:
    for model in _models():
        if model._meta.db_table == table.name:
            return model
    raise BackupFault(f"There is no table {table.name}.")


def _models() -> Iterator[type[models.Model]]:
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield model


def _in_order() -> list[type[models.Model]]:
    found: dict[type[models.Model], None] = {}

    def take(model: type[models.Model], above: frozenset[type[models.Model]]) -> None:
        for field in model._meta.concrete_fields:
            other = field.related_model
            if isinstance(other, type) and other not in above and other not in found:
                take(other._meta.concrete_model or other, above | {other})
        found[model] = None

    for model in sorted(_models(), key=lambda model: model._meta.label_lower):
        take(model, frozenset({model}))
    return list(found)


def _table(model: type[models.Model]) -> Table:
    key: Any = model._meta.pk
    keys = list(key.fields) if isinstance(key, models.CompositePrimaryKey) else [key]
    fields: list[Any] = [*keys, *(field for field in model._meta.concrete_fields if field not in keys)]
    columns = tuple(Column(field.column, kinds.kind_of(field)) for field in fields)
    if any(column.kind != kinds.INTEGER for column in columns[: len(keys)]):
        raise BackupFault(f"Rows of {model._meta.label} are not told apart by numbers, which backups need.")
    is_numbered = isinstance(key, models.AutoField)
    return Table(model._meta.db_table, model._meta.label_lower, columns, len(keys), is_numbered)
