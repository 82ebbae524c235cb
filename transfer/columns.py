"""What the columns of a model can hold, checked before the database cuts or refuses a value."""

from typing import Any

from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils.translation import gettext_lazy as _

from cms_api.rest.names import to_wire
from transfer.package import PackageError, filled

# Length of a group's or tag's name in its own table.
MAX_NAME = 255
LISTS = ("group_name_collection", "tags")
# Of every engine, so that a package is not accepted by one and refused by another.
RANGES = BaseDatabaseOperations.integer_field_ranges


class Columns:
    def __init__(self, model: type[models.Model]) -> None:
        columns = model._meta.concrete_fields
        self._lengths = {column.name: column.max_length for column in columns if column.max_length}
        self._ranges = {
            column.name: RANGES[column.get_internal_type()]
            for column in columns
            if isinstance(column, models.IntegerField)
        }

    def check(self, fields: dict[str, Any], origin: str) -> None:
        """Raise for the first field whose value does not fit into its column."""
        for name, value in fields.items():
            if isinstance(value, str):
                self._check_text(name, value, origin)
            elif name in self._ranges:
                self._check_integer(name, value, origin)

    def _check_text(self, name: str, text: str, origin: str) -> None:
        check_length(text, self._lengths.get(name), to_wire(name), origin)
        if name in LISTS and len(text) > MAX_NAME:
            for item in text.split(","):
                check_length(item.strip(), MAX_NAME, f"an item of {to_wire(name)}", origin)

    def _check_integer(self, name: str, number: int, origin: str) -> None:
        lowest, highest = self._ranges[name]
        if not lowest <= number <= highest:
            reason = filled(
                _("%(number)s is outside of %(lowest)s to %(highest)s."), number=number, lowest=lowest, highest=highest
            )
            raise PackageError(reason, file=origin, element=f"field {to_wire(name)}")


def check_length(text: str, longest: int | None, name: str, origin: str) -> None:
    """Raise if the text is longer than allowed; nothing is ever cut."""
    if longest is not None and len(text) > longest:
        reason = filled(_("The text has %(count)d characters; %(most)d are allowed."), count=len(text), most=longest)
        raise PackageError(reason, file=origin, element=f"field {name}")
