"""Sorting the elements of a record into fields of the model and custom fields."""

from datetime import tzinfo
from typing import Any

from django.utils.translation import gettext_lazy as _

from cms_api.admin.refusals import sentences
from cms_api.lib.errors import InvalidInput
from cms_api.rest.custom_members import refuse_values
from transfer.feed import Elements
from transfer.names import LEFT_OUT, SETTINGS, Names
from transfer.package import PackageError, filled, reason_of
from transfer.values import Reader

Fields = dict[str, Any]


class ElementSorter:
    """Knows the names of one kind of record and how its custom fields are read."""

    def __init__(self, names: Names, read_custom: Reader, time_zone: tzinfo) -> None:
        self._names, self._read_custom, self._time_zone = names, read_custom, time_zone

    def sort(self, elements: Elements, file: str, entry: str = "") -> tuple[Fields, Fields]:
        """Return the fields by model name and the custom fields by their own name.

        Where one thing is told under several names, the first one counts.
        """
        fields: Fields = {}
        custom: Fields = {}
        for name, text in elements.items():
            try:
                self._sort_one(name, text, fields, custom)
            except ValueError as error:
                element = f"{entry}, element {name}" if entry else f"element {name}"
                raise PackageError(reason_of(error), file=file, element=element) from error
        if settings := fields.pop(SETTINGS, None):
            self._join_settings(custom, settings)
        _check_sizes(custom, f"{file}, {entry}" if entry else file)
        return fields, custom

    def _sort_one(self, name: str, text: str, fields: Fields, custom: Fields) -> None:
        attribute = self._names.get(name.lower())
        if attribute is None:
            custom[name] = storable(self._read_custom(text, self._time_zone))
        elif attribute.field != LEFT_OUT and attribute.field not in fields:
            fields[attribute.field] = storable(attribute.read(text, self._time_zone))

    def _join_settings(self, custom: Fields, settings: Fields) -> None:
        # An entry of the settings counts only where its name is free.
        taken = self._names.keys() | {name.lower() for name in custom}
        custom.update((name, text) for name, text in settings.items() if name.lower() not in taken)


def _check_sizes(custom: Fields, origin: str) -> None:
    try:
        refuse_values(custom, {}, "record")
    except InvalidInput as refusal:
        told = filled(sentences()[refusal.code], **refusal.members)
        raise PackageError(told, file=origin, element=f"element {refusal.members['member']}") from refusal


def storable(value: Any) -> Any:
    """Return the value; raise ValueError for a text that no database stores."""
    if isinstance(value, str) and "\0" in value:
        raise ValueError(_("The text holds a NUL character."))
    return value
