from typing import Any

from cms_api.lib.errors import InvalidInput
from cms_api.lib.settings_text import parse_settings_text
from cms_api.rest.custom_members import name_custom
from cms_api.rest.json import load_object
from contents.models import CustomField
from contents.wire.columns import BY_FOLDED_WIRE


def custom_values(site_id: int, settings_xml: str, unknown: dict[str, Any]) -> dict[str, Any]:
    """Custom fields of a body, spelled as in the site; registers new ones. Raises InvalidInput."""
    try:
        # A JSON object keeps value types; key=value pairs are texts.
        is_object = settings_xml.lstrip().startswith("{")
        entries = load_object(settings_xml.encode()) if is_object else dict(parse_settings_text(settings_xml))
    except ValueError as error:
        raise InvalidInput("invalid_value", f"settingsXml cannot be read: {error}", member="settingsXml") from error
    others = {n: value for n, value in {**entries, **unknown}.items() if n.casefold() not in BY_FOLDED_WIRE}
    if not (found := name_custom(others, "content")):
        return {}
    by_folded = {name.casefold(): (name, value) for name, value in found.items()}
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=by_folded)
    known = dict(rows.values_list("folded_name", "name"))
    # Sorted, because concurrent requests may insert the same names.
    missing = [
        CustomField(site_id=site_id, name=name, folded_name=folded)
        for folded, (name, _) in sorted(by_folded.items())
        if folded not in known
    ]
    if missing:
        # A concurrent request may insert the field first; later requests use its spelling.
        CustomField.objects.bulk_create(missing, ignore_conflicts=True)
    return {known.get(folded, name): value for folded, (name, value) in by_folded.items()}
