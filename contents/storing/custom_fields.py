"""Members beyond those of the interface: kept with the content, known to filters by site."""

from typing import Any

from cms_api.lib.errors import InvalidInput
from cms_api.lib.settings_text import parse_settings_text
from cms_api.rest.custom_members import name_custom
from cms_api.rest.json import load_object
from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE


def custom_values(site_id: int, settings_xml: str, unknown: dict[str, Any]) -> dict[str, Any]:
    """The settings that a body holds: the entries of its `settingsXml`, then its unknown members.

    Each is spelled as the site has it already. Raises InvalidInput for a name that is too long.
    """
    entries = {**_read_settings(settings_xml), **unknown}
    others = {name: value for name, value in entries.items() if name.casefold() not in BY_FOLDED_WIRE}
    found = name_custom(others, "content")
    return _spelled_as_known(site_id, found) if found else {}


def _read_settings(text: str) -> dict[str, Any]:
    try:
        # A JSON object keeps the types of its members; pairs are texts.
        is_object = text.lstrip().startswith("{")
        return load_object(text.encode()) if is_object else dict(parse_settings_text(text))
    except ValueError as error:
        raise InvalidInput("invalid_value", f"settingsXml cannot be read: {error}", member="settingsXml") from error


def _spelled_as_known(site_id: int, values: dict[str, Any]) -> dict[str, Any]:
    by_folded = {name.casefold(): (name, value) for name, value in values.items()}
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=by_folded)
    known = dict(rows.values_list("folded_name", "name"))
    missing = [
        CustomField(site_id=site_id, name=name, folded_name=folded)
        # In one order for all: two requests may introduce the same names at once.
        for folded, (name, _) in sorted(by_folded.items())
        if folded not in known
    ]
    if missing:
        # Another request may introduce the same field now; its spelling then counts for later ones.
        CustomField.objects.bulk_create(missing, ignore_conflicts=True)
    return {known.get(folded, name): value for folded, (name, value) in by_folded.items()}
