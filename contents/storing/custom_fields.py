from collections.abc import Iterable
from typing import Any

from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE
from core.lib.errors import InvalidInput
from core.lib.settings_text import parse_settings_text
from core.rest.custom_members import name_custom
from core.rest.json import load_object


class FieldNames:
    """The site's spelling of custom fields, for all bodies that are stored together."""

    def __init__(self, site_id: int, names: Iterable[str]) -> None:
        self._site_id = site_id
        folded = {name.casefold() for name in names}
        rows = CustomField.objects.filter(site_id=site_id, folded_name__in=folded)
        self._known = dict(rows.values_list("folded_name", "name")) if folded else {}
        self._missing: dict[str, str] = {}

    def spell(self, entries: dict[str, Any]) -> dict[str, Any]:
        by_folded = {name.casefold(): (name, value) for name, value in entries.items()}
        return {self._known.get(folded, name): value for folded, (name, value) in by_folded.items()}

    def accept(self, spelled: Iterable[str]) -> None:
        """Later bodies get this spelling of new names, and `register` stores them."""
        new = {folded: name for name in spelled if (folded := name.casefold()) not in self._known}
        self._known |= new
        self._missing |= new

    def register(self) -> None:
        """Store accepted names that the site did not have."""
        if not self._missing:
            return
        # Sorted, because concurrent requests may insert the same names.
        missing = sorted(self._missing.items())
        rows = [CustomField(site_id=self._site_id, name=name, folded_name=folded) for folded, name in missing]
        # A concurrent request may insert the field first; later requests use its spelling.
        CustomField.objects.bulk_create(rows, ignore_conflicts=True)
        self._missing = {}


def custom_values(site_id: int, settings_xml: str, unknown: dict[str, Any]) -> dict[str, Any]:
    """Custom fields of a body, spelled as in the site; registers new ones. Raises InvalidInput."""
    return register(site_id, read_entries(settings_xml, unknown))


def register(site_id: int, entries: dict[str, Any]) -> dict[str, Any]:
    """The entries, spelled as in the site; stores names that it did not have."""
    names = FieldNames(site_id, entries)
    spelled = names.spell(entries)
    names.accept(spelled)
    names.register()
    return spelled


def read_entries(settings_xml: str, unknown: dict[str, Any]) -> dict[str, Any]:
    """Custom fields of a body by camelCase name. Raises InvalidInput."""
    try:
        # A JSON object preserves value types; key=value pairs are texts.
        is_object = settings_xml.lstrip().startswith("{")
        entries = load_object(settings_xml.encode()) if is_object else dict(parse_settings_text(settings_xml))
    except ValueError as error:
        raise InvalidInput("invalid_value", f"settingsXml cannot be read: {error}", member="settingsXml") from error
    others = {n: value for n, value in {**entries, **unknown}.items() if n.casefold() not in BY_FOLDED_WIRE}
    return name_custom(others, "content")
