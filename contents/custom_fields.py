"""Members beyond those of the interface: kept with the content, known to filters by site."""

from typing import Any

from cms_api.lib.settings_text import parse_settings_text
from cms_api.rest.errors import BadRequest
from cms_api.rest.json import load_object
from cms_api.rest.names import camelise
from contents.columns import BY_FOLDED_WIRE
from contents.models import CustomField

MAX_NAME = 255  # characters
MAX_ENTRIES = 500  # members beyond those of the interface in one body


def custom_values(site_id: int, settings_xml: str, unknown: dict[str, Any]) -> dict[str, Any]:
    """The settings that a body holds: the entries of its `settingsXml`, then its unknown members.

    Each is spelled as the site has it already. Raises BadRequest for a name that is too long.
    """
    entries = {**_read_settings(settings_xml), **unknown}
    found = {camelise(name): value for name, value in entries.items() if name.casefold() not in BY_FOLDED_WIRE}
    found.pop("", None)
    if len(found) > MAX_ENTRIES:
        raise BadRequest("too_many_entries", f"A content has at most {MAX_ENTRIES} custom members.")
    for name in found:
        # Some letters are two without their case, and the name is kept in that form too.
        if max(len(name), len(name.casefold())) > MAX_NAME:
            raise BadRequest("invalid_value", f"A member's name has at most {MAX_NAME} characters, not {len(name)}.")
    return _spelled_as_known(site_id, found) if found else {}


def _read_settings(text: str) -> dict[str, Any]:
    try:
        # A JSON object keeps the types of its members; pairs are texts.
        is_object = text.lstrip().startswith("{")
        return load_object(text.encode()) if is_object else dict(parse_settings_text(text))
    except ValueError as error:
        raise BadRequest("invalid_value", f"settingsXml cannot be read: {error}", member="settingsXml") from error


def merge(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The settings with the changes made; an entry is replaced whatever its letter case."""
    changed = {name.casefold() for name in changes}
    return {name: value for name, value in settings.items() if name.casefold() not in changed} | changes


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
