"""Checks values against the columns of a model, before the database truncates or refuses them."""

from collections.abc import Callable
from typing import Any

from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils.translation import gettext_lazy as _

from core.rest.names import to_wire
from transfer.package import PackageError, filled

# Longest name in the tables of groups and tags.
MAX_NAME = 255
LISTS = ("group_name_collection", "tags")
# The same for all engines, so that packages are portable.
RANGES = BaseDatabaseOperations.integer_field_ranges


class Columns:
    """The columns of a model; errors spell them by `spell`."""

    def __init__(self, model: type[models.Model], spell: Callable[[str], str] = to_wire) -> None:
        self._spell = spell
        columns = model._meta.concrete_fields
        # The names of contents become rows; names of channels stay texts.
        self._lists = LISTS if any(column.name == "tags" for column in columns) else ()
        self._lengths = {column.name: column.max_length for column in columns if column.max_length}
        self._ranges = {
            column.name: RANGES[column.get_internal_type()]
            for column in columns
            if isinstance(column, models.IntegerField)
        }

    def check(self, fields: dict[str, Any], origin: str) -> None:
        """Raise PackageError for the first value that does not fit its column."""
        for name, value in fields.items():
            if isinstance(value, str):
                check_length(value, self._lengths.get(name), self._spell(name), origin)
                if name in self._lists and len(value) > MAX_NAME:
                    for item in value.split(","):
                        check_length(item.strip(), MAX_NAME, f"an item of {self._spell(name)}", origin)
            elif name in self._ranges:
                lowest, highest = self._ranges[name]
                if not lowest <= value <= highest:
                    told = _("%(number)s is outside the range %(lowest)s to %(highest)s.")
                    reason = filled(told, number=value, lowest=lowest, highest=highest)
                    raise PackageError(reason, file=origin, element=f"field {self._spell(name)}")


def check_length(text: str, longest: int | None, name: str, origin: str) -> None:
    """Raise PackageError if the text is too long; nothing is truncated."""
    if longest is not None and len(text) > longest:
        reason = filled(
            _("The text has %(count)d characters; at most %(most)d are allowed."), count=len(text), most=longest
        )
        raise PackageError(reason, file=origin, element=f"field {name}")
